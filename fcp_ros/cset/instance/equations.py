# SPDX-License-Identifier: Apache-2.0
"""Path equations: whether both paths lead to the same element wherever they start.

After a change only those starts are looked at from which a path can have changed: new elements and
tuples, and what leads to an element at which a function has a new value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fcp_ros.cset.instance.change import Change
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.symbols import PathEquation

if TYPE_CHECKING:
    from fcp_ros.cset.instance.instance import Instance


def broken_equations(instance: "Instance") -> Iterator[Violation]:
    """Where the instance breaks an equation of its schema."""
    for equation in instance.schema.equations:
        yield from _broken(instance, equation, instance.elements(equation.source))


def broken_by(instance: "Instance", change: Change) -> Iterator[Violation]:
    """Where the instance breaks an equation that its predecessor obeyed.

    Args:
        instance: after the change.
        change: what led to it.
    """
    for equation in instance.schema.equations:
        yield from _broken(instance, equation, sorted(_touched(instance, equation, change)))


def _broken(
    instance: "Instance", equation: PathEquation, starts: Iterable[int]
) -> Iterator[Violation]:
    for start in starts:
        left = _end(instance, equation.source, equation.left, start)
        right = _end(instance, equation.source, equation.right, start)
        if left != right:
            yield _violation(instance, equation, start, left, right)


def _touched(instance: "Instance", equation: PathEquation, change: Change) -> set[int]:
    """Where a path of the equation may lead to something else than before."""
    schema = instance.schema
    if schema.has_relation(equation.source):
        starts = {row for relation, row, _ in change.added if relation == equation.source}
    else:
        below = schema.subtypes(equation.source)
        starts = {e for e in change.created if instance.type_of(e) in below}
    changed: dict[str, list[int]] = {}
    for function, element in change.functions:
        changed.setdefault(function, []).append(element)
    for path in (equation.left, equation.right):
        starts |= _starts(instance, equation.source, path, changed)
    return starts


def _starts(
    instance: "Instance", source: str, path: Sequence[str], changed: Mapping[str, Sequence[int]]
) -> set[int]:
    """Everything of type `source` whose way along the path meets an element that has changed."""
    schema = instance.schema
    found: set[int] = set()
    for length in range(len(path) - 1, -1, -1):
        step = path[length]
        if length == 0 and schema.has_relation(source):
            index = instance.relation_table(source).index(schema.relation(source).position(step))
            return {row for end in found for row in index.get(end, ())}
        preimages = instance.function_table(step).preimages()
        found = {start for end in found for start in preimages.get(end, ())}
        found.update(changed.get(step, ()))
    below = schema.subtypes(source)
    return {start for start in found if instance.type_of(start) in below}


def _end(instance: "Instance", source: str, path: Sequence[str], start: int) -> int | None:
    """Where a path leads; None where a function on it has no value."""
    current: int | None = start
    for length, step in enumerate(path):
        if current is None:
            return None
        if length == 0 and instance.schema.has_relation(source):
            position = instance.schema.relation(source).position(step)
            current = instance.relation_table(source).rows[current][position]
        else:
            current = instance.function_table(step).values.get(current)
    return current


def _violation(
    instance: "Instance", equation: PathEquation, start: int, left: int | None, right: int | None
) -> Violation:
    name = instance.name_of(start)
    ends = [None if end is None else instance.name_of(end) for end in (left, right)]
    paths = [".".join((name, *path)) for path in (equation.left, equation.right)]
    shown = [f"{path} is {end!r}" for path, end in zip(paths, ends, strict=True)]
    text = f"equation '{equation}' does not hold at {name!r}: {', but '.join(shown)}"
    elements = (name, *(end for end in ends if end is not None))
    return Violation(ViolationKind.EQUATION, text, elements, str(equation))
