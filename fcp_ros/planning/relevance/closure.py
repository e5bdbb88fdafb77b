# SPDX-License-Identifier: Apache-2.0
"""The closure backwards from the wanted facts: it decides which operators are made.

Literals that matter are queued by level, within a level first come first served. Looking at one
makes operators that achieve it: first those that take things as they are now, and only if none of
these can ever be applied others, step by step farther away. The conditions of an operator matter in
turn. Operators whose conditions can all come true (if nothing that is reached is ever lost again)
fire: their changes are possible from then on, and bindings that wait for them go on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import combinations

from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.achievers import Achievers, Attempts, OldValues
from fcp_ros.planning.relevance.binding import OPEN, BindingRun, Matcher
from fcp_ros.planning.relevance.binding_plans import BindingPlan, BindingPlanner, BindingStyle
from fcp_ros.planning.relevance.element_choice import ElementChoice, Reach
from fcp_ros.planning.relevance.facts import AbsencePattern, Bound, Elements, FactTable
from fcp_ros.planning.relevance.open_literals import DONE, OpenLiteral, OpenLiterals, Reachability
from fcp_ros.planning.relevance.operators import ConstraintMatches, OperatorGrounder, OperatorNode
from fcp_ros.planning.relevance.overwriting import Overwritings
from fcp_ros.planning.task.invariants import Invariants
from fcp_ros.planning.task.lifted import LiftedDomain, LiftedRelation, Trigger

MAX_OPERATORS = 1_000_000
"""More operators than this are refused with MEMOUT."""
LEVELS = (BindingStyle.NOW, BindingStyle.NEAR, BindingStyle.FAR)
"""The ways to achieve a literal, one after the other until one does."""
_NO_PURPOSE = -1
_FORBIDS = -2


class TooManyOperators(Interrupted):
    """The goal allows more operators than were asked for."""


class Breadth(Enum):
    """The second contains the first."""

    # things are taken from where they are; of equally good places a few are tried. Whatever is
    # reachable when nothing is ever lost stays so.
    NARROW = "narrow"
    FULL = "full"  # everything that can matter. What is unsolvable here is unsolvable.


class Closure:
    """Grows the set of operators until nothing that matters lacks a way to achieve it."""

    def __init__(
        self,
        lifted: LiftedDomain,
        planner: BindingPlanner,
        facts: FactTable,
        invariants: Invariants,
        overwritings: Overwritings,
        breadth: Breadth,
        watch: Watch,
        most: int = MAX_OPERATORS,
        absent: Iterable[AbsentExecutor] = (),
    ) -> None:
        self._most = most
        self._lifted = lifted
        self._planner = planner
        self._facts = facts
        self._full = breadth is Breadth.FULL
        self._watch = watch
        reach = Reach(lifted, facts)
        self.grounder = OperatorGrounder(lifted, facts, reach, invariants, absent)
        self._candidates = ElementChoice(lifted, facts)
        self._matcher = Matcher(lifted, facts, reach, self._candidates, watch, self._demand)
        self.constraints = ConstraintMatches(lifted, facts, self._matcher, planner)
        self._achievers = Achievers(lifted, planner, facts, self._matcher, overwritings)
        self._old = OldValues(facts, overwritings)
        self._open_literals = OpenLiterals(facts, self.grounder.patterns)
        self._reachability = Reachability(
            facts, self.grounder.patterns, self._open_literals, self._full
        )
        self._effects = EffectIndex(lifted, facts)
        self._attempts = Attempts(
            facts,
            self._achievers,
            self._matcher,
            self._open_literals,
            self._reachability,
            self.grounder,
            self._emit,
        )
        self._stuck: list[OpenLiteral] = []
        self._demanded: set[tuple[int, Bound]] = set()
        self._demands: deque[tuple[LiftedRelation, Bound]] = deque()
        self._touches: deque[Touch] = deque()
        self._touching: dict[tuple[Trigger, tuple[int, ...]], BindingPlan] = {}
        self._helpful: set[OperatorNode] = set()  # effects that change something that matters
        self._resources: set[str] = set()

    def run(self, positive: Iterable[int], negative: Iterable[int]) -> None:
        """Grow from facts that should hold and facts that should not."""
        self._derive()
        for fact in positive:
            self._open_literals.need(2 * fact)
        for fact in negative:
            self._open_literals.unwanted.add(fact)
            self._open_literals.need(2 * fact + 1)
        self._settle()

    def _derive(self) -> None:
        """Make the rules of derived relations: what they add is added by itself, always.

        Their effects are grounded for the facts that matter, all of them at any breadth: a fact
        whose derivation was left out would be thought false where it holds.
        """
        elements = self._facts.instance.elements
        for rule in self._lifted.rules:
            if rule.derives:
                nodes, _ = self.grounder.ground(rule, tuple([elements(t)[0] for t in rule.types]))
                for node in nodes:
                    self._admit(node)

    # --- the loop

    def _settle(self) -> None:
        """Process everything that waits, the cheapest kind first."""
        grown = -1
        while True:
            self._watch.check()
            node = self._reachability.pop()
            if node is not None:
                self._fire(node)
            elif self._open_literals.fresh:
                self._touches.extend(self._effects.of_fact(self._open_literals.fresh.popleft()))
            elif self._open_literals.fresh_patterns:
                pattern = self._open_literals.fresh_patterns.popleft()
                self._touches.extend(self._effects.of_pattern(pattern))
            elif self._touches:
                self._touch(*self._touches.popleft())
            elif self._demands:
                self._follow_demand(*self._demands.popleft())
            elif (need := self._open_literals.pop()) is not None:
                self._attend(need)
            elif self._stuck and grown != len(self.grounder.operators):
                # More may be possible by now than when they were looked at.
                grown = len(self.grounder.operators)
                for need in self._stuck:
                    need.level = 0
                    self._open_literals.push(need)
                self._stuck.clear()
            else:
                return

    def _fire(self, node: OperatorNode) -> None:
        for fact, new in self._reachability.fire(node):
            if new:
                for run, found in self._matcher.resume(fact):
                    for elements in found:
                        self._emit(run.plan.trigger, elements, run.purpose)
                for late in self._old.release(fact):
                    self._emit(*late)
            for match in self.constraints.find_matches(fact):
                self._open_literals.guard(match, self._full)

    def _attend(self, need: OpenLiteral) -> None:
        """Go one level further to achieve a literal, if it is not achieved."""
        literal, open_literals = need.literal, self._open_literals
        if need.level >= DONE or not open_literals.active(literal):
            return
        if self._full:
            need.level = DONE
            self._attempts.to(literal, BindingStyle.ALL, 0)
            return
        fact = literal >> 1
        tried = need.level > 0 or not self._facts.is_possible(fact)
        if tried and not open_literals.pressing(need):
            return
        if open_literals.is_achieved(literal) and (
            need.level > 0 or (literal & 1 and not self._reachability.has_users(fact))
        ):
            return
        self._attempts.to(literal, LEVELS[need.level], 1)
        need.level += 1
        if need.level < len(LEVELS):
            open_literals.push(need)
        else:
            need.level = DONE
            self._stuck.append(need)

    # --- open demands (full breadth)

    def _demand(self, relation: LiftedRelation, bound: Bound) -> None:
        """Demand all ways to facts with bound elements, unless a wider demand contains them.

        In tetris, half of the time of compiling went into demands within others.
        """
        number, demanded = relation.number, self._demanded
        if (number, bound) in demanded:
            return
        within = any(
            (number, part) in demanded
            for size in range(len(bound))
            for part in combinations(bound, size)
        )
        demanded.add((number, bound))
        if not within:
            self._demands.append((relation, bound))

    def _follow_demand(self, relation: LiftedRelation, bound: Bound) -> None:
        for trigger in self._lifted.adders.get(relation.name, ()):
            given = [(trigger.slots[position], element) for position, element in bound]
            self._everything(trigger, given)

    def _everything(self, trigger: Trigger, given: Sequence[tuple[int, int]]) -> None:
        plan = self._achievers.of(trigger, BindingStyle.ALL, [slot for slot, _ in given])
        binding = [OPEN] * len(trigger.types)
        if self._matcher.fits(plan, binding, given):
            run = BindingRun(plan, _NO_PURPOSE, listens=True, demands=True)
            for elements in self._matcher.bindings(run, binding):
                self._emit(trigger, elements, _NO_PURPOSE)

    # --- operators

    def _emit(self, trigger: Trigger, elements: Elements, purpose: int) -> None:
        size = len(trigger.rule.types)
        arguments = self._old.complete(trigger, elements, purpose)
        if arguments is None:
            return
        nodes, new = self.grounder.ground(trigger.rule, arguments[:size])
        for node in nodes:
            self._serve(node, purpose)
            if new:
                self._admit(node)
            if trigger.effect >= 0:
                self._add_effect(node, trigger.effect, elements[size:], purpose)

    def _serve(self, node: OperatorNode, purpose: int) -> None:
        """Add a purpose to an operator: its needs may matter again."""
        if purpose < 0 or purpose in node.purposes:
            return
        node.purposes.append(purpose)
        chains = node.rule.chains
        if chains:  # other needs matter in any case (see `Reachability.ask`)
            for fact in node.pre:
                if self._facts.relation[fact].name in chains:
                    self._open_literals.reconsider(2 * fact)

    def _admit(self, node: OperatorNode) -> None:
        if len(self.grounder.operators) > self._most:
            raise TooManyOperators(
                PlanStatus.MEMOUT,
                f"The goal allows more than {self._most} different actions: "
                "ask for less, or plan with fewer things.",
            )
        self._candidates.touch(node.arguments)
        self._reachability.ask(node)
        if node.rule.effects:
            self._touches.extend(self._effects.of_node(node))
        assert node.rule.action is not None
        for resource in node.rule.action.uses:
            if resource in self._lifted.gains and resource not in self._resources:
                self._resources.add(resource)
                self._refill(resource)

    def _refill(self, resource: str) -> None:
        """Make everything that gains a resource in use; at full breadth also its other users."""
        if self._full:
            for trigger in (*self._lifted.gains[resource], *self._lifted.spends[resource]):
                self._everything(trigger, ())
            return
        for trigger in self._lifted.gains[resource]:
            plan = self._achievers.of(trigger, BindingStyle.FAR, ())
            run = BindingRun(plan, _NO_PURPOSE, 1)
            binding = [OPEN] * len(trigger.types)
            for elements in self._matcher.bindings(run, binding):
                self._emit(trigger, elements, _NO_PURPOSE)

    # --- conditional effects

    def _touch(self, trigger: Trigger, node: OperatorNode, bound: Bound, purpose: int) -> None:
        """Ground what an effect may do to the facts with bound elements in some legs."""
        size = len(node.arguments)
        binding = [*node.arguments, *([OPEN] * (len(trigger.types) - size))]
        given = [(trigger.slots[position], element) for position, element in bound]
        slots = tuple([slot for slot, _ in given])
        plan = self._touching.get((trigger, slots))
        if plan is None:
            every = frozenset([*range(size), *slots])
            plan = self._planner.plan(trigger, BindingStyle.ALL, every, frozenset())
            self._touching[trigger, slots] = plan
        if self._matcher.fits(plan, binding, given):
            if not plan.steps:
                self._emit(trigger, tuple(binding), purpose)
                return
            run = BindingRun(plan, purpose, listens=True)
            for found in self._matcher.bindings(run, binding):
                self._emit(trigger, found, run.purpose)

    def _add_effect(
        self, node: OperatorNode, number: int, variables: Elements, purpose: int
    ) -> None:
        effects, new = self.grounder.ground_effect(node, number, variables)
        for effect in effects:
            self._admit_effect(effect, purpose, new)

    def _admit_effect(self, effect: OperatorNode, purpose: int, new: bool) -> None:
        if purpose >= 0 and purpose not in effect.purposes:
            effect.purposes.append(purpose)
        if new:
            self._reachability.ask(effect)
            # Where the effect does harm, or forbids the operator, it should not happen.
            for fact in effect.pre:
                self._open_literals.need(2 * fact + 1)
            for pattern, _ in effect.absent:
                self._need_any(pattern)
        if purpose != _FORBIDS and effect not in self._helpful:
            self._helpful.add(effect)
            for fact in effect.pre:
                self._open_literals.need(2 * fact)
            for pattern, _ in effect.absent:
                self._open_literals.need_absent(pattern)

    def _need_any(self, pattern: AbsencePattern) -> None:
        relation, bound = pattern.relation, pattern.bound
        if len(bound) == len(relation.legs):
            self._open_literals.need(2 * self._facts.number(relation, tuple([e for _, e in bound])))
        elif self._full:
            self._demand(relation, bound)
        for fact in tuple(pattern.facts):
            self._open_literals.need(2 * fact)


_ANY = -1

Touch = tuple[Trigger, OperatorNode, Bound, int]
"""Something that an effect of the operator may do to facts with some bound elements, and the
purpose: none, or to find out when the effect forbids its operator."""


class EffectIndex:
    """Operators with effects, and what matters, each found by an element that they share.

    Facts matter, and so do patterns that nothing may match: an effect may add what is met nowhere
    else.
    """

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._facts = facts
        self._of_relation: dict[int, list[Trigger]] = {}
        self._of_rule: dict[int, list[tuple[int, Trigger]]] = {}
        self._adding: dict[int, list[Trigger]] = {}
        self._forbidding: dict[int, list[Trigger]] = {}
        self._nodes: dict[tuple[int, int, int], list[OperatorNode]] = {}
        self._mattering: dict[tuple[int, int, int], list[Bound]] = {}
        self._mattering_facts: set[tuple[int, Elements]] = set()
        for achievers in (lifted.adders, lifted.deleters):
            for name, triggers in achievers.items():
                relation = lifted.relations[name].number
                for trigger in triggers:
                    if trigger.effect >= 0:
                        self._of_relation.setdefault(relation, []).append(trigger)
                        rule = trigger.rule.number
                        self._of_rule.setdefault(rule, []).append((relation, trigger))
        for name, triggers in lifted.adders.items():
            adding = [trigger for trigger in triggers if trigger.effect >= 0]
            self._adding[lifted.relations[name].number] = adding
            if lifted.relations[name].keys or name in lifted.constraints:
                for trigger in adding:
                    if trigger.rule.derives:
                        continue  # no other fact shares a leg with a derived one
                    self._forbidding.setdefault(trigger.rule.number, []).append(trigger)

    def of_fact(self, fact: int) -> Iterator[Touch]:
        """Yield what operators so far may do to a fact that matters from now on."""
        relation, elements = self._facts.relation[fact].number, self._facts.elements[fact]
        self._mattering_facts.add((relation, elements))
        bound = tuple(enumerate(elements))
        return self._of_bound(relation, bound, self._of_relation.get(relation, ()))

    def of_pattern(self, pattern: AbsencePattern) -> Iterator[Touch]:
        """Yield the additions of operators so far to a pattern that matters from now on."""
        relation = pattern.relation.number
        return self._of_bound(relation, pattern.bound, self._adding.get(relation, ()))

    def _of_bound(
        self, relation: int, bound: Bound, triggers: Sequence[Trigger]
    ) -> Iterator[Touch]:
        if not triggers:
            return
        element_at = dict(bound)
        positions = range(len(triggers[0].slots))
        for position in (_ANY, *positions):
            key = (relation, position, element_at.get(position, _ANY))
            self._mattering.setdefault(key, []).append(bound)
        for trigger in triggers:
            position, slot = _find_shared(trigger)
            if position not in element_at:
                position = slot = _ANY
            element = element_at.get(position, _ANY)
            known = _list_known(trigger, bound)
            for node in tuple(self._nodes.get((trigger.rule.number, slot, element), ())):
                if _agree(node, known):
                    yield trigger, node, bound, _NO_PURPOSE

    def of_node(self, node: OperatorNode) -> Iterator[Touch]:
        """Yield what a new operator may do to what matters so far."""
        rule = node.rule.number
        triggers = self._of_rule.get(rule)
        if not triggers:
            return
        for slot, element in ((_ANY, _ANY), *enumerate(node.arguments)):
            self._nodes.setdefault((rule, slot, element), []).append(node)
        for trigger in self._forbidding.get(rule, ()):
            yield trigger, node, (), _FORBIDS
        for relation, trigger in triggers:
            if max(trigger.slots, default=_ANY) < len(node.arguments):
                # The operator determines the fact: no other one needs a look.
                changed = tuple([node.arguments[slot] for slot in trigger.slots])
                if (relation, changed) in self._mattering_facts:
                    yield trigger, node, tuple(enumerate(changed)), _NO_PURPOSE
                    continue
            position, slot = _find_shared(trigger)
            elements = {_ANY} if position == _ANY else {_ANY, node.arguments[slot]}
            for element in sorted(elements):
                for bound in tuple(self._mattering.get((relation, position, element), ())):
                    if _agree(node, _list_known(trigger, bound)):
                        yield trigger, node, bound, _NO_PURPOSE


def _list_known(trigger: Trigger, bound: Bound) -> list[tuple[int, int]]:
    """List the parameters of the rule that a fact with bound elements determines."""
    size = len(trigger.rule.types)
    slots = trigger.slots
    return [(slots[position], element) for position, element in bound if slots[position] < size]


def _agree(node: OperatorNode, known: Sequence[tuple[int, int]]) -> bool:
    arguments = node.arguments
    for slot, element in known:  # noqa: SIM110 (a generator takes twice the time)
        if arguments[slot] != element:
            return False
    return True


def _find_shared(trigger: Trigger) -> tuple[int, int]:
    """Find a leg of the effect's atom that a parameter of the rule binds, and that parameter."""
    size = len(trigger.rule.types)
    for position, slot in enumerate(trigger.slots):
        if slot < size:
            return position, slot
    return _ANY, _ANY
