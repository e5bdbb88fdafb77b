# SPDX-License-Identifier: Apache-2.0
"""Rules with all parameters bound: operators and effects over numbered facts.

Negated literals become absence patterns. A rule with disjunctive conditions may give several nodes
with the same parameters, one for each case (see `formulas`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.relevance.binding import OPEN, BindingRun, Matcher
from fcp_ros.planning.relevance.binding_plans import BindingPlanner, BindingStyle
from fcp_ros.planning.relevance.element_choice import Reach
from fcp_ros.planning.relevance.facts import AbsencePattern, AbsencePatterns, Elements, FactTable
from fcp_ros.planning.relevance.formulas import FALSE, TRUE, Case, FormulaGrounder, Literals
from fcp_ros.planning.task.invariants import LinkCheck
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedBody, LiftedDomain, LiftedRule

Absent = tuple[AbsencePattern, int]
"""A pattern that no fact may match, except perhaps one (-1: no exception)."""


@dataclass(eq=False, slots=True)
class OperatorNode:
    """A ground operator, or one of its ground effects, while the closure grows."""

    rule: LiftedRule
    # elements of the rule's parameters; of an effect also those of its variables
    arguments: Elements
    effect: int  # number of the effect; -1 for the operator
    parent: OperatorNode | None
    pre: tuple[int, ...]  # facts that must hold (for an effect: besides the operator's)
    absent: tuple[Absent, ...]  # patterns that no fact may match
    add: tuple[int, ...]
    delete: tuple[int, ...]
    # pairs of a fact and a pattern: facts of the pattern must not hold when the fact comes to hold.
    # For legs that are broken initially, and for additions of effects.
    guarded: tuple[tuple[int, AbsencePattern], ...] = ()
    # facts that formulas require to be absent; their patterns are in `absent`, too
    denied: tuple[int, ...] = ()
    clauses: tuple[Literals, ...] = ()  # sets of literals, in each of which one must hold
    missing: int = 0  # number of its conditions that cannot come true yet
    fired: bool = False
    purposes: list[int] = field(default_factory=list)
    effects: list[OperatorNode] = field(default_factory=list)

    def find_obstacles(
        self, pattern: AbsencePattern, unless: int, initial: Sequence[bool]
    ) -> Iterator[int]:
        """Yield the facts that hold initially and must be lost before the node is applicable.

        There are none if the exception holds initially: the leg is as it should be. An effect of
        the operator itself may delete what shares a leg with an addition.
        """
        if unless < 0 or not (self.rule.effects or initial[unless]):
            for fact in pattern.blocked:
                if fact != unless:
                    yield fact


_ONE_CASE = (Case(),)
_NOBODY: frozenset[int] = frozenset()

Match = tuple[int, ...]
"""The fluent facts of one match of a constraint's pattern, sorted."""


