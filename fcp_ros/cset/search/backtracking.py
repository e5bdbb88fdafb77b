# SPDX-License-Identifier: Apache-2.0
"""Evaluation of a join plan one match at a time: lazy, with backtracking over the hash indexes.

Each step is two closures: one gives the candidates that agree with what earlier steps have bound,
one accepts a candidate and binds what it is about. What a step has bound, it overwrites with its
next candidate, so nothing has to be undone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias

from fcp_ros.cset.instance.expressions import Comparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.search.pattern import AtomKind
from fcp_ros.cset.search.plan import Bind, Plan, Step

Candidates: TypeAlias = Callable[[], Iterable[int]]
Test: TypeAlias = Callable[[int], bool]
_Image: TypeAlias = tuple[int, int, Test | None]


class Backtracking:
    """One search.

    Attributes:
        binding: the image of each slot; complete, and valid until the next one, whenever `matches`
            yields.
        values: what the variables are bound to then.
    """

    def __init__(
        self,
        plan: Plan,
        target: Instance,
        allowed: Mapping[int, Set[int]],
        where: Sequence[Comparison] = (),
    ) -> None:
        """Prepare.

        Args:
            plan: the steps.
            target: where.
            allowed: the images that some slots may have.
            where: the comparisons that the plan was made for.
        """
        self.binding: list[int] = [0] * len(plan.pattern.slots)
        self.values: dict[str, AttributeValue] = {}
        self._plan = plan
        self._target = target
        self._allowed = allowed
        self._where = where
        # The slot that last had an image, if it still has it: one with a lower rank that is bound
        # to something else, and one with a higher rank, has it no more.
        self._holders: dict[int, int] = {}

    def matches(self, anchors: Mapping[int, int]) -> Iterator[None]:
        """Stop at every match.

        Args:
            anchors: the images of the slots that are bound from the start.
        """
        if not self.anchor(anchors):
            return
        opened = [_opened(self, step) for step in self._plan.steps]
        if not opened:
            yield
            return
        last = len(opened) - 1
        depth = 0
        candidates, accept = opened[0]
        iterator = iter(candidates())
        pending: list[Iterator[int]] = []
        while True:
            for candidate in iterator:
                if accept(candidate):
                    if depth == last:
                        yield
                    else:
                        pending.append(iterator)
                        depth += 1
                        candidates, accept = opened[depth]
                        iterator = iter(candidates())
                        break
            else:
                if not pending:
                    return
                iterator = pending.pop()
                depth -= 1
                accept = opened[depth][1]

    def anchor(self, anchors: Mapping[int, int]) -> bool:
        """Bind the slots that are bound from the start; whether these images may be theirs."""
        for bind in self._plan.anchors:
            image = anchors[bind.slot]
            test = self.test_of(bind)
            if test is not None and not test(image):
                return False
            self.binding[bind.slot] = image
        return all(self._where[number].holds(self.values) for number in self._plan.where)

    def images(self, binds: Iterable[Bind], shift: int = 0) -> tuple[_Image, ...]:
        """Where a row has the images of slots, and how these are tested."""
        return tuple([(b.position - shift, b.slot, self.test_of(b)) for b in binds])

    def test_of(self, bind: Bind) -> Test | None:
        """Whether an image may be bound to a slot; None where any may."""
        tests = list(self._tests_of(bind))
        if len(tests) < 2:
            return tests[0] if tests else None
        return lambda image: all(test(image) for test in tests)

    def _tests_of(self, bind: Bind) -> Iterator[Test]:
        if bind.accepted is not None:
            yield self._type_test(bind)
        if bind.distinct:
            yield self._distinct_test(bind.slot)
        if bind.allowed:
            yield self._allowed[bind.slot].__contains__
        for attribute, value in bind.constants:
            yield _constant_test(self._target.attribute_table(attribute), value)
        for attribute, name, first in bind.variables:
            table = self._target.attribute_table(attribute)
            yield _variable_test(table, name, first, self.values)

    def _type_test(self, bind: Bind) -> Test:
        accepted = bind.accepted
        assert accepted is not None
        slot = self._plan.pattern.slots[bind.slot]
        schema = self._target.schema
        if schema.has_relation(slot.type):
            return self._target.relation_table(slot.type).rows.__contains__
        types = self._target.element_table().types
        return lambda image: types.get(image) in accepted

    def _distinct_test(self, slot: int) -> Test:
        holders, binding, ranks = self._holders, self.binding, self._plan.ranks
        rank = ranks[slot]

        def test(image: int) -> bool:
            holder = holders.get(image)
            if holder is not None and ranks[holder] < rank and binding[holder] == image:
                return False
            holders[image] = slot
            return True

        return test

    def restricted(self, accept: Test, where: Sequence[int]) -> Test:
        """A test that also makes some comparisons of the values that are bound then."""
        comparisons, values = [self._where[number] for number in where], self.values
        return lambda image: accept(image) and all(c.holds(values) for c in comparisons)

    @property
    def target(self) -> Instance:
        """Where the pattern is searched."""
        return self._target

    def allowed(self, slot: int) -> Collection[int] | None:
        """The images that a slot may have, ascending; None for any."""
        images = self._allowed.get(slot)
        return None if images is None else sorted(images)


def _constant_test(table: Mapping[int, Any], value: AttributeValue) -> Test:
    return lambda id_: table.get(id_) == value


def _variable_test(
    table: Mapping[int, Any], name: str, first: bool, values: dict[str, Any]
) -> Test:
    def bind(id_: int) -> bool:
        value = values[name] = table.get(id_)
        return value is not None

    def compare(id_: int) -> bool:
        return bool(table.get(id_) == values[name])

    return bind if first else compare


def _opened(search: Backtracking, step: Step) -> tuple[Candidates, Test]:
    """The candidates of a step, and what accepts one."""
    if step.atom.kind is AtomKind.RELATION:
        candidates, accept = _relation(search, step)
    elif step.atom.kind is AtomKind.FUNCTION:
        candidates, accept = _function(search, step)
    else:
        candidates, accept = _element(search, step)
    if step.where:
        return candidates, search.restricted(accept, step.where)
    return candidates, accept


def _element(search: Backtracking, step: Step) -> tuple[Candidates, Test]:
    binding, (bind,) = search.binding, step.binds
    slot, test = bind.slot, search.test_of(bind)
    everything = search.target.elements(step.atom.name)
    allowed = search.allowed(slot)
    if allowed is None or len(allowed) > len(everything):
        found: Collection[int] = everything
    else:
        types, accepted = (
            search.target.element_table().types,
            search.target.schema.subtypes(step.atom.name),
        )
        found = [id_ for id_ in allowed if types.get(id_) in accepted]

    def accept(image: int) -> bool:
        if test is not None and not test(image):
            return False
        binding[slot] = image
        return True

    return lambda: found, accept


def _function(search: Backtracking, step: Step) -> tuple[Candidates, Test]:
    binding = search.binding
    table = search.target.function_table(step.atom.name)
    values = table.values
    argument, value = step.atom.slots
    positions = [position for position, _ in step.bound]
    checks = tuple([slot for position, slot in (*step.bound, *step.repeated) if position])
    images = search.images(step.binds)

    def accept(candidate: int) -> bool:
        pair = (candidate, values[candidate])
        for position, slot, test in images:
            image = pair[position]
            if test is not None and not test(image):
                return False
            binding[slot] = image
        return all(pair[1] == binding[slot] for slot in checks)

    def at_argument() -> Iterable[int]:
        found = binding[argument]
        return (found,) if found in values else ()

    if 0 in positions:
        return at_argument, accept
    if positions:
        preimages = table.preimages()
        return lambda: preimages.get(binding[value], ()), accept
    return lambda: values, accept


def _relation(search: Backtracking, step: Step) -> tuple[Candidates, Test]:
    binding = search.binding
    table = search.target.relation_table(step.atom.name)
    rows = table.rows
    row_slot = step.atom.slots[0]
    row_test: Test | None = None
    binds = step.binds
    if binds and binds[0].slot == row_slot:
        row_test, binds = search.test_of(binds[0]), binds[1:]
    checks = tuple([(position - 1, slot) for position, slot in step.bound if position])
    repeated = tuple([(position - 1, slot) for position, slot in step.repeated])
    images = search.images(binds, shift=1)

    def accept(row: int) -> bool:
        legs = rows[row]
        for position, slot in checks:
            if legs[position] != binding[slot]:
                return False
        for position, slot, test in images:
            image = legs[position]
            if test is not None and not test(image):
                return False
            binding[slot] = image
        for position, slot in repeated:
            if legs[position] != binding[slot]:
                return False
        binding[row_slot] = row
        return row_test is None or row_test(row)

    return _rows(search, step), accept


def _rows(search: Backtracking, step: Step) -> Candidates:
    """The tuples that may be those of a step: by id, by all legs, by one, or all of them."""
    binding = search.binding
    table = search.target.relation_table(step.atom.name)
    rows, by_legs = table.rows, table.by_legs
    row_slot, *legs = step.atom.slots
    known = [(position - 1, slot) for position, slot in step.bound if position]

    def at_row() -> Iterable[int]:
        row = binding[row_slot]
        return (row,) if row in rows else ()

    def at_legs() -> Iterable[int]:
        found = by_legs.get(tuple([binding[slot] for slot in legs]))
        return () if found is None else (found,)

    if len(known) < len(step.bound):
        return at_row
    if len(known) == len(legs):
        return at_legs
    indexes = [(table.index(position), slot) for position, slot in known]
    if not indexes:
        return lambda: rows
    if len(indexes) == 1:
        ((index, key),) = indexes
        return lambda: index.get(binding[key], ())
    return lambda: min((index.get(binding[slot], ()) for index, slot in indexes), key=len)
