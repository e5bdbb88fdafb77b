# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: `find_homs` and `find_hom`, one match at a time.

The pattern is a conjunctive query; its join plan is evaluated lazily, by backtracking over the hash
indexes. A step overwrites what it has bound with its next candidate, so nothing has to be undone. A
step with at most one row, given what is bound, is a check and runs together with the step before
it. A step is a few closures over the tables and over the binding of the search: a list with the
image of each slot, which they read and write. The slow obvious twin, which tries every assignment,
is in the tests.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fcp_ros.cset.instance import Instance
from fcp_ros.cset.join_plan import Bind, JoinPlan, JoinStep, plan_join
from fcp_ros.cset.morphisms import Morphism, Pattern, TableKind, analyse_pattern
from fcp_ros.cset.schema import AttributeValue

Candidates: TypeAlias = Callable[[], Iterable[int]]
Test: TypeAlias = Callable[[int], bool]
Check: TypeAlias = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Access:
    """One step, ready to be repeated with other bindings."""

    accept: Test  # bind a row, given by its element, argument or tuple; False if it does not fit
    # the rows that agree with what is bound, or a superset of them
    candidates: Candidates | None = None
    # instead of both where at most one row can agree: find that row and accept it
    check: Check | None = None


def build_access(
    target: Instance,
    step: JoinStep,
    # for each slot that the step binds, what its image must pass, if anything
    tests: Sequence[Test | None],
    binding: list[int],
) -> Access:
    if step.atom.kind is TableKind.RELATION:
        return _access_relation(target, step, tests, binding)
    if step.atom.kind is TableKind.FUNCTION:
        return _access_function(target, step, tests, binding)
    return _access_elements(target, step, tests, binding)


def _access_elements(
    target: Instance, step: JoinStep, tests: Sequence[Test | None], binding: list[int]
) -> Access:
    (slot,), (test,) = step.atom.slots, tests
    found: Collection[int] = target.elements(step.atom.name)

    def accept(image: int) -> bool:
        if test is not None and not test(image):
            return False
        binding[slot] = image
        return True

    return Access(accept, lambda: found)


