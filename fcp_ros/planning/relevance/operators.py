# SPDX-License-Identifier: Apache-2.0
"""Rules with all parameters bound -> operators, effects and constraint patterns over numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.planning.mutexes.links import LinkCheck
from fcp_ros.planning.relevance.binding import OPEN, Matcher, Run
from fcp_ros.planning.relevance.binding_plans import Planner, Style
from fcp_ros.planning.relevance.facts import Elements, FactTable, Pattern, Patterns
from fcp_ros.planning.relevance.reach import Reach
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedBody, LiftedDomain, LiftedRule

Match = tuple[int, ...]
"""The changing facts of one match of a constraint's pattern, sorted."""


class Grounder:
    """Makes operators, each once.

    Args:
        lifted: the domain.
        facts: the facts.
        reach: facts that can never hold.
        checks: by the number of a rule, what is linked where it can be applied.

    Attributes:
        operators: all that were made, in order; some may turn out never to be applicable.
    """

    def __init__(
        self,
        lifted: LiftedDomain,
        facts: FactTable,
        reach: Reach,
        checks: Mapping[int, Sequence[LinkCheck]],
    ) -> None:
        self.operators: list[Node] = []
        self._checks = checks
        self._reach = reach
        self._confined = {rule.number: reach.of(rule.body.fluent) for rule in lifted.rules}
        self.patterns = Patterns(facts)
        self._lifted = lifted
        self._facts = facts
        self._made: dict[tuple[int, Elements], Node | None] = {}
        self._effects: dict[tuple[int, Elements, int, Elements], Node | None] = {}

    def operator(self, rule: LiftedRule, arguments: Elements) -> tuple[Node | None, bool]:
        """The operator, and whether it is new; None where it can never be applied."""
        key = (rule.number, arguments)
        if key in self._made:
            return self._made[key], False
        node = self._made[key] = self._operator(rule, arguments)
        if node is not None:
            self.operators.append(node)
        return node, node is not None

    def effect(self, parent: Node, number: int, variables: Elements) -> tuple[Node | None, bool]:
        """A ground effect of an operator, and whether it is new; None where it never happens."""
        key = (parent.rule.number, parent.arguments, number, variables)
        if key in self._effects:
            return self._effects[key], False
        node = self._effects[key] = self._effect(parent, number, variables)
        if node is not None:
            parent.effects.append(node)
        return node, node is not None

    def obstructed(self, rule: LiftedRule, arguments: Elements) -> bool:
        """Whether something that must be absent is there at first."""
        body, facts = rule.body, self._facts
        own = {(r, self._ground(slots, arguments)) for r, slots in body.fluent}
        for atom in body.absent:
            pattern, _ = self.patterns.of_atom(atom, arguments)
            if any((atom[0], facts.elements[fact]) not in own for fact in pattern.blocked):
                return True
        for relation, slots in body.add:
            elements = self._ground(slots, arguments)
            for position in relation.keys:
                for other in facts.there(relation, ((position, elements[position]),)):
                    if other != elements and (relation, other) not in own:
                        return True
        return False

    def _operator(self, rule: LiftedRule, arguments: Elements) -> Node | None:
        body, number, ground = rule.body, self._facts.number, self._ground
        for atom in body.absent_static:
            if self._is_there(atom, arguments):
                return None
        for relation, slots in self._confined[rule.number]:
            if self._reach.excludes(relation, ground(slots, arguments)):
                return None
        for check in self._checks[rule.number]:
            if not self._is_linked(check, arguments):
                return None
        pre = tuple([number(r, ground(slots, arguments)) for r, slots in body.fluent])
        add = tuple(dict.fromkeys([number(r, ground(slots, arguments)) for r, slots in body.add]))
        delete = tuple(
            [
                fact
                for r, slots in body.delete
                if (fact := number(r, ground(slots, arguments))) not in add
            ]
        )
        absent = self._negated(body, arguments, pre)
        if absent is None:
            return None
        node = Node(rule, arguments, -1, None, pre, (), add, delete)
        return node if self._keep_legs(node, absent) else None

    def _is_linked(self, check: LinkCheck, arguments: Elements) -> bool:
        """Whether two conditions may hold together."""
        relation, slots = check.static
        find = self._facts.instance.find_tuple
        if find(relation.name, self._ground(slots, arguments)) is not None:
            return True
        return all(
            find(relation.name, self._ground(slots, arguments)) is not None
            for relation, slots in (check.one, check.other)
        )

    def _negated(
        self, part: LiftedBody, binding: Elements, pre: tuple[int, ...]
    ) -> list[Absent] | None:
        found: list[Absent] = []
        for atom in part.absent:
            pattern, _ = self.patterns.of_atom(atom, binding)
            for fact in pre:
                if self._facts.relation[fact] is atom[0] and pattern.fits(
                    self._facts.elements[fact]
                ):
                    return None
            found.append((pattern, -1))
        return found

    def _keep_legs(self, node: Node, absent: list[Absent]) -> bool:
        """Add what functional legs ask for; False where the operator itself breaks one."""
        facts = self._facts
        kept = set(node.pre).difference(node.delete)
        guarded: list[tuple[int, Pattern]] = []
        for fact in node.add:
            relation, elements = facts.relation[fact], facts.elements[fact]
            for position in relation.keys:
                element = elements[position]
                if self._share(node.delete, fact, position) and not self._broken(fact, position):
                    continue  # the tuple that is deleted was the only one
                pattern, _ = self.patterns.of_key(relation, position, element)
                if len(pattern.blocked) > 1:
                    guarded.append((fact, pattern))
                    continue
                # What is kept may still be deleted by an effect.
                there = node.add if node.rule.effects else (*kept, *node.add)
                if self._share(there, fact, position):
                    return False
                if fact not in kept:
                    absent.append((pattern, fact))
        node.absent = tuple(absent)
        node.guarded = tuple(guarded)
        return True

    def _broken(self, fact: int, position: int) -> bool:
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        return len(self._facts.there(relation, ((position, elements[position]),))) > 1

    def _share(self, others: Iterable[int], fact: int, position: int) -> bool:
        """Whether one of the others has the same element in a leg of the same relation."""
        relations, elements = self._facts.relation, self._facts.elements
        relation, element = relations[fact], elements[fact][position]
        for other in others:
            if (
                other != fact
                and relations[other] is relation
                and elements[other][position] == element
            ):
                return True
        return False

    def _effect(self, parent: Node, number: int, variables: Elements) -> Node | None:
        _, part = parent.rule.effects[number]
        binding = (*parent.arguments, *variables)
        if any(self._is_there(atom, binding) for atom in part.absent_static):
            return None
        ground, numbered = self._ground, self._facts.number
        pre = tuple(
            dict.fromkeys([numbered(r, ground(slots, binding)) for r, slots in part.fluent])
        )
        absent = self._negated(part, binding, pre)
        if absent is None:
            return None
        add = tuple(dict.fromkeys([numbered(r, ground(s, binding)) for r, s in part.add]))
        delete = tuple(
            dict.fromkeys(
                [f for r, s in part.delete if (f := numbered(r, ground(s, binding))) not in add]
            )
        )
        pre = tuple(fact for fact in pre if fact not in parent.pre)
        guarded = tuple(
            (fact, self.patterns.of_key(relation, position, elements[position])[0])
            for fact in add
            for relation, elements in ((self._facts.relation[fact], self._facts.elements[fact]),)
            for position in relation.keys
        )
        return Node(parent.rule, binding, number, parent, pre, tuple(absent), add, delete, guarded)

    def _is_there(self, atom: LiftedAtom, binding: Elements) -> bool:
        """Whether a static fact matches an atom that must match none."""
        relation, slots = atom
        bound = tuple([(p, binding[slot]) for p, slot in enumerate(slots) if slot >= 0])
        for elements in self._facts.there(relation, bound):
            open_: dict[int, int] = {}
            if all(
                slot >= 0 or open_.setdefault(slot, element) == element
                for slot, element in zip(slots, elements, strict=True)
            ):
                return True
        return False

    @staticmethod
    def _ground(slots: tuple[int, ...], binding: Elements) -> Elements:
        return tuple([binding[slot] for slot in slots])


