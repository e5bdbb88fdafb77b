# SPDX-License-Identifier: Apache-2.0
"""Trying to achieve a literal: which operators are made for it, and how many of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice

from fcp_ros.planning.relevance.binding import OPEN, BindingRun, Matcher
from fcp_ros.planning.relevance.binding_plans import BindingPlan, BindingPlanner, BindingStyle
from fcp_ros.planning.relevance.facts import Elements, FactTable
from fcp_ros.planning.relevance.open_literals import OpenLiterals, Reachability
from fcp_ros.planning.relevance.operators import OperatorGrounder
from fcp_ros.planning.relevance.overwriting import Overwriting, Overwritings
from fcp_ros.planning.task.lifted import LiftedDomain, Trigger

CHOSEN = 3
"""Values taken initially, of many that are equally good."""
CANDIDATES = 64
"""Values from which these are chosen."""

Emit = Callable[[Trigger, Elements, int], None]
"""Takes a trigger, its bound slots, and the literal that they achieve."""


class Attempts:
    """Binds rules that achieve literals."""

    def __init__(
        self,
        facts: FactTable,
        achievers: Achievers,
        matcher: Matcher,
        open_literals: OpenLiterals,
        reachability: Reachability,
        grounder: OperatorGrounder,
        emit: Emit,
    ) -> None:
        self._facts = facts
        self._achievers = achievers
        self._matcher = matcher
        self._open_literals = open_literals
        self._reachability = reachability
        self._grounder = grounder
        self._emit = emit

    def to(self, literal: int, style: BindingStyle, limit: int) -> None:
        """Make operators that achieve a literal."""
        for plan in self._achievers.to(literal, style):
            self._try(plan, literal, style, limit)

    def _try(
        self, plan: BindingPlan, literal: int, style: BindingStyle, limit: int, nearby: bool = False
    ) -> None:
        chooses = bool(limit) and (
            plan.loose if self._open_literals.is_own(literal) else self._free(plan, literal)
        )
        if style in (BindingStyle.NOW, BindingStyle.ALL) and not chooses:
            self._listen(plan, literal, limit, style is BindingStyle.ALL)
        else:
            contexts: Sequence[tuple[int, ...] | None] = (None,)
            if chooses and (style is BindingStyle.NOW or nearby):
                contexts = self._list_contexts(plan, literal)
            self._look(plan, literal, limit, chooses, contexts)
        if style is BindingStyle.NOW and plan.graded and not self._open_literals.is_own(literal):
            # The values that are there may serve badly: look farther away as well.
            self._try_far(plan.trigger, literal, limit)
        if style is BindingStyle.NOW and chooses and self._reachability.has_users(literal >> 1):
            # A thing that was used may be put back to its place, or next to it.
            self._try_far(plan.trigger, literal, limit, nearby=True)

    def _list_contexts(self, plan: BindingPlan, literal: int) -> Sequence[tuple[int, ...]]:
        """List the contexts of a literal that differ in what a plan reads.

        There is one for each operator with the fact, and many give the same bindings again (in
        folding, IPC-2023, 37 of 100). Elements are chosen near those of the whole context.
        """
        contexts = self._reachability.contexts(literal >> 1)
        few = self._matcher.few(plan.trigger.types)
        if any(step.relation is None and step.opens[0][1] not in few for step in plan.steps):
            return contexts
        read = {step.relation for step in plan.steps if step.opens}
        relation = self._facts.relation
        kept = (tuple([fact for fact in facts if relation[fact] in read]) for facts in contexts)
        return list(dict.fromkeys(kept))

    def _try_far(self, trigger: Trigger, literal: int, limit: int, nearby: bool = False) -> None:
        if self._achievers.is_idle(trigger, BindingStyle.FAR):
            return
        plan = self._achievers.of(trigger, BindingStyle.FAR, trigger.slots)
        self._try(plan, literal, BindingStyle.FAR, limit, nearby)

    def _look(
        self,
        plan: BindingPlan,
        literal: int,
        limit: int,
        chooses: bool,
        contexts: Sequence[tuple[int, ...] | None],
    ) -> None:
        """Emit the bindings by facts that hold."""
        for context in contexts:
            binding = self._start(plan, literal)
            if binding is None:
                return
            run = BindingRun(plan, literal, limit, context=context)
            found = self._matcher.bindings(run, binding)
            for elements in self._choose(run, found) if chooses else found:
                self._emit(plan.trigger, elements, literal)

    def _listen(self, plan: BindingPlan, literal: int, limit: int, demands: bool) -> None:
        """Emit the bindings by facts that hold, and by those that become possible later."""
        binding = self._start(plan, literal)
        if binding is None:
            return
        if plan.links is None or not self._by_links(plan.links, binding, literal):
            run = BindingRun(plan, literal, limit, True, demands)
            for elements in self._matcher.bindings(run, binding):
                self._emit(plan.trigger, elements, literal)

    def _start(self, plan: BindingPlan, literal: int) -> list[int] | None:
        return self._matcher.start_binding(plan.trigger, self._facts.elements[literal >> 1])

    @staticmethod
    def _free(plan: BindingPlan, literal: int) -> bool:
        return bool(literal & 1) and plan.chooses

    def _by_links(self, plan: BindingPlan, binding: list[int], literal: int) -> bool:
        """Bind along static links instead; return False if there are too many of them."""
        run = BindingRun(plan, literal, listens=True, by_links=True)
        for elements in self._matcher.bindings(run, list(binding)):
            self._emit(plan.trigger, elements, literal)
        return not run.crowded

    def _choose(self, run: BindingRun, found: Iterator[Elements]) -> Iterator[Elements]:
        """Yield a few bindings: unobstructed ones first, of many types."""
        trigger = run.plan.trigger
        candidates = list(islice(found, CANDIDATES))
        wanted = CHOSEN * run.limit
        type_of = self._facts.instance.type_of
        seen: dict[tuple[str, ...], int] = {}
        ranked = []
        for number, elements in enumerate(candidates):
            kinds = tuple([type_of(element) for element in elements])
            seen[kinds] = seen.get(kinds, -1) + 1
            arguments = elements[: len(trigger.rule.types)]
            obstructed = self._grounder.is_obstructed(trigger.rule, arguments)
            ranked.append((obstructed, seen[kinds], number))
        for _, _, number in sorted(ranked)[:wanted]:
            yield candidates[number]


_FARTHER = (BindingStyle.NEAR, BindingStyle.FAR)
"""Styles in which a rule that only undoes something achieves nothing."""


class Achievers:
    """Triggers with their plans; worked out once for each relation and types of elements."""

    def __init__(
        self,
        lifted: LiftedDomain,
        planner: BindingPlanner,
        facts: FactTable,
        matcher: Matcher,
        overwritings: Overwritings,
    ) -> None:
        self._overwritings = overwritings
        self._lifted = lifted
        self._planner = planner
        self._facts = facts
        self._matcher = matcher
        self._few: dict[Trigger, frozenset[int]] = {}
        self._found: dict[tuple[Hashable, ...], Sequence[BindingPlan]] = {}

    def to(self, literal: int, style: BindingStyle) -> Sequence[BindingPlan]:
        """Return the plans of all achievers of a literal in a style, its atom's slots bound."""
        relation, elements = self._facts.relation[literal >> 1], self._facts.elements[literal >> 1]
        types = tuple(map(self._facts.instance.type_of, elements))
        key = (literal & 1, relation.number, types, style)
        found = self._found.get(key)
        if found is None:
            triggers = self._lifted.deleters if literal & 1 else self._lifted.adders
            found = self._found[key] = [
                self.of(trigger, style, trigger.slots)
                for trigger in triggers.get(relation.name, ())
                if self._fits(trigger, types) and not self.is_idle(trigger, style)
            ]
        return found

    def is_idle(self, trigger: Trigger, style: BindingStyle) -> bool:
        """Return True if the trigger is of no use in a style: it only undoes what led there."""
        return style in _FARTHER and self._planner.only_undoes(trigger)

    def of(self, trigger: Trigger, style: BindingStyle, slots: Iterable[int]) -> BindingPlan:
        """Return the plan of a trigger with some slots bound."""
        bare = self._overwritings.triggers.get(trigger)
        if bare is not None:
            trigger, slots = bare, (*slots, self._overwritings.rules[trigger.rule.number].slot)
        few = self._few.get(trigger)
        if few is None:
            few = self._few[trigger] = self._matcher.few(trigger.types)
        return self._planner.plan(trigger, style, frozenset(slots), few)

    def _fits(self, trigger: Trigger, types: Sequence[str]) -> bool:
        below = self._lifted.below
        return all(
            type_ in below(trigger.types[slot])
            for slot, type_ in zip(trigger.slots, types, strict=True)
        )


