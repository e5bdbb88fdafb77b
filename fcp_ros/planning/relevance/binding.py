# SPDX-License-Identifier: Apache-2.0
"""Running a plan: binding the open slots of a trigger from what is there and what may come true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.binding_plans import BindingPlan, BindingStep
from fcp_ros.planning.relevance.element_choice import ElementChoice, Reach
from fcp_ros.planning.relevance.facts import Bound, Elements, FactTable
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedDomain, LiftedRelation, Trigger

OPEN = -1
"""A slot that is not bound."""
UNCHECKED = 15
"""Steps between looks at the limits."""
FEW = 3
"""Types with at most this many elements are always tried completely (robots, mostly)."""
LISTED = 16
"""Number of values that a step tries of a changing condition, where there is a limit."""


@dataclass(eq=False, slots=True)
class BindingRun:
    """One execution of a plan."""

    plan: BindingPlan
    purpose: int
    limit: int = 0  # factor on the limits above; 0: no limits
    listens: bool = False  # whether facts that come to be possible later are matched, too
    demands: bool = False
    # facts to be read before all others, where one of them gives the value
    context: tuple[int, ...] | None = None
    by_links: bool = False
    crowded: bool = False  # whether there were more links than such a plan is made for


Listener = tuple[BindingRun, int, Elements]
"""A run, the step that it waits at, and its binding until there."""


class Matcher:
    """Binds slots."""

    def __init__(
        self,
        lifted: LiftedDomain,
        facts: FactTable,
        reach: Reach,
        candidates: ElementChoice,
        watch: Watch,
        demand: Callable[[LiftedRelation, Bound], None],
    ) -> None:
        self._instance = facts.instance
        self._below = lifted.below
        self._facts = facts
        self._reach = reach
        self._confining = reach.confining
        self._candidates = candidates
        self._watch = watch
        self._demand = demand
        self._listeners: dict[tuple[int, int, int], list[Listener]] = {}
        self._waiting: dict[tuple[int, Elements], list[Listener]] = {}
        self._confined: dict[BindingStep, tuple[LiftedAtom, ...]] = {}
        self._kinds: dict[int, str] = {}
        self._of_type: dict[str, tuple[Elements, ...]] = {}
        self._until_check = 0
        self._ends: dict[tuple[BindingPlan, bool], int] = {}

    def few(self, types: Iterable[str]) -> frozenset[int]:
        """Return the slots whose types have a handful of elements."""
        count = self._instance.count
        return frozenset(slot for slot, type_ in enumerate(types) if count(type_) <= FEW)

    def fits(self, run: BindingPlan, binding: list[int], bound: Iterable[tuple[int, int]]) -> bool:
        """Bind slots to elements; False (and a useless binding) where they do not fit."""
        types, parameters = run.trigger.types, len(run.trigger.rule.types)
        for slot, element in bound:
            current = binding[slot]
            if current == element:
                continue
            if current != OPEN or self._instance.type_of(element) not in self._below(types[slot]):
                return False
            if slot < parameters and element in binding[:parameters]:
                return False
            binding[slot] = element
        return True

    @staticmethod
    def start_binding(trigger: Trigger, elements: Elements) -> list[int] | None:
        """The slots with those of the trigger's atom bound to elements of fitting types.

        None where one parameter would be two elements, or two parameters one.
        """
        binding = [OPEN] * len(trigger.types)
        parameters = len(trigger.rule.types)
        for slot, element in zip(trigger.slots, elements, strict=True):
            current = binding[slot]
            if current != element:
                if current != OPEN or (slot < parameters and element in binding[:parameters]):
                    return None
                binding[slot] = element
        return binding

    def bindings(self, run: BindingRun, binding: list[int]) -> Iterator[Elements]:
        """Yield all ways to bind the open slots."""
        return self._extend(run, 0, binding)

    def resume(self, fact: int) -> Iterator[tuple[BindingRun, Iterator[Elements]]]:
        """Yield the runs that continue with a newly possible fact."""
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        for run, depth, before in self._waiting.pop((relation.number, elements), ()):
            yield run, self._extend(run, depth, list(before))
        keys = ((relation.number, p, element) for p, element in enumerate(elements))
        for key in chain(keys, ((relation.number, OPEN, OPEN),)):
            for run, depth, before in tuple(self._listeners.get(key, ())):
                binding = list(before)
                step = run.plan.steps[depth]
                if all(binding[slot] == elements[position] for position, slot in step.bound) and (
                    self._bind(run, step, elements, binding)
                ):
                    yield run, self._extend(run, depth + 1, binding)

    def _extend(self, run: BindingRun, depth: int, binding: list[int]) -> Iterator[Elements]:
        """Yield all ways to bind what the steps from `depth` on leave open, depth first."""
        steps = run.plan.steps
        end = self._find_end(run)
        depth = self._check(run, depth, binding)
        if depth >= end:
            yield from self._complete(run, depth, binding)
        if not 0 <= depth < end:
            return
        self._check_limits()
        # The steps that are under way, with the values that each has left.
        stack = [(depth, iter(self._values(run, depth, binding)))]
        while stack:
            depth, values = stack[-1]
            step = steps[depth]
            for elements in values:
                if not self._bind(run, step, elements, binding):
                    continue
                following = self._check(run, depth + 1, binding)
                if following >= end:
                    yield from self._complete(run, following, binding)
                elif following >= 0:
                    self._check_limits()
                    stack.append((following, iter(self._values(run, following, binding))))
                    break
                for _, slot in step.opens:
                    binding[slot] = OPEN
            else:
                stack.pop()
                if stack:
                    for _, slot in steps[stack[-1][0]].opens:
                        binding[slot] = OPEN

    def _check_limits(self) -> None:
        """Check the limits now and then: a look at the clock takes as long as a step."""
        self._until_check -= 1
        if self._until_check < 0:
            self._until_check = UNCHECKED
            self._watch.check()

    def _find_end(self, run: BindingRun) -> int:
        """Find the step from which on all steps take any element of a type."""
        key = (run.plan, run.limit > 0)
        end = self._ends.get(key)
        if end is None:
            end = len(run.plan.steps)
            while end and self._takes_all(run, run.plan.steps[end - 1]):
                end -= 1
            self._ends[key] = end
        return end

    def _takes_all(self, run: BindingRun, step: BindingStep) -> bool:
        if step.relation is not None:
            return False
        return run.limit == 0 or len(self._list_all(run, step)) <= FEW

    def _list_all(self, run: BindingRun, step: BindingStep) -> tuple[Elements, ...]:
        type_ = run.plan.trigger.types[step.opens[0][1]]
        found = self._of_type.get(type_)
        if found is None:
            found = self._of_type[type_] = tuple(map(_at_last, self._instance.elements(type_)))
        return found

    def _complete(self, run: BindingRun, depth: int, binding: Sequence[int]) -> Iterable[Elements]:
        """List all ways to bind the slots of the last steps.

        One step at a time for each binding took half of compiling in caldera (IPC-2018).
        """
        found: Iterable[Elements] = (tuple(binding),)
        for step in run.plan.steps[depth:]:
            found = self._extend_by_all(run, step, found)
        return found

    def _extend_by_all(
        self, run: BindingRun, step: BindingStep, found: Iterable[Elements]
    ) -> Iterator[Elements]:
        """Extend bindings by each element of a slot's type."""
        slot, parameters = step.opens[0][1], len(run.plan.trigger.rule.types)
        rivals = parameters if slot < parameters else 0
        elements = self._list_all(run, step)
        for before in found:
            self._check_limits()
            first, last = before[:slot], before[slot + 1 :]
            others = before[:rivals]
            for element in elements:
                if element[0] not in others:
                    after = first + element + last
                    if not (self._confining and self._out_of_reach(run, step, after)):
                        yield after

    def _check(self, run: BindingRun, depth: int, binding: list[int]) -> int:
        """Return the next step that binds something; -1 if a check before it fails."""
        steps = run.plan.steps
        while depth < len(steps) and not steps[depth].opens:
            step = steps[depth]
            relation = step.relation
            assert relation is not None
            elements = tuple([binding[slot] for _, slot in step.bound])
            depth += 1
            if relation.changes:
                if not self._facts.may_hold(relation, elements):
                    key = (relation.number, elements)
                    self._waiting.setdefault(key, []).append((run, depth, tuple(binding)))
                    return -1
            elif self._instance.find_tuple(relation.name, elements) is None:
                return -1
        return depth

    def _bind(
        self, run: BindingRun, step: BindingStep, elements: Elements, binding: list[int]
    ) -> bool:
        """Bind the open slots of a step; False (and no change) where they do not fit."""
        trigger, kinds = run.plan.trigger, self._kinds
        parameters = len(trigger.rule.types)
        for position, slot in step.opens:
            element, current = elements[position], binding[slot]
            if current == element:
                continue
            kind = kinds.get(element)
            if kind is None:
                kind = kinds[element] = self._instance.type_of(element)
            if (
                current != OPEN
                or kind not in self._below(trigger.types[slot])
                # Mostly it is nowhere; only then is the first part copied.
                or (slot < parameters and element in binding and element in binding[:parameters])
            ):
                for _, opened in step.opens:
                    binding[opened] = OPEN
                return False
            binding[slot] = element
        if self._confining and self._out_of_reach(run, step, binding):
            for _, slot in step.opens:
                binding[slot] = OPEN
            return False
        return True

    def _out_of_reach(self, run: BindingRun, step: BindingStep, binding: Sequence[int]) -> bool:
        """Return True if a condition on what the step has bound can never hold."""
        atoms = self._confined.get(step)
        if atoms is None:
            opened = {slot for _, slot in step.opens}
            read = [atom for atom in run.plan.trigger.fluent if not opened.isdisjoint(atom[1])]
            atoms = self._confined[step] = self._reach.of(read)
        for relation, slots in atoms:
            elements = [binding[slot] for slot in slots]
            if OPEN not in elements and self._reach.excludes(relation, elements):
                return True
        return False

    # --- values

    def _values(self, run: BindingRun, depth: int, binding: list[int]) -> Iterable[Elements]:
        step = run.plan.steps[depth]
        if step.relation is None:
            if self._takes_all(run, step):
                return self._list_all(run, step)
            return self._elements(run, step, binding)
        bound = tuple([(position, binding[slot]) for position, slot in step.bound])
        if not step.relation.changes:
            found = self._facts.find_initial(step.relation, bound)
            if run.by_links and len(found) > LISTED:
                run.crowded = True
                return ()
            return found
        if run.context is not None:
            return self._in_context(run, step, bound, run.context)
        if run.listens:
            position, element = next(
                (pair for pair in bound if pair[0] in step.relation.keys),
                bound[0] if bound else (OPEN, OPEN),
            )
            key = (step.relation.number, position, element)
            self._listeners.setdefault(key, []).append((run, depth, tuple(binding)))
        if run.demands:
            self._demand(step.relation, bound)
        return self._read(run, step, bound)

    def _read(self, run: BindingRun, step: BindingStep, bound: Bound) -> Iterable[Elements]:
        assert step.relation is not None
        facts = self._facts
        found = chain(
            facts.find_initial(step.relation, bound),
            (facts.elements[fact] for fact in facts.find_new(step.relation, bound)),
        )
        return found if step.determined or run.limit == 0 else islice(found, LISTED * run.limit)

    def _in_context(
        self, run: BindingRun, step: BindingStep, bound: Bound, context: tuple[int, ...]
    ) -> Iterable[Elements]:
        """Return the value in the context, else the initial one, else all possible ones."""
        assert step.relation is not None
        facts = self._facts
        for fact in context:
            if facts.relation[fact] is step.relation and all(
                facts.elements[fact][position] == element for position, element in bound
            ):
                return (facts.elements[fact],)
        if step.determined:
            there = facts.find_initial(step.relation, bound)
            if there:
                return there
        return self._read(run, step, bound)

    def _elements(
        self, run: BindingRun, step: BindingStep, binding: list[int]
    ) -> Iterator[Elements]:
        slot = step.opens[0][1]
        type_ = run.plan.trigger.types[slot]
        centres = [element for element in binding if element != OPEN]
        for fact in run.context or ():
            centres.extend(self._facts.elements[fact])

        def may_be(element: int) -> bool:
            return not self._confining or not self._out_of_reach(
                run, step, _with(binding, slot, element)
            )

        some = self._candidates.some(type_, run.limit, centres, bool(run.context), may_be)
        yield from map(_at_last, some)


def _with(binding: Sequence[int], slot: int, element: int) -> Sequence[int]:
    return [*binding[:slot], element, *binding[slot + 1 :]]


def _at_last(element: int) -> Elements:
    # The position of an element's slot is -1: the last of the tuple.
    return (element,)