class Constraints:
    """Matches of the constraints' patterns among facts that may hold.

    Attributes:
        matches: for each fact the matches that it is part of.
    """

    def __init__(
        self, lifted: LiftedDomain, facts: FactTable, matcher: Matcher, planner: Planner
    ) -> None:
        self.matches: dict[int, list[Match]] = {}
        self._lifted = lifted
        self._facts = facts
        self._matcher = matcher
        self._planner = planner
        self._seen: set[Match] = set()

    def matches_with(self, fact: int) -> Sequence[Match]:
        """The matches so far with a fact that an operator adds."""
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        for trigger in self._lifted.constraints.get(relation.name, ()):
            bound = frozenset(trigger.slots)
            plan = self._planner.plan(trigger, Style.NEAR, bound, frozenset())
            binding = [OPEN] * len(trigger.types)
            if not self._matcher.fits(plan, binding, zip(trigger.slots, elements, strict=True)):
                continue
            for found in self._matcher.bindings(Run(plan, OPEN), binding):
                match = self._facts_of(trigger.rule, found)
                if match is not None and match not in self._seen:
                    self._seen.add(match)
                    for member in match:
                        self.matches.setdefault(member, []).append(match)
        return self.matches.get(fact, ())

    def _facts_of(self, rule: LiftedRule, binding: Elements) -> Match | None:
        facts = self._facts
        found = {
            facts.number(relation, tuple([binding[slot] for slot in slots]))
            for relation, slots in rule.body.fluent
        }
        return tuple(sorted(found)) if all(map(facts.possible, found)) else None