class OperatorGrounder:
    """Grounds operators, each once."""

    def __init__(
        self,
        lifted: LiftedDomain,
        facts: FactTable,
        reach: Reach,
        checks: Mapping[int, Sequence[LinkCheck]],
        absent: Iterable[AbsentExecutor] = (),  # there is no operator of these for their agents
    ) -> None:
        # all operators so far, in order; some may turn out never to be applicable
        self.operators: list[OperatorNode] = []
        self._checks = checks
        self._barred = _find_barred(lifted, facts, absent)
        self._reach = reach
        self._confined = {rule.number: reach.of(rule.body.fluent) for rule in lifted.rules}
        self.patterns = AbsencePatterns(facts)
        self._lifted = lifted
        self._facts = facts
        self._formulas = FormulaGrounder(lifted, facts, reach)
        self._made: dict[tuple[int, Elements], Sequence[OperatorNode]] = {}
        self._effects: dict[tuple[OperatorNode, int, Elements], Sequence[OperatorNode]] = {}

    def ground(self, rule: LiftedRule, arguments: Elements) -> tuple[Sequence[OperatorNode], bool]:
        """Ground a rule: an operator for each case of its formulas; none if it never applies."""
        key = (rule.number, arguments)
        found = self._made.get(key)
        if found is not None:
            return found, False
        found = self._made[key] = self._ground_rule(rule, arguments)
        self.operators.extend(found)
        return found, True

    def ground_effect(
        self, parent: OperatorNode, number: int, variables: Elements
    ) -> tuple[Sequence[OperatorNode], bool]:
        """Ground an effect of an operator, as `ground` does a rule."""
        key = (parent, number, variables)
        found = self._effects.get(key)
        if found is not None:
            return found, False
        found = self._effects[key] = self._ground_conditional(parent, number, variables)
        parent.effects.extend(found)
        return found, True

    def is_obstructed(self, rule: LiftedRule, arguments: Elements) -> bool:
        """Return True if a fact that must be absent holds initially."""
        body, facts = rule.body, self._facts
        own = {(r, self._bind(slots, arguments)) for r, slots in body.fluent}
        for atom in body.absent:
            pattern, _ = self.patterns.make_for_atom(atom, arguments)
            if any((atom[0], facts.elements[fact]) not in own for fact in pattern.blocked):
                return True
        for relation, slots in body.add:
            elements = self._bind(slots, arguments)
            for position in relation.keys:
                for other in facts.find_initial(relation, ((position, elements[position]),)):
                    if other != elements and (relation, other) not in own:
                        return True
        return False

    def _ground_rule(self, rule: LiftedRule, arguments: Elements) -> Sequence[OperatorNode]:
        body, number, ground = rule.body, self._facts.number, self._bind
        if not self._barred.get(rule.number, _NOBODY).isdisjoint(arguments):
            return ()
        for atom in body.absent_static:
            if self._is_there(atom, arguments):
                return ()
        for relation, slots in self._confined[rule.number]:
            if self._reach.excludes(relation, ground(slots, arguments)):
                return ()
        for check in self._checks[rule.number]:
            if not self._is_linked(check, arguments):
                return ()
        pre = tuple([number(r, ground(slots, arguments)) for r, slots in body.fluent])
        add = tuple(dict.fromkeys([number(r, ground(slots, arguments)) for r, slots in body.add]))
        delete = tuple(
            [
                fact
                for r, slots in body.delete
                if (fact := number(r, ground(slots, arguments))) not in add
            ]
        )
        nodes = []
        for case in self._find_cases(rule, body, arguments, pre, True):
            absent = self._ground_absent(body, arguments, (*pre, *case.present))
            if absent is None:
                continue
            node = OperatorNode(rule, arguments, -1, None, (*pre, *case.present), (), add, delete)
            node.denied, node.clauses = case.denied, case.clauses
            if self._guard_legs(node, [*absent, *self._deny(case.denied)]):
                nodes.append(node)
        return nodes

    def _find_cases(
        self,
        rule: LiftedRule,
        part: LiftedBody,
        binding: Elements,
        pre: Sequence[int],
        clauses: bool,
    ) -> Sequence[Case]:
        """Find the cases of the formulas of a rule or an effect, given facts that must hold."""
        if not part.formulas:
            return _ONE_CASE

        def decide(literal: int) -> int:
            fact = literal >> 1
            if fact in pre:
                return FALSE if literal & 1 else TRUE
            if self._is_excluded(fact, pre):
                return TRUE if literal & 1 else FALSE
            return literal

        assert rule.action is not None
        return self._formulas.find_cases(rule.action.name, part.formulas, binding, decide, clauses)

    def _is_excluded(self, fact: int, pre: Sequence[int]) -> bool:
        """Return True if a fact shares a functional leg with one that must hold."""
        return any(
            self._shares_leg(pre, fact, position) and not self._is_broken(fact, position)
            for position in self._facts.relation[fact].keys
        )

    def _deny(self, facts: Iterable[int]) -> Iterator[Absent]:
        for fact in facts:
            relation, elements = self._facts.relation[fact], self._facts.elements[fact]
            atom = (relation, tuple(range(len(elements))))
            yield self.patterns.make_for_atom(atom, elements)[0], -1

    def _is_linked(self, check: LinkCheck, arguments: Elements) -> bool:
        relation, slots = check.static
        find = self._facts.instance.find_tuple
        if find(relation.name, self._bind(slots, arguments)) is not None:
            return True
        return all(
            find(relation.name, self._bind(slots, arguments)) is not None
            for relation, slots in (check.one, check.other)
        )

    def _ground_absent(
        self, part: LiftedBody, binding: Elements, pre: tuple[int, ...]
    ) -> list[Absent] | None:
        found: list[Absent] = []
        for atom in part.absent:
            pattern, _ = self.patterns.make_for_atom(atom, binding)
            for fact in pre:
                if self._facts.relation[fact] is atom[0] and pattern.matches(
                    self._facts.elements[fact]
                ):
                    return None
            found.append((pattern, -1))
        return found

    def _guard_legs(self, node: OperatorNode, absent: list[Absent]) -> bool:
        """Add the absences of functional legs; return False if the operator itself breaks one."""
        facts = self._facts
        kept = set(node.pre).difference(node.delete)
        guarded: list[tuple[int, AbsencePattern]] = []
        for fact in node.add:
            relation, elements = facts.relation[fact], facts.elements[fact]
            for position in relation.keys:
                element = elements[position]
                if self._shares_leg(node.delete, fact, position) and not self._is_broken(
                    fact, position
                ):
                    continue  # the deleted fact was the only one on the leg
                pattern, _ = self.patterns.make_for_leg(relation, position, element)
                if len(pattern.blocked) > 1:
                    guarded.append((fact, pattern))
                    continue
                # A precondition that is kept may still be deleted by an effect.
                there = node.add if node.rule.effects else (*kept, *node.add)
                if self._shares_leg(there, fact, position):
                    return False
                if fact not in kept:
                    absent.append((pattern, fact))
        node.absent = tuple(absent)
        node.guarded = tuple(guarded)
        return True

    def _is_broken(self, fact: int, position: int) -> bool:
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        return len(self._facts.find_initial(relation, ((position, elements[position]),))) > 1

    def _shares_leg(self, others: Iterable[int], fact: int, position: int) -> bool:
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

    def _ground_conditional(
        self, parent: OperatorNode, number: int, variables: Elements
    ) -> Sequence[OperatorNode]:
        _, part = parent.rule.effects[number]
        binding = (*parent.arguments, *variables)
        if any(self._is_there(atom, binding) for atom in part.absent_static):
            return ()
        ground, numbered = self._bind, self._facts.number
        pre = tuple(
            dict.fromkeys([numbered(r, ground(slots, binding)) for r, slots in part.fluent])
        )
        add = tuple(dict.fromkeys([numbered(r, ground(s, binding)) for r, s in part.add]))
        delete = tuple(
            dict.fromkeys(
                [f for r, s in part.delete if (f := numbered(r, ground(s, binding))) not in add]
            )
        )
        guarded = tuple(
            (fact, self.patterns.make_for_leg(relation, position, elements[position])[0])
            for fact in add
            for relation, elements in ((self._facts.relation[fact], self._facts.elements[fact]),)
            for position in relation.keys
        )
        nodes = []
        held = (*parent.pre, *pre)
        for case in self._find_cases(parent.rule, part, binding, held, False):
            absent = self._ground_absent(part, binding, (*pre, *case.present))
            if absent is None:
                continue
            own = tuple(f for f in (*pre, *case.present) if f not in parent.pre)
            denied = tuple(self._deny(case.denied))
            nodes.append(
                OperatorNode(
                    parent.rule,
                    binding,
                    number,
                    parent,
                    own,
                    (*absent, *denied),
                    add,
                    delete,
                    guarded,
                )
            )
        return nodes

    def _is_there(self, atom: LiftedAtom, binding: Elements) -> bool:
        """Return True if a static fact matches an atom that must match none."""
        relation, slots = atom
        bound = tuple([(p, binding[slot]) for p, slot in enumerate(slots) if slot >= 0])
        for elements in self._facts.find_initial(relation, bound):
            open_: dict[int, int] = {}
            if all(
                slot >= 0 or open_.setdefault(slot, element) == element
                for slot, element in zip(slots, elements, strict=True)
            ):
                return True
        return False

    @staticmethod
    def _bind(slots: tuple[int, ...], binding: Elements) -> Elements:
        return tuple([binding[slot] for slot in slots])