def _access_function(
    target: Instance, step: JoinStep, tests: Sequence[Test | None], binding: list[int]
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


def _access_relation(
    target: Instance, step: JoinStep, tests: Sequence[Test | None], binding: list[int]
) -> Access:
    table = target.relation_table(step.atom.name)
    rows, by_legs = table.rows, table.by_legs
    row_slot, *legs = step.atom.slots
    accept = _make_relation_test(rows, step, tests, binding)
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


def _make_relation_test(
    rows: Mapping[int, tuple[int, ...]],
    step: JoinStep,
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


class Backtracking:
    """A search that can be repeated from other anchors, one run after the other."""

    def __init__(self, plan: JoinPlan, target: Instance) -> None:
        # the image of each slot; complete, and valid until the next one, whenever `run` yields
        self.binding: list[int] = [0] * len(plan.pattern.slots)
        self._plan = plan
        self._target = target
        # The slot that last took an image. The entry is stale, and is ignored, if that slot has
        # been bound to something else since, or has a higher rank (it was bound on an abandoned
        # branch).
        self._holders: dict[int, int] = {}
        self._steps: tuple[list[Check], list[tuple[Candidates, Test]]] | None = None
        self._anchor_tests = [self._make_test(bind) for bind in plan.anchors]

    def run(self, anchors: Mapping[int, int]) -> Iterator[None]:
        """Yield at every match, with `binding` set."""
        if not self.anchor(anchors):
            return
        if self._steps is None:
            self._steps = self._open_steps()
        checks, choices = self._steps
        if not all(check() for check in checks):
            return
        if not choices:
            yield
            return
        last = len(choices) - 1
        depth = 0
        candidates, accept = choices[0]
        iterator = iter(candidates())
        pending: list[Iterator[int]] = []
        while True:
            # `for ... else`: exhausting the candidates of a step returns to the one before it.
            for candidate in iterator:
                if accept(candidate):
                    if depth == last:
                        yield
                    else:
                        pending.append(iterator)
                        depth += 1
                        candidates, accept = choices[depth]
                        iterator = iter(candidates())
                        break
            else:
                if not pending:
                    return
                iterator = pending.pop()
                depth -= 1
                accept = choices[depth][1]

    def anchor(self, anchors: Mapping[int, int]) -> bool:
        """Bind the slots that are bound from the start; return False if an image does not fit."""
        self._holders.clear()
        for bind, test in zip(self._plan.anchors, self._anchor_tests, strict=True):
            image = anchors[bind.slot]
            if test is not None and not test(image):
                return False
            self.binding[bind.slot] = image
        return True

    def _open_steps(self) -> tuple[list[Check], list[tuple[Candidates, Test]]]:
        """Build the initial checks, and (candidates, test) for each step with a choice."""
        first: list[Check] = []
        choices: list[tuple[Candidates, Test, list[Check]]] = []
        checks = first
        for step in self._plan.steps:
            tests = [self._make_test(bind) for bind in step.binds]
            access = build_access(self._target, step, tests, self.binding)
            if access.check is not None:
                checks.append(access.check)
            else:
                assert access.candidates is not None
                checks = []
                choices.append((access.candidates, access.accept, checks))
        return first, [(found, _combine(accept, then)) for found, accept, then in choices]

    def _make_test(self, bind: Bind) -> Test | None:
        """Build the test of images for a slot; None if any image will do."""
        tests = list(self._make_tests(bind))
        if len(tests) < 2:
            return tests[0] if tests else None
        return lambda image: all(test(image) for test in tests)

    def _make_tests(self, bind: Bind) -> Iterator[Test]:
        if bind.accepted is not None:
            yield self._make_type_test(bind)
        if bind.distinct:
            yield self._make_distinct_test(bind.slot)
        for attribute, value in bind.constants:
            yield _make_constant_test(self._target.attribute_table(attribute), value)

    def _make_type_test(self, bind: Bind) -> Test:
        accepted = bind.accepted
        assert accepted is not None
        slot = self._plan.pattern.slots[bind.slot]
        if self._target.schema.has_relation(slot.type):
            return self._target.relation_table(slot.type).rows.__contains__
        types = self._target.element_table().types
        return lambda image: types.get(image) in accepted

    def _make_distinct_test(self, slot: int) -> Test:
        holders, binding, ranks = self._holders, self.binding, self._plan.ranks
        rank = ranks[slot]

        def test(image: int) -> bool:
            holder = holders.get(image)
            if holder is not None and ranks[holder] < rank and binding[holder] == image:
                return False
            holders[image] = slot
            return True

        return test


def _combine(accept: Test, then: Iterable[Check]) -> Test:
    """Build a test that accepts a candidate only if all the checks that follow succeed."""
    checks = tuple(then)
    if not checks:
        return accept

    def accept_and_check(candidate: int) -> bool:
        if not accept(candidate):
            return False
        for check in checks:  # noqa: SIM110, a generator would take twice the time
            if not check():
                return False
        return True

    return accept_and_check


def _make_constant_test(table: Mapping[int, Any], value: AttributeValue) -> Test:
    return lambda id_: table.get(id_) == value


def find_homs(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool = True,  # different elements and tuples must have different images
    # images that are fixed, by id of the pattern. One of a tuple fixes its legs, too.
    initial: Mapping[int, int] | None = None,
) -> Iterator[Morphism]:
    """Find the morphisms from `pattern` to `target`, lazily.

    An element of the pattern matches elements of its type and subtypes, a tuple those of its
    relation. Attributes that are set in the pattern must be equal; those that are not set match
    anything. Raises ValueError if schemas differ, or `initial` names what the pattern lacks.
    """
    if pattern.schema is not target.schema and pattern.schema != target.schema:
        raise ValueError(
            f"the pattern has schema {pattern.schema.name!r}, the target "
            f"{target.schema.name!r}; they must be the same schema"
        )
    query = analyse_pattern(pattern)
    anchors = {_find_slot(query, id_): image for id_, image in (initial or {}).items()}
    return _iterate_morphisms(pattern, target, monic, anchors)


def find_hom(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool = True,
    initial: Mapping[int, int] | None = None,
) -> Morphism | None:
    """Find one morphism, or None; the arguments are those of `find_homs`."""
    return next(find_homs(pattern, target, monic=monic, initial=initial), None)


def _iterate_morphisms(
    pattern: Instance, target: Instance, monic: bool, anchors: Mapping[int, int]
) -> Iterator[Morphism]:
    plan = plan_join(analyse_pattern(pattern), monic, tuple(anchors), target)
    search = Backtracking(plan, target)
    ids, binding = plan.pattern.ids, search.binding
    for _ in search.run(anchors):
        # Both have an entry for each slot; strict=True would take a third of the loop's time.
        yield Morphism(pattern, target, dict(zip(ids, binding)))  # noqa: B905


def _find_slot(query: Pattern, id_: int) -> int:
    slot = query.index.get(id_)
    if slot is None:
        raise ValueError(
            f"'initial' has id {id_}, which is neither an element nor a tuple of the pattern"
        )
    return slot
