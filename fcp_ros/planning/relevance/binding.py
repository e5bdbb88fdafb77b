# SPDX-License-Identifier: Apache-2.0
"""Running a plan: binding the open slots of a trigger from what is there and what may come true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.binding_plans import BindingPlan, BindingStep
from fcp_ros.planning.relevance.facts import Bound, Elements, FactTable
from fcp_ros.planning.relevance.reach import Reach
from fcp_ros.planning.task.lifted import LiftedDomain, Trigger
from fcp_ros.planning.task.lifted_atoms import LiftedAtom, LiftedRelation

OPEN = -1
"""A slot that is not bound."""
FEW = 3
"""Types with at most this many elements are always tried completely (robots, mostly)."""
LINKS = 64
LISTED = 16
"""Number of values that a step tries initially: of a static link, of a changing condition."""


@dataclass(eq=False, slots=True)
class BindingRun:
    """One execution of a plan.

    Attributes:
        plan: the plan.
        purpose: the literal that it is for.
        limit: factor on the limits above; 0: no limits.
        listens: whether facts that come to be possible later are matched, too.
        demands: whether open changing conditions are demanded.
        context: facts to be read before all others, where one of them gives the value.
        truncated: whether a limit was met.
        by_links: whether the plan is one by links.
        crowded: whether there were more links than such a plan is made for.
    """

    plan: BindingPlan
    purpose: int
    limit: int = 0
    listens: bool = False
    demands: bool = False
    context: tuple[int, ...] | None = None
    truncated: bool = False
    by_links: bool = False
    crowded: bool = False


Listener = tuple[BindingRun, int, Elements]
"""A run, the step that it waits at, and its binding until there."""


class Matcher:
    """Binds slots.

    Args:
        lifted: the domain.
        facts: what is known of changing facts; the scene.
        reach: facts that can never hold.
        candidates: elements to try first.
        watch: checked all the time.
        demand: told of each open condition that a run demands.
    """

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
        count = len(steps)
        depth = self._check(run, depth, binding)
        if depth == count:
            yield tuple(binding)
        if not 0 <= depth < count:
            return
        self._watch.check()
        # The steps that are under way, with the values that each has left.
        stack = [(depth, iter(self._values(run, depth, binding)))]
        while stack:
            depth, values = stack[-1]
            step = steps[depth]
            for elements in values:
                if not self._bind(run, step, elements, binding):
                    continue
                following = depth + 1
                if following < count:
                    following = self._check(run, following, binding)
                if following == count:
                    yield tuple(binding)
                elif following >= 0:
                    self._watch.check()
                    stack.append((following, iter(self._values(run, following, binding))))
                    break
                for _, slot in step.opens:
                    binding[slot] = OPEN
            else:
                stack.pop()
                if stack:
                    for _, slot in steps[stack[-1][0]].opens:
                        binding[slot] = OPEN

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
            return self._elements(run, step, binding)
        bound = tuple([(position, binding[slot]) for position, slot in step.bound])
        if not step.relation.changes:
            found = self._facts.find_initial(step.relation, bound)
            if run.by_links and len(found) > LISTED:
                run.crowded = True
                return ()
            return found if step.determined else self._some(run, found, LINKS)
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
        return found if step.determined else self._some(run, found, LISTED)

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

    @staticmethod
    def _some(run: BindingRun, values: Iterable[Elements], limit: int) -> Iterable[Elements]:
        if run.limit == 0:
            return values
        return _truncating(run, values, limit * run.limit)

    def _elements(
        self, run: BindingRun, step: BindingStep, binding: list[int]
    ) -> Iterator[Elements]:
        """Elements of the slot's type: all, or where there are many and a limit, some."""
        slot = step.opens[0][1]
        type_ = run.plan.trigger.types[slot]
        instance = self._instance
        if run.limit == 0 or instance.count(type_) <= FEW:
            yield from map(_at_last, instance.elements(type_))
            return
        centres = [element for element in binding if element != OPEN]
        for fact in run.context or ():
            centres.extend(self._facts.elements[fact])

        def may_be(element: int) -> bool:
            return not self._confining or not self._out_of_reach(
                run, step, _with(binding, slot, element)
            )

        some = self._candidates.some(type_, run.limit, centres, bool(run.context), may_be)
        yield from map(_at_last, some)
        run.truncated |= some.left_out


def _with(binding: Sequence[int], slot: int, element: int) -> Sequence[int]:
    return [*binding[:slot], element, *binding[slot + 1 :]]


def _at_last(element: int) -> Elements:
    # The position of an element's slot is -1: the last of the tuple.
    return (element,)


def _truncating(run: BindingRun, values: Iterable[Elements], limit: int) -> Iterator[Elements]:
    for number, value in enumerate(values):
        if number == limit:
            run.truncated = True
            return
        yield value


