# SPDX-License-Identifier: Apache-2.0
"""How a step of a search gets at the rows of its table, and binds what a row is about.

A step is a few closures over the tables and over the binding of the search: a list with the image
of each slot, which they read and write.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.search.pattern import AtomKind
from fcp_ros.cset.search.plan import Step

Candidates: TypeAlias = Callable[[], Iterable[int]]
Test: TypeAlias = Callable[[int], bool]
Check: TypeAlias = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Access:
    """One step, ready to be made again and again.

    Attributes:
        accept: bind a row (named by its element, argument or tuple); whether it may be the step's.
        candidates: the rows that agree with what is bound, or more than these.
        check: where what is bound leaves at most one row: find it and accept it.
    """

    accept: Test
    candidates: Candidates | None = None
    check: Check | None = None


def access_to(
    target: Instance,
    step: Step,
    tests: Sequence[Test | None],
    allowed: Collection[int] | None,
    binding: list[int],
) -> Access:
    """The access of a step to its table.

    Args:
        target: where the table is.
        step: what to do.
        tests: for each slot that the step binds, what its image must pass, if anything.
        allowed: the images that the first of these slots may have; None for any.
        binding: the image of each slot.
    """
    if step.atom.kind is AtomKind.RELATION:
        return _relation_access(target, step, tests, binding)
    if step.atom.kind is AtomKind.FUNCTION:
        return _function_access(target, step, tests, binding)
    return _element_access(target, step, tests, allowed, binding)


def _element_access(
    target: Instance,
    step: Step,
    tests: Sequence[Test | None],
    allowed: Collection[int] | None,
    binding: list[int],
) -> Access:
    (slot,), (test,) = step.atom.slots, tests
    found: Collection[int] = target.elements(step.atom.name)
    if allowed is not None and len(allowed) < len(found):
        types, accepted = target.element_table().types, target.schema.subtypes(step.atom.name)
        found = [id_ for id_ in sorted(allowed) if types.get(id_) in accepted]

    def accept(image: int) -> bool:
        if test is not None and not test(image):
            return False
        binding[slot] = image
        return True

    return Access(accept, lambda: found)


def _function_access(
    target: Instance, step: Step, tests: Sequence[Test | None], binding: list[int]
) -> Access:
    table = target.function_table(step.atom.name)
    values = table.values
    argument, value = step.atom.slots
    by_slot = {bind.slot: test for bind, test in zip(step.binds, tests, strict=True)}
    argument_test, value_test = by_slot.get(argument), by_slot.get(value)
    value_is_fresh = value in by_slot and value != argument

    def give(image: int | None) -> bool:
        if image is None:
            return False
        if not value_is_fresh:
            return image == binding[value]
        if value_test is not None and not value_test(image):
            return False
        binding[value] = image
        return True

    def accept(element: int) -> bool:
        if argument_test is not None and not argument_test(element):
            return False
        binding[argument] = element
        return give(values[element])

    if argument not in by_slot:
        return Access(accept, check=lambda: give(values.get(binding[argument])))
    if not step.bound:
        return Access(accept, lambda: values)
    preimages = table.preimages()
    return Access(accept, lambda: preimages.get(binding[value], ()))


def _relation_access(
    target: Instance, step: Step, tests: Sequence[Test | None], binding: list[int]
) -> Access:
    table = target.relation_table(step.atom.name)
    rows, by_legs = table.rows, table.by_legs
    row_slot, *legs = step.atom.slots
    accept = _relation_test(rows, step, tests, binding)
    known = [(position - 1, slot) for position, slot in step.bound if position]

    def check_row() -> bool:
        row = binding[row_slot]
        return row in rows and accept(row)

    def check_legs() -> bool:
        row = by_legs.get(tuple([binding[slot] for slot in legs]))
        return row is not None and accept(row)

    if len(known) < len(step.bound):
        return Access(accept, check=check_row)
    if len(known) == len(legs):
        return Access(accept, check=check_legs)
    indexes = [(table.index(position), slot) for position, slot in known]
    if not indexes:
        return Access(accept, lambda: rows)
    if len(indexes) == 1:
        ((index, key),) = indexes
        return Access(accept, lambda: index.get(binding[key], ()))
    return Access(
        accept, lambda: min((index.get(binding[slot], ()) for index, slot in indexes), key=len)
    )


def _relation_test(
    rows: Mapping[int, tuple[int, ...]],
    step: Step,
    tests: Sequence[Test | None],
    binding: list[int],
) -> Test:
    row_slot = step.atom.slots[0]
    row_test: Test | None = None
    images: list[tuple[int, int, Test | None]] = []
    for bind, test in zip(step.binds, tests, strict=True):
        if bind.position:
            images.append((bind.position - 1, bind.slot, test))
        else:
            row_test = test
    known = [(position - 1, slot) for position, slot in step.bound if position]
    repeated = [(position - 1, slot) for position, slot in step.repeated]

    def accept(row: int) -> bool:
        if row_test is not None and not row_test(row):
            return False
        binding[row_slot] = row
        legs = rows[row]
        for position, slot in known:
            if legs[position] != binding[slot]:
                return False
        for position, slot, test in images:
            image = legs[position]
            if test is not None and not test(image):
                return False
            binding[slot] = image
        return not repeated or all(legs[at] == binding[slot] for at, slot in repeated)

    return accept