Absent = tuple[Pattern, int]
"""A pattern that must match nothing, except perhaps one fact (-1: no exception)."""


@dataclass(eq=False, slots=True)
class Node:
    """A ground operator, or one of its ground effects.

    Attributes:
        rule: the rule.
        arguments: elements of the rule's parameters; of an effect also those of its variables.
        effect: number of the effect; -1 for the operator.
        parent: the operator of an effect.
        pre: facts that must hold (of an effect: besides the operator's).
        absent: what must not.
        add, delete: the changes.
        guarded: (fact, others): where functional legs are broken from the start, and for what
            effects add, others that must not hold when the fact comes to hold.
        missing: how many of its conditions can't come true yet.
        fired: whether all of them can.
        purposes: literals that it was made for.
        effects: its ground effects.
    """

    rule: LiftedRule
    arguments: Elements
    effect: int
    parent: Node | None
    pre: tuple[int, ...]
    absent: tuple[Absent, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]
    guarded: tuple[tuple[int, Pattern], ...] = ()
    missing: int = 0
    fired: bool = False
    purposes: list[int] = field(default_factory=list)
    effects: list[Node] = field(default_factory=list)

    def waits_for(self, pattern: Pattern, unless: int, initial: Sequence[bool]) -> Iterator[int]:
        """Facts that hold at first and must be lost before the node can be applied.

        An exception that holds at first is a leg that is as it should be. What shares a leg with
        something that is added may be lost by an effect of the operator itself.
        """
        if unless < 0 or not (self.rule.effects or initial[unless]):
            for fact in pattern.blocked:
                if fact != unless:
                    yield fact


@dataclass(eq=False, slots=True)
class Need:
    """A literal that matters.

    Attributes:
        literal: 2 * fact + polarity.
        root: whether it matters whatever else happens.
        consumers: operators of chains (moves from room to room) that need it.
        level: how far the search for ways to achieve it has gone.
        queued: whether it is about to be looked at.
    """

    literal: int
    root: bool = False
    consumers: list[Node] = field(default_factory=list)
    level: int = 0
    queued: bool = False
