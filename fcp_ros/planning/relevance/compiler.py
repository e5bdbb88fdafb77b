# SPDX-License-Identifier: Apache-2.0
"""Domain, state and what is wanted -> task: relevance first.

Instead of making everything that the scene allows and throwing most of it away, operators are made
backwards from what the goal speaks of, with lookups in the scene's own indexes: the cost depends on
what matters, not on how large the scene is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.binding_plans import BindingPlanner
from fcp_ros.planning.relevance.closure import MAX_OPERATORS, Breadth, Closure, TooManyOperators
from fcp_ros.planning.relevance.facts import AbsencePattern, FactTable
from fcp_ros.planning.relevance.operators import Match, OperatorNode
from fcp_ros.planning.relevance.overwriting import Overwritings, find_crowded, find_overwritings
from fcp_ros.planning.task.invariants import InvariantFinder
from fcp_ros.planning.task.lifted import LiftedDomain, lift_domain
from fcp_ros.planning.task.patterns import SceneFacts
from fcp_ros.planning.task.task import (
    FactKey,
    GroundAxiom,
    GroundClause,
    GroundEffect,
    GroundOperator,
    OperatorPurpose,
    Task,
    index_changes,
)


@dataclass(frozen=True, slots=True)
class _WideTask:
    """A task with everything that can matter for some facts."""

    task: Task
    wanted: Wanted


class RelevanceCompiler:
    """Compiles tasks of one domain; what depends on the domain alone is worked out once."""

    def __init__(self, domain: Domain, check: Check = never_stop) -> None:
        self.domain = domain
        self._lifted: LiftedDomain = lift_domain(domain, check)
        self._planner = BindingPlanner(self._lifted)
        self._overwritings = find_overwritings(self._lifted)
        check()
        self._finder = InvariantFinder(self._lifted, check)
        self._absent: frozenset[AbsentExecutor] = frozenset()
        self._wide: _WideTask | None = None

    def without(self, absent: frozenset[AbsentExecutor]) -> RelevanceCompiler:
        """Return a compiler that makes no operator of these executors for their agents."""
        other = copy(self)
        other._absent, other._wide = absent, None
        return other

    def task(
        self,
        instance: Instance,
        wanted: Wanted,  # changing facts by polarity; all elements must be in the state
        breadth: Breadth,
        watch: Watch,
        most: int = MAX_OPERATORS,
    ) -> Task:
        """Compile a task with what matters for the wanted facts."""
        # Nearly all objects made here stay until the end: a garbage collection would find nothing.
        with pause_garbage_collection():
            return self._task(instance, wanted, breadth, watch, most)

    def wide_task(
        self, instance: Instance, wanted: Wanted, watch: Watch, most: int = MAX_OPERATORS
    ) -> Task:
        """Compile a task with everything that can matter for the wanted facts, and perhaps more.

        The last one is used again if it is of the same state and has them all. A new one has what
        was wanted before, too: what is asked about one state mostly differs in few facts.
        """
        last = self._wide
        if last is not None and last.task.instance is instance:
            if wanted.positive <= last.wanted.positive and wanted.negative <= last.wanted.negative:
                return last.task
            more = Wanted(
                wanted.positive | last.wanted.positive, wanted.negative | last.wanted.negative
            )
            with suppress(TooManyOperators):
                return self._widen(instance, more, watch, most)
        return self._widen(instance, wanted, watch, most)

    def _widen(self, instance: Instance, wanted: Wanted, watch: Watch, most: int) -> Task:
        task = self.task(instance, wanted, Breadth.FULL, watch, most)
        self._wide = _WideTask(task, wanted)
        return task

    def _task(
        self, instance: Instance, wanted: Wanted, breadth: Breadth, watch: Watch, most: int
    ) -> Task:
        facts = FactTable(instance)
        invariants = self._finder.find(instance, watch.check)
        overwritings = self._overwritings_for(instance, wanted)
        closure = Closure(
            self._lifted,
            self._planner,
            facts,
            invariants,
            overwritings,
            breadth,
            watch,
            most,
            self._absent,
        )
        positive = self._numbers(facts, wanted.positive)
        negative = self._numbers(facts, wanted.negative)
        closure.run(positive, negative)
        matches = closure.constraints.matches
        writer = TaskWriter(self._lifted, facts, matches, overwritings, watch)
        return writer.write(
            closure.grounder.operators, (*positive, *negative), breadth is Breadth.FULL
        )

    def _overwritings_for(self, instance: Instance, wanted: Wanted) -> Overwritings:
        """Return the rules whose representatives suffice: nothing must be gone from a place."""
        found = self._overwritings.without({fact.relation for fact in wanted.negative})
        return found.without(set(find_crowded(found, instance)))

    def _numbers(self, facts: FactTable, wanted: Iterable[Fact]) -> tuple[int, ...]:
        id_of, relations = facts.instance.id_of, self._lifted.relations
        return tuple(
            facts.number(relations[fact.relation], tuple(map(id_of, fact.arguments)))
            for fact in sorted(wanted)
        )


# --- the task of a closure: facts and operators by names
#
# Only what can ever be applied is written, if nothing that was reached is ever lost: the nodes that
# fired. All of it is encoded.


class TaskWriter:
    """Writes tasks."""

    def __init__(
        self,
        lifted: LiftedDomain,
        facts: FactTable,
        matches: dict[int, list[Match]],
        overwritings: Overwritings,
        watch: Watch,
    ) -> None:
        self._lifted = lifted
        self._table = facts
        self._matches = matches
        self._forgotten = {n: found.slot for n, found in overwritings.rules.items()}
        self._watch = watch
        self._facts: list[Fact] = []
        self._ids: dict[int, int] = {}
        self._added: set[int] = set()  # facts that may come to hold
        self._listed: set[AbsencePattern] = set()  # patterns whose facts all have an id
        self._name_of = facts.instance.name_of

    def write(self, nodes: Sequence[OperatorNode], wanted: Iterable[int], complete: bool) -> Task:
        """Write the task.

        Args:
            wanted: facts that get an id even if no operator mentions them, if they may ever hold.
        """
        table = self._table
        fired = [node for node in nodes if node.fired]
        for node in fired:
            self._added.update(node.add)
            for effect in node.effects:
                self._added.update(effect.add if effect.fired else ())
        for fact in wanted:
            if self._may_hold(fact):
                self._id(fact)
        operators = []
        axioms: list[GroundAxiom] = []
        for node in fired:
            self._watch.check()
            if node.rule.derives:
                axioms.extend(self._write_axioms(node))
            else:
                operators.append(self._write_operator(node))
            for fact in self._find_related(node):
                self._id(fact)
        initial = frozenset(id_ for fact, id_ in self._ids.items() if table.initial[fact])
        keys = [self._find_legs(fact) for fact in self._ids]
        store = SceneFacts(table.instance, self._lifted.fluents)
        for relation, arguments in self._facts:
            store.add(relation, arguments)
        domain = self._lifted.domain
        return Task(
            domain,
            table.instance,
            self._facts,
            {fact: id_ for id_, fact in enumerate(self._facts)},
            initial,
            operators,
            store,
            self._lifted.fluents,
            tuple(domain.resources.values()),
            *index_changes(operators, len(self._facts)),
            keys,
            frozenset(self._find_broken(keys)),
            complete,
            tuple(self._find_purpose(node) for node in fired if not node.rule.derives),
            axioms=tuple(axioms),
        )

    def _write_operator(self, node: OperatorNode) -> GroundOperator:
        assert node.rule.action is not None
        id_, name_of = self._id, self._name_of
        return GroundOperator(
            node.rule.action,
            tuple([name_of(element) for element in node.arguments]),
            tuple([id_(fact) for fact in node.pre]),
            tuple([id_(fact) for fact in node.add]),
            tuple([id_(fact) for fact in node.delete]),
            tuple([self._write_effect(e) for e in node.effects if e.fired]) if node.effects else (),
            self._forgotten.get(node.rule.number, -1),
            tuple([id_(fact) for fact in node.denied if self._may_hold(fact)]),
            tuple(self._write_clauses(node)) if node.clauses else (),
        )

    def _write_axioms(self, node: OperatorNode) -> Iterator[GroundAxiom]:
        """Yield what a rule of a derived relation adds, and when."""
        for fact in node.add:
            yield GroundAxiom(self._id(fact), (), ())
        for effect in node.effects:
            if effect.fired:
                ground = self._write_effect(effect)
                for head in ground.add:
                    yield GroundAxiom(head, ground.pre, ground.absent)

    def _write_clauses(self, node: OperatorNode) -> Iterator[GroundClause]:
        """Yield the clauses that are not met by facts that never hold."""
        for clause in node.clauses:
            there = [literal for literal in clause if self._may_hold(literal >> 1)]
            absent = tuple([self._id(literal >> 1) for literal in there if literal & 1])
            if len(absent) == sum(literal & 1 for literal in clause):
                present = tuple([self._id(literal >> 1) for literal in there if not literal & 1])
                yield GroundClause(present, absent)

    def _write_effect(self, effect: OperatorNode) -> GroundEffect:
        absent = [
            self._id(fact)
            for pattern, _ in effect.absent
            for fact in pattern.facts
            if self._may_hold(fact)
        ]
        return GroundEffect(
            tuple(map(self._id, effect.pre)),
            tuple(dict.fromkeys(absent)),
            tuple(map(self._id, effect.add)),
            tuple(map(self._id, effect.delete)),
        )

    def _find_related(self, operator: OperatorNode) -> Iterator[int]:
        """Yield facts that matter for an operator and its effects besides those that they name."""
        effects = (effect for effect in operator.effects if effect.fired)
        for node in (operator, *effects):
            for pattern in (*(p for p, _ in node.absent), *(p for _, p in node.guarded)):
                if pattern not in self._listed:
                    self._listed.add(pattern)
                    yield from (f for f in pattern.facts if self._may_hold(f))
            for fact in node.add:
                for match in self._matches.get(fact, ()):
                    if all(self._may_hold(member) for member in match):
                        yield from match

    def _may_hold(self, fact: int) -> bool:
        return self._table.initial[fact] or fact in self._added

    def _id(self, fact: int) -> int:
        found = self._ids.get(fact)
        if found is None:
            found = self._ids[fact] = len(self._facts)
            self._facts.append(self._name(fact))
        return found

    def _name(self, fact: int) -> Fact:
        known = self._ids.get(fact)
        if known is not None and known < len(self._facts):
            return self._facts[known]
        elements = tuple(map(self._name_of, self._table.elements[fact]))
        return Fact(self._table.relation[fact].name, elements)

    def _find_legs(self, fact: int) -> tuple[FactKey, ...]:
        relation = self._table.relation[fact]
        arguments = self._facts[self._ids[fact]].arguments
        return tuple([(relation.name, p, arguments[p]) for p in relation.keys])

    def _find_broken(self, keys: list[tuple[FactKey, ...]]) -> Iterator[FactKey]:
        table, seen = self._table, set()
        for fact, of_fact in zip(self._ids, keys, strict=True):
            relation, elements = table.relation[fact], table.elements[fact]
            for position, key in zip(relation.keys, of_fact, strict=True):
                if key not in seen:
                    seen.add(key)
                    there = table.find_initial(relation, ((position, elements[position]),))
                    if sum(1 for _ in there) > 1:
                        yield key

    def _find_purpose(self, node: OperatorNode) -> OperatorPurpose | None:
        purposes = node.purposes or [
            purpose for effect in node.effects for purpose in effect.purposes
        ]
        if not purposes:
            return None
        return OperatorPurpose(self._name(purposes[0] >> 1), not purposes[0] & 1)