ELEMENTS = 8
"""Number of elements that are tried initially."""
NEIGHBOURS = 64
"""Number of nearby elements that are looked at."""
MET = 2
"""Number of elements of each type that come first because operators mention them."""
NEARBY = 4
"""Number of nearby elements that come first."""


class ElementChoice:
    """Chooses elements.

    Args:
        lifted: the domain.
        facts: the scene.
    """

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._instance = facts.instance
        self._facts = facts
        self._below = lifted.below
        self._links = tuple(r for r in lifted.relations.values() if not r.changes)
        self._linked: dict[int, tuple[int, ...]] = {}
        self._near: dict[tuple[int, str], _Replay] = {}
        self._met: set[int] = set()
        self._touched: dict[str, list[int]] = {}

    def touch(self, elements: Iterable[int]) -> None:
        """Say that an operator speaks of the elements."""
        for element in elements:
            if element not in self._met:
                self._met.add(element)
                self._touched.setdefault(self._instance.type_of(element), []).append(element)

    def some(
        self,
        type_: str,
        limit: int,
        centres: Sequence[int],
        nearest_first: bool,
        may_be: Callable[[int], bool],
    ) -> _ElementSample:
        """A few elements of a type.

        Args:
            type_: the type.
            limit: factor on how many.
            centres: elements near which others are looked for.
            nearest_first: whether those come before all others.
            may_be: tells which elements are of any use.
        """
        below = self._below(type_)
        met = tuple(
            chain.from_iterable(
                islice(self._touched[own], limit * MET)
                for own in sorted(below & self._touched.keys())
            )
        )
        near = islice(self._nearby(centres, type_), limit * NEARBY)
        first = chain(near, met) if nearest_first else chain(met, near)
        elements = self._instance.elements
        kinds = [elements(own, subtypes=False) for own in sorted(below)]
        return _ElementSample(first, kinds, limit, self._instance.count(type_), may_be)

    def _nearby(self, centres: Iterable[int], type_: str) -> Iterator[int]:
        """Elements of a type that are one or two static links away from what is bound."""
        for centre in dict.fromkeys(centres):
            near = self._near.get((centre, type_))
            if near is None:
                near = self._near[centre, type_] = _Replay(self._find_near(centre, type_))
            yield from near

    def _find_near(self, centre: int, type_: str) -> Iterator[int]:
        below = self._below(type_)
        for middle in self._list_linked(centre):
            for end in chain((middle,), self._list_linked(middle)):
                if end != centre and self._instance.type_of(end) in below:
                    yield end

    def _list_linked(self, element: int) -> tuple[int, ...]:
        found = self._linked.get(element)
        if found is None:
            found = tuple(islice(self._find_linked(element), NEIGHBOURS))
            self._linked[element] = found
        return found

    def _find_linked(self, element: int) -> Iterator[int]:
        own = self._instance.type_of(element)
        for relation in self._links:
            for position, kinds in enumerate(relation.kinds):
                if own in kinds:
                    for elements in self._facts.find_initial(relation, ((position, element),)):
                        yield from (other for other in elements if other != element)


class _Replay:
    """An iterator that can be read again: each value is computed once, when it is first needed.

    Mostly few values are read; but where nothing near is of the type, all ends of thousands of
    links are looked at to find none, for each of thousands of bindings (agricola, IPC-2018).
    """

    def __init__(self, values: Iterator[int]) -> None:
        self._known: list[int] = []
        self._rest = values

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            # Another reader may have gone further meanwhile.
            while number < len(self._known):
                yield self._known[number]
                number += 1
            for value in self._rest:
                self._known.append(value)
                break
            else:
                return


class _ElementSample:
    """A few elements, each once.

    Args:
        first: elements that come first.
        kinds: all elements, by type; of each type some are taken.
        limit: factor on how many.
        count: how many there are in all.
        may_be: tells which elements are of any use.
    """

    def __init__(
        self,
        first: Iterable[int],
        kinds: Sequence[Sequence[int]],
        limit: int,
        count: int,
        may_be: Callable[[int], bool],
    ) -> None:
        self._first = first
        self._kinds = kinds
        self._limit = limit
        self._count = count
        self._may_be = may_be
        self._seen: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        each = (islice(filter(self._is_new, kind), self._limit) for kind in self._kinds)
        found = chain(filter(self._is_new, self._first), chain.from_iterable(each))
        return islice(found, ELEMENTS * self._limit)

    @property
    def left_out(self) -> bool:
        """True if some elements were not looked at."""
        return len(self._seen) < self._count

    def _is_new(self, element: int) -> bool:
        if element in self._seen:
            return False
        self._seen.add(element)
        return self._may_be(element)
