# SPDX-License-Identifier: Apache-2.0
"""The constraints of a schema beyond its types: functional legs and path equations.

After a change only those starts of an equation are looked at from which a path can have changed:
new elements and tuples, and what leads to an element at which a function has a new value.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fcp_ros.cset.instance.draft import Change, ChangedTuple
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.schema import Relation, RelationName
from fcp_ros.cset.schema.symbols import PathEquation


def find_conflicts(
    instance: Instance, relations: Iterable[RelationName] | None = None
) -> tuple[Violation, ...]:
    """Find the elements that are in a functional leg of several tuples.

    Args:
        instance: a state or a pattern.
        relations: the ones to check; all of them by default.

    Returns:
        For each such element and leg a violation that names the tuples.
    """
    chosen = instance.schema.relations
    if relations is not None:
        chosen = tuple(instance.schema.relation(name) for name in relations)
    return tuple(_find_conflicts_in(instance, chosen))


def _find_conflicts_in(instance: Instance, relations: Iterable[Relation]) -> Iterator[Violation]:
    for relation in relations:
        table = instance.relation_table(relation.name)
        for leg in relation.functional:
            index = table.index(relation.position(leg))
            if len(index) == len(table.rows):
                continue
            for element, rows in index.items():
                if len(rows) > 1:
                    yield _describe_conflict(instance, relation.name, leg, element, rows)


def _find_conflicts_at(
    instance: Instance, relation: Relation, legs: tuple[int, ...]
) -> Iterator[Violation]:
    """The conflicts that the tuple with these elements takes part in."""
    table = instance.relation_table(relation.name)
    for leg in relation.functional:
        position = relation.position(leg)
        rows = table.index(position).get(legs[position], ())
        if len(rows) > 1:
            yield _describe_conflict(instance, relation.name, leg, legs[position], rows)


def find_conflicts_of(instance: Instance, tuples: Iterable[ChangedTuple]) -> tuple[Violation, ...]:
    """Find the functional conflicts that any of some tuples takes part in, each once."""
    found: dict[Violation, None] = {}
    for relation, _, legs in tuples:
        table = instance.relation_table(relation)
        if table.keys and table.has_shared_key(legs):
            found.update(dict.fromkeys(_find_conflicts_at(instance, table.declared, legs)))
    return tuple(found)


def _describe_conflict(
    instance: Instance, relation: str, leg: str, element: int, rows: Collection[int]
) -> Violation:
    name, shown = instance.name_of(element), [instance.name_of(row) for row in rows]
    text = (
        f"{name!r} may be {leg!r} in one tuple of {relation!r}, "
        f"but is in {len(rows)}: {'; '.join(shown)}"
    )
    return Violation(ViolationKind.FUNCTIONAL, text, (name, *shown), leg)


def find_broken_equations(
    instance: Instance, change: Change | None = None
) -> tuple[Violation, ...]:
    """Find where two paths that the schema equates lead to different elements.

    Args:
        instance: a state or a pattern.
        change: the change from an instance that obeys the equations; only what it can have broken
            is checked. None checks everything.
    """
    return tuple(
        violation
        for equation in instance.schema.equations
        for violation in _check_equation(
            instance,
            equation,
            instance.elements(equation.source)
            if change is None
            else sorted(_find_changed_starts(instance, equation, change)),
        )
    )


def _check_equation(
    instance: Instance, equation: PathEquation, starts: Iterable[int]
) -> Iterator[Violation]:
    for start in starts:
        left = _follow(instance, equation.source, equation.left, start)
        right = _follow(instance, equation.source, equation.right, start)
        if left != right:
            yield _describe_violation(instance, equation, start, left, right)


def _find_changed_starts(instance: Instance, equation: PathEquation, change: Change) -> set[int]:
    """The elements from which a path of the equation may lead elsewhere than before."""
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
        starts |= _trace_back(instance, equation.source, path, changed)
    return starts


def _trace_back(
    instance: Instance, source: str, path: Sequence[str], changed: Mapping[str, Sequence[int]]
) -> set[int]:
    """Everything of type `source` whose path meets an element that has changed."""
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


def _follow(instance: Instance, source: str, path: Sequence[str], start: int) -> int | None:
    """The element that a path leads to; None where a function on it has no value."""
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


def _describe_violation(
    instance: Instance, equation: PathEquation, start: int, left: int | None, right: int | None
) -> Violation:
    name = instance.name_of(start)
    ends = [None if end is None else instance.name_of(end) for end in (left, right)]
    paths = [".".join((name, *path)) for path in (equation.left, equation.right)]
    shown = [f"{path} is {end!r}" for path, end in zip(paths, ends, strict=True)]
    text = f"equation '{equation}' does not hold at {name!r}: {', but '.join(shown)}"
    elements = (name, *(end for end in ends if end is not None))
    return Violation(ViolationKind.EQUATION, text, elements, str(equation))
