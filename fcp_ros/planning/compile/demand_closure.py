# SPDX-License-Identifier: Apache-2.0
"""The closure backwards from what is wanted: which operators are made, and what for.

Literals that matter are queued, first come first served. Looking at one makes operators that
achieve it: first those that take things as they are now, and only if none of these can ever be
applied others, step by step further away. What an operator needs matters in turn. Operators whose
conditions can all come true (if nothing that is reached were ever lost again) fire: what they
change is possible from then on, and what waits for it goes on.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from fcp_ros.planning.compile.demand_absence import Pattern
from fcp_ros.planning.compile.demand_breadth import Breadth
from fcp_ros.planning.compile.demand_facts import Bound, Elements, FactTable
from fcp_ros.planning.compile.demand_grounder import Constraints, Grounder
from fcp_ros.planning.compile.demand_match import OPEN, Matcher, Run
from fcp_ros.planning.compile.demand_node import Need, Node
from fcp_ros.planning.compile.demand_plans import Plan, Planner, Style
from fcp_ros.planning.compile.demand_shapes import DomainShapes, RelationShape, Trigger
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch

MAX_OPERATORS = 1_000_000
"""More operators than this are refused with MEMOUT."""
RINGS = 2
"""How often a wide closure goes one ring further than a narrow one."""
CHOSEN = 3
"""How many of many values that are as good as each other are taken at first."""
NOTED = 2
"""How many operators are remembered that make something true, or use it."""
CANDIDATES = 64
"""Among how many."""
FARTHEST = 4
"""The last level: the limits are multiplied by 4 from one level to the next."""
_DONE = 1000
_NO_PURPOSE = -1


class Closure:
    """Grows the set of operators until nothing that matters lacks a way to achieve it.

    Arguments:
        shapes: the domain.
        planner: its plans.
        facts: an empty table for the scene.
        breadth: how much is considered.
        watch: checked all the time.
    """

    def __init__(
        self,
        shapes: DomainShapes,
        planner: Planner,
        facts: FactTable,
        breadth: Breadth,
        watch: Watch,
    ) -> None:
        self.facts = facts
        self.grounder = Grounder(shapes, facts)
        self._shapes = shapes
        self._planner = planner
        self._full = breadth is Breadth.FULL
        self._breadth = breadth
        self._watch = watch
        self._matcher = Matcher(shapes, facts, watch, self._demand)
        self.constraints = Constraints(shapes, facts, self._matcher, planner)
        self._needs: dict[int, Need] = {}
        self._queue: list[tuple[int, int, Need]] = []
        self._queued = 0
        self._ready: deque[Node] = deque()
        self._stuck: list[Need] = []
        self._waiting: dict[int, list[Node]] = {}
        self._losers: dict[int, list[Node]] = {}  # fired operators that delete a fact
        self._unwanted: set[int] = set()  # what the goal or a constraint wants to be absent
        self._sources: dict[int, list[Node]] = {}  # operators that add a fact, the first ones
        self._users: dict[int, list[Node]] = {}  # operators that need a fact and keep it
        self._demanded: set[tuple[int, Bound]] = set()
        self._demands: deque[tuple[RelationShape, Bound]] = deque()
        self._resources: set[str] = set()
        self._few: dict[Trigger, frozenset[int]] = {}
        self._by_effects = _effect_triggers(shapes)
        self._affected: dict[int, list[int]] = {}  # facts that matter, by relation
        self._of_rule: dict[int, list[Node]] = {}

    def run(self, positive: Iterable[int], negative: Iterable[int]) -> None:
        """Grow from facts that should hold and facts that should not."""
        for fact in positive:
            self._need(2 * fact, None)
        for fact in negative:
            self._unwanted.add(fact)
            self._need(2 * fact + 1, None)
        self._settle()
        if self._breadth is Breadth.WIDE:
            for _ in range(RINGS):
                self._widen()
                self._settle()

    # --- the loop

    def _settle(self) -> None:
        grown = -1
        while True:
            self._watch.check()
            if self._ready:
                self._fire(self._ready.popleft())
            elif self._demands:
                self._demanded_pattern(*self._demands.popleft())
            elif self._queue:
                need = heapq.heappop(self._queue)[2]
                need.queued = False
                self._attend(need)
            elif self._stuck and grown != len(self.grounder.operators):
                # More may be possible by now than when they were looked at.
                grown = len(self.grounder.operators)
                for need in self._stuck:
                    need.level = 0
                    self._push(need)
                self._stuck.clear()
            else:
                return

    def _attend(self, need: Need) -> None:
        literal = need.literal
        if not self._active(literal):
            return
        if self._full:
            need.level = _DONE
            self._attempt(literal, Style.ALL, 0)
            return
        achieved = self._achieved(literal)
        if not self._pressing(need) and (need.level > 0 or not self.facts.possible(literal >> 1)):
            return
        if achieved and (need.level > 0 or (literal & 1 and literal >> 1 not in self._users)):
            return
        if need.level == 0:
            self._attempt(literal, Style.NOW, 1)
        elif need.level == 1:
            self._attempt(literal, Style.NEAR, 1)
        elif not self._attempt(literal, Style.FAR, 4 ** (need.level - 2)) or need.level == FARTHEST:
            need.level = _DONE
            self._stuck.append(need)
            return
        need.level += 1
        self._push(need)

    def _widen(self) -> None:
        """One ring more around everything that matters."""
        for need in list(self._needs.values()):
            if self._active(need.literal):
                self._watch.check()
                need.root = True
                for style in (Style.NOW, Style.NEAR, Style.FAR):
                    self._attempt(need.literal, style, 1)

    # --- needs

    def _need(self, literal: int, consumer: Node | None) -> None:
        need = self._needs.get(literal)
        if need is None:
            need = self._needs[literal] = Need(literal)
            if literal ^ 1 not in self._needs:
                self._matters(literal >> 1)
        if consumer is None:
            need.root = True
        else:
            need.consumers.append(consumer)
        self._push(need)

    def _push(self, need: Need) -> None:
        if not need.queued and need.level < _DONE and self._active(need.literal):
            need.queued = True
            self._queued += 1
            heapq.heappush(self._queue, (self._urgency(need), self._queued, need))

    def _urgency(self, need: Need) -> int:
        """Lower is earlier: things as they are, links, what is in the way later, things far away.

        What is in the way only because an operator made it so is mostly put right by what is made
        anyway.
        """
        own = self._is_own(need.literal)
        return 2 * need.level + 4 * (need.level > 1) + (3 if own else 0)

    def _is_own(self, literal: int) -> bool:
        """Whether what should not hold is there only because an operator brings it about."""
        return bool(literal & 1) and not self.facts.initial[literal >> 1]

    def _changed(self, literal: int) -> None:
        """A literal that held at first, or never, may become the opposite."""
        need = self._needs.get(literal)
        if need is not None:
            self._push(need)

    def _active(self, literal: int) -> bool:
        """Whether the literal may be false, so that it must be achieved."""
        fact, facts = literal >> 1, self.facts
        if literal & 1:
            return facts.initial[fact] or facts.gained[fact]
        return not facts.initial[fact] or facts.lost[fact]

    def _pressing(self, need: Need) -> bool:
        """Whether it matters for more than moves that lead where others lead already."""
        return need.root or any(
            not self._achieved(purpose)
            for consumer in need.consumers
            for purpose in consumer.purposes
        )

    def _achieved(self, literal: int) -> bool:
        """Whether some operator that may become applicable achieves it, and for good."""
        fact = literal >> 1
        if literal & 1:
            return not all(map(self._puts_back, self._losers.get(fact, ())))
        return self.facts.gained[fact]

    # --- ways to achieve a literal

    def _attempt(self, literal: int, style: Style, limit: int) -> bool:
        """Make operators that achieve a literal; whether there may be more."""
        fact = literal >> 1
        relation = self.facts.relation[fact].name
        ways = self._shapes.deleters if literal & 1 else self._shapes.adders
        truncated = False
        for trigger in ways.get(relation, ()):
            truncated |= self._try(trigger, literal, style, limit)
        return truncated

    def _try(
        self, trigger: Trigger, literal: int, style: Style, limit: int, nearby: bool = False
    ) -> bool:
        if style in (Style.NEAR, Style.FAR) and self._planner.only_undoes(trigger):
            return False
        fact = literal >> 1
        bound = list(zip(trigger.slots, self.facts.elements[fact], strict=True))
        plan = self._planner.plan(trigger, style, frozenset(trigger.slots), self._few_of(trigger))
        chooses = bool(limit) and (
            plan.loose if self._is_own(literal) else self._free(plan, literal)
        )
        contexts: Sequence[tuple[int, ...] | None] = (None,)
        if chooses and (style is Style.NOW or nearby):
            contexts = self._contexts(fact)
        truncated = False
        for context in contexts:
            binding = [OPEN] * len(trigger.types)
            if not self._matcher.fits(plan, binding, bound):
                return False
            listens = style in (Style.NOW, Style.ALL) and not chooses
            if listens and plan.links is not None and self._by_links(plan.links, binding, literal):
                continue
            run = Run(plan, literal, limit, listens, style is Style.ALL, context)
            found = self._matcher.bindings(run, binding)
            if chooses:
                found = self._chosen(run, found)
            for elements in found:
                self._emit(trigger, elements, literal)
            truncated |= run.truncated
        if style is Style.NOW and plan.graded and not self._is_own(literal):
            # What is there may do the job badly.
            truncated |= self._try(trigger, literal, Style.FAR, limit)
        if style is Style.NOW and chooses and fact in self._users:
            # What was of use may be laid down where that was, or next to it.
            truncated |= self._try(trigger, literal, Style.FAR, limit, nearby=True)
        return truncated

    @staticmethod
    def _free(plan: Plan, literal: int) -> bool:
        """Whether it does not matter how what is in the way goes away."""
        return bool(literal & 1) and plan.chooses

    def _by_links(self, plan: Plan, binding: list[int], literal: int) -> bool:
        """Try the other way to the same; False where there are too many links."""
        run = Run(plan, literal, listens=True, by_links=True)
        for elements in self._matcher.bindings(run, list(binding)):
            self._emit(plan.trigger, elements, literal)
        return not run.crowded

    def _contexts(self, fact: int) -> list[tuple[int, ...]]:
        """What is known to hold when the fact has just come to hold, or has just been of use."""
        found: list[tuple[int, ...]] = [()] if self.facts.initial[fact] else []
        for node in (*self._sources.get(fact, ()), *self._users.get(fact, ())):
            parent = node.parent or node
            kept = tuple(f for f in parent.pre if f not in parent.delete)
            found.append((*parent.add, *kept))
        return found

    def _chosen(self, run: Run, found: Iterator[Elements]) -> Iterator[Elements]:
        """A few of them: nothing in the way, of many types, in order."""
        trigger = run.plan.trigger
        candidates = list(islice(found, CANDIDATES))
        wanted = CHOSEN * run.limit
        if len(candidates) > wanted:
            run.truncated = True
        type_of = self.facts.instance.type_of
        seen: dict[tuple[str, ...], int] = {}
        ranked = []
        for number, elements in enumerate(candidates):
            kinds = tuple([type_of(element) for element in elements])
            seen[kinds] = seen.get(kinds, -1) + 1
            arguments = elements[: len(trigger.shape.types)]
            obstructed = self.grounder.obstructed(trigger.shape, arguments)
            ranked.append((obstructed, seen[kinds], number))
        for _, _, number in sorted(ranked)[:wanted]:
            yield candidates[number]

    def _few_of(self, trigger: Trigger) -> frozenset[int]:
        found = self._few.get(trigger)
        if found is None:
            found = self._few[trigger] = self._matcher.few(trigger.types)
        return found

    # --- open demands (full breadth)

    def _demand(self, relation: RelationShape, bound: Bound) -> None:
        key = (relation.number, bound)
        if key not in self._demanded:
            self._demanded.add(key)
            self._demands.append((relation, bound))

    def _demanded_pattern(self, relation: RelationShape, bound: Bound) -> None:
        for trigger in self._shapes.adders.get(relation.name, ()):
            given = [(trigger.slots[position], element) for position, element in bound]
            self._everything(trigger, given)

    def _everything(self, trigger: Trigger, given: Sequence[tuple[int, int]]) -> None:
        slots = frozenset(slot for slot, _ in given)
        plan = self._planner.plan(trigger, Style.ALL, slots, self._few_of(trigger))
        binding = [OPEN] * len(trigger.types)
        if self._matcher.fits(plan, binding, given):
            run = Run(plan, _NO_PURPOSE, listens=True, demands=True)
            for elements in self._matcher.bindings(run, binding):
                self._emit(trigger, elements, _NO_PURPOSE)

    # --- operators

    def _emit(self, trigger: Trigger, elements: Elements, purpose: int) -> None:
        size = len(trigger.shape.types)
        node, new = self.grounder.operator(trigger.shape, elements[:size])
        if node is None:
            return
        self._serve(node, purpose)
        if new:
            self._admit(node)
        if trigger.effect >= 0:
            self._add_effect(node, trigger.effect, elements[size:], purpose)

    def _serve(self, node: Node, purpose: int) -> None:
        """The operator has one more purpose: what it needs may matter again."""
        if purpose == _NO_PURPOSE or purpose in node.purposes:
            return
        node.purposes.append(purpose)
        for fact in node.pre:
            self._changed(2 * fact)

    def _admit(self, node: Node) -> None:
        if len(self.grounder.operators) > MAX_OPERATORS:
            raise Interrupted(
                PlanStatus.MEMOUT,
                f"The goal allows more than {MAX_OPERATORS} different actions: "
                "ask for less, or plan on a smaller part of the scene.",
            )
        self._matcher.touch(node.arguments)
        self._ask(node)
        if node.shape.effects:
            self._of_rule.setdefault(node.shape.number, []).append(node)
            self._find_effects(node)
        assert node.shape.rule is not None
        for resource in node.shape.rule.uses:
            if resource in self._shapes.gains and resource not in self._resources:
                self._resources.add(resource)
                self._refill(resource)

    def _ask(self, node: Node) -> None:
        """Everything that the node needs matters; it waits for what can't be true yet."""
        facts = self.facts
        chains = node.shape.chains
        for fact in node.pre:
            chain = node.parent is None and facts.relation[fact].name in chains
            self._need(2 * fact, node if chain else None)
            if node.parent is not None:
                self._need(2 * fact + 1, None)
            if not facts.initial[fact] and fact not in node.delete:
                _note(self._users, fact, node)
            if not facts.possible(fact):
                node.missing += 1
                self._waiting.setdefault(2 * fact, []).append(node)
        for pattern, unless in node.absent:
            self._activate(pattern)
            for fact in node.waits_for(pattern, unless, facts.initial):
                if not facts.lost[fact]:
                    node.missing += 1
                    self._waiting.setdefault(2 * fact + 1, []).append(node)
        for fact, pattern in node.guarded:
            if self._full:
                self._need(2 * fact, None)
            self._activate(pattern)
        if node.missing == 0 and (node.parent is None or node.parent.fired):
            self._ready.append(node)

    def _activate(self, pattern: Pattern) -> None:
        if not pattern.active:
            pattern.active = True
            for fact in tuple(pattern.facts):
                self._need(2 * fact + 1, None)

    def _refill(self, resource: str) -> None:
        """What is used and can be gained: everything that gains it (and uses it) belongs to it."""
        if self._full:
            for trigger in (*self._shapes.gains[resource], *self._shapes.spends[resource]):
                self._everything(trigger, ())
            return
        for trigger in self._shapes.gains[resource]:
            plan = self._planner.plan(trigger, Style.FAR, frozenset(), self._few_of(trigger))
            run = Run(plan, _NO_PURPOSE, 1)
            binding = [OPEN] * len(trigger.types)
            for elements in self._matcher.bindings(run, binding):
                self._emit(trigger, elements, _NO_PURPOSE)

    # --- what becomes possible

    def _fire(self, node: Node) -> None:
        node.fired = True
        for fact in node.add:
            _note(self._sources, fact, node)
            if not self.facts.gained[fact]:
                self._gain(fact)
        for fact in node.delete:
            self._losers.setdefault(fact, []).append(node)
            if not self.facts.lost[fact]:
                self.facts.lost[fact] = True
                self._go_on(2 * fact + 1)
                self._changed(2 * fact)
        for effect in node.effects:
            if effect.missing == 0 and not effect.fired:
                self._ready.append(effect)

    def _puts_back(self, node: Node) -> bool:
        """Whether it restores something that is in the way at first."""
        return any(
            self.facts.initial[fact]
            and (
                fact in self._unwanted
                or any(pattern.hard for pattern in self.grounder.patterns.matching(fact))
            )
            for fact in node.add
        )

    def _gain(self, fact: int) -> None:
        facts = self.facts
        before = facts.possible(fact)
        facts.gain(fact)
        if not before:
            self._go_on(2 * fact)
            for pattern in self.grounder.patterns.matching(fact):
                pattern.facts.append(fact)
                if pattern.active:
                    self._need(2 * fact + 1, None)
            self._changed(2 * fact + 1)
            for run, found in self._matcher.resumed(fact):
                for elements in found:
                    self._emit(run.plan.trigger, elements, run.purpose)
        for match in self.constraints.completed(fact):
            self._guard(match)
        for match in self.constraints.matches.get(fact, ()):
            self._guard(match)

    def _guard(self, match: tuple[int, ...]) -> None:
        """What completes a constraint's pattern must find part of it absent."""
        for fact in match:
            if self.facts.gained[fact]:
                if self._full:
                    self._need(2 * fact, None)
                for other in match:
                    if other != fact:
                        self._unwanted.add(other)
                        self._need(2 * other + 1, None)

    def _go_on(self, literal: int) -> None:
        for node in self._waiting.pop(literal, ()):
            node.missing -= 1
            if node.missing == 0 and (node.parent is None or node.parent.fired):
                self._ready.append(node)

    # --- conditional effects

    def _matters(self, fact: int) -> None:
        """Effects of operators that touch the fact matter from now on."""
        relation = self.facts.relation[fact]
        triggers = self._by_effects.get(relation.name, ())
        if triggers:
            self._affected.setdefault(relation.number, []).append(fact)
            for trigger in triggers:
                for node in tuple(self._of_rule.get(trigger.shape.number, ())):
                    self._touch(trigger, node, fact)

    def _find_effects(self, node: Node) -> None:
        for name, triggers in self._by_effects.items():
            relation = self._shapes.relations[name].number
            for trigger in triggers:
                if trigger.shape is node.shape:
                    for fact in tuple(self._affected.get(relation, ())):
                        self._touch(trigger, node, fact)

    def _touch(self, trigger: Trigger, node: Node, fact: int) -> None:
        size = len(node.arguments)
        binding = [*node.arguments, *([OPEN] * (len(trigger.types) - size))]
        slots = frozenset((*range(size), *trigger.slots))
        plan = self._planner.plan(trigger, Style.ALL, slots, frozenset())
        pairs = zip(trigger.slots, self.facts.elements[fact], strict=True)
        if self._matcher.fits(plan, binding, pairs):
            run = Run(plan, _NO_PURPOSE, listens=True)
            for elements in self._matcher.bindings(run, binding):
                self._emit(trigger, elements, _NO_PURPOSE)

    def _add_effect(self, node: Node, number: int, variables: Elements, purpose: int) -> None:
        effect, new = self.grounder.effect(node, number, variables)
        if effect is None:
            return
        if purpose != _NO_PURPOSE and purpose not in effect.purposes:
            effect.purposes.append(purpose)
        if new:
            self._ask(effect)
            # Where the effect does harm, its conditions should not hold.
            for pattern, _ in effect.absent:
                self._need_any(pattern)

    def _need_any(self, pattern: Pattern) -> None:
        """That some fact of the pattern holds matters."""
        relation, bound = pattern.relation, pattern.bound
        if len(bound) == len(relation.legs):
            self._need(2 * self.facts.number(relation, tuple([e for _, e in bound])), None)
        elif self._full:
            self._demand(relation, bound)
        for fact in tuple(pattern.facts):
            self._need(2 * fact, None)


def _note(nodes: dict[int, list[Node]], fact: int, node: Node) -> None:
    noted = nodes.setdefault(fact, [])
    if len(noted) < NOTED:
        noted.append(node)


def _effect_triggers(shapes: DomainShapes) -> dict[str, list[Trigger]]:
    found: dict[str, list[Trigger]] = {}
    for ways in (shapes.adders, shapes.deleters):
        for relation, triggers in ways.items():
            for trigger in triggers:
                if trigger.effect >= 0:
                    found.setdefault(relation, []).append(trigger)
    return found