Found = tuple[Trigger, Elements, int]
"""A trigger, its slots but for the old value, and the literal that it is for."""


class OldValues:
    """Binds the old values that rules overwrite."""

    def __init__(self, facts: FactTable, overwritings: Overwritings) -> None:
        self._facts = facts
        self._rules = overwritings.rules
        self._waiting: dict[tuple[int, int], list[Found]] = {}

    def complete(self, trigger: Trigger, elements: Elements, purpose: int) -> Elements | None:
        """Return the slots with the old value; None if none is known yet."""
        found = self._rules.get(trigger.rule.number)
        if found is None or elements[found.slot] != OPEN:
            return elements
        old = self._first(found, elements)
        if old is None:
            key = (found.relation.number, elements[found.moved])
            self._waiting.setdefault(key, []).append((trigger, elements, purpose))
            return None
        return (*elements[: found.slot], old, *elements[found.slot + 1 :])

    def release(self, fact: int) -> list[Found]:
        """Return the bindings that were waiting for a fact."""
        if not self._waiting:
            return []
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        late: list[Found] = []
        for key in relation.keys:
            late += self._waiting.pop((relation.number, elements[key]), ())
        return late

    def _first(self, found: Overwriting, elements: Elements) -> int | None:
        """Find the first old value that no other slot has; always the same one."""
        bound = ((found.key, elements[found.moved]),)
        other = 1 - found.key
        for there in self._facts.find_initial(found.relation, bound):
            if there[other] not in elements:
                return there[other]
        for fact in self._facts.find_new(found.relation, bound):
            if self._facts.elements[fact][other] not in elements:
                return self._facts.elements[fact][other]
        return None