def _find_barred(
    lifted: LiftedDomain, facts: FactTable, absent: Iterable[AbsentExecutor]
) -> dict[int, frozenset[int]]:
    """Find for the rules of absent executors, by their numbers, the agents that lack them."""
    instance = facts.instance
    lacking: dict[str, set[int]] = {}
    for one in absent:
        if instance.has(one.agent):
            lacking.setdefault(one.executor, set()).add(instance.id_of(one.agent))
    return {
        rule.number: frozenset(lacking[rule.action.executor])
        for rule in lifted.rules
        if rule.action is not None and rule.action.executor in lacking
    }


class ConstraintMatches:
    """Matches of the constraints' patterns among facts that may hold."""

    def __init__(
        self, lifted: LiftedDomain, facts: FactTable, matcher: Matcher, planner: BindingPlanner
    ) -> None:
        self.matches: dict[int, list[Match]] = {}
        self._lifted = lifted
        self._facts = facts
        self._matcher = matcher
        self._planner = planner
        self._seen: set[Match] = set()

    def find_matches(self, fact: int) -> Sequence[Match]:
        """Return the matches so far with a fact that an operator adds."""
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        for trigger in self._lifted.constraints.get(relation.name, ()):
            bound = frozenset(trigger.slots)
            plan = self._planner.plan(trigger, BindingStyle.NEAR, bound, frozenset())
            binding = [OPEN] * len(trigger.types)
            if not self._matcher.fits(plan, binding, zip(trigger.slots, elements, strict=True)):
                continue
            for found in self._matcher.bindings(BindingRun(plan, OPEN), binding):
                match = self._bind_facts(trigger.rule, found)
                if match is not None and match not in self._seen:
                    self._seen.add(match)
                    for member in match:
                        self.matches.setdefault(member, []).append(match)
        return self.matches.get(fact, ())

    def _bind_facts(self, rule: LiftedRule, binding: Elements) -> Match | None:
        facts = self._facts
        found = {
            facts.number(relation, tuple([binding[slot] for slot in slots]))
            for relation, slots in rule.body.fluent
        }
        return tuple(sorted(found)) if all(map(facts.is_possible, found)) else None
