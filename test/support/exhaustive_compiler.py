# SPDX-License-Identifier: Apache-2.0
"""The slow twin of relevance: a task with all operators that delete relaxation reaches.

Rules are joined with the facts they need, never multiplied out over their parameters: static facts
narrow a rule first, and an operator appears when the last of its changing facts does (a semi-naive
fixpoint). What an operator must not find (negated conditions, functional legs, constraints) is
added on demand by `task/conditions.py`. Conditional effects are left out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from fcp_ros.cset import Fact, Instance, facts
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.task.patterns import (
    Arguments,
    FactStore,
    PatternAtom,
    PatternJoin,
    bind_terms,
    make_pattern,
    make_pattern_atom,
    matches_atom,
)
from fcp_ros.planning.task.task import FactKey, GroundOperator, Task

MAX_OPERATORS = 1_000_000
"""More reachable operators than this are refused with MEMOUT."""


@contextmanager
def exhaustive_compilation() -> Iterator[None]:
    """Let the planner compile everything that the scene allows, whatever matters for the goal."""

    def task(
        self: RelevanceCompiler,
        instance: Instance,
        wanted: Wanted,
        breadth: Breadth,
        watch: Watch,
        most: int = MAX_OPERATORS,
    ) -> Task:
        return compile_task(self.domain, instance, watch)

    with mock.patch.object(RelevanceCompiler, "task", task):
        yield


def compile_task(domain: Domain, instance: Instance, watch: Watch) -> Task:
    """Compile all that the domain's rules can do, starting in `instance`.

    Raises:
        Interrupted: cancelled, out of time, or more than MAX_OPERATORS operators.
    """
    return _Fixpoint(domain, instance, watch).run()


@dataclass(frozen=True)
class _CompiledRule:
    """A rule over slots, with one join for each changing fact that may be the last to appear."""

    rule: ActionRule
    fluent_pre: tuple[PatternAtom, ...]
    static_absent: tuple[Atom, ...]
    add: tuple[PatternAtom, ...]
    delete: tuple[PatternAtom, ...]
    unconditional: PatternJoin | None
    triggers: tuple[tuple[str, PatternJoin], ...]


class _Fixpoint:
    """Facts make operators possible, operators make facts possible."""

    def __init__(self, domain: Domain, instance: Instance, watch: Watch) -> None:
        self._domain = domain
        self._instance = instance
        self._watch = watch
        self._fluents = frozenset(
            atom.predicate for rule in domain.rules.values() for atom in (*rule.add, *rule.delete)
        )
        self._store = FactStore()
        self._facts: list[Fact] = []
        self._ids: dict[Fact, int] = {}
        self._queue: deque[Fact] = deque()
        self._operators: list[GroundOperator] = []
        self._seen: set[tuple[str, Arguments]] = set()

    def run(self) -> Task:
        initial = self._load()
        rules = [self._compiled(rule) for rule in self._domain.rules.values()]
        triggers: dict[str, list[tuple[_CompiledRule, PatternJoin]]] = {}
        for compiled in rules:
            for relation, join in compiled.triggers:
                triggers.setdefault(relation, []).append((compiled, join))
            if compiled.unconditional is not None:
                for binding in compiled.unconditional.matches(self._store):
                    self._emit(compiled, binding)
        while self._queue:
            relation, arguments = self._queue.popleft()
            self._store.add(relation, arguments)
            self._watch.check()
            for compiled, join in triggers.get(relation, ()):
                for binding in join.matches(self._store, arguments):
                    self._emit(compiled, binding)
        return self._task(initial)

    def _load(self) -> frozenset[int]:
        """Static facts are there at once, changing ones enter through the queue."""
        initial = set()
        for fact in sorted(facts(self._instance)):
            if fact.relation in self._fluents:
                initial.add(self._fact(fact))
            else:
                self._store.add(fact.relation, fact.arguments)
        return frozenset(initial)

    def _fact(self, fact: Fact) -> int:
        id_ = self._ids.get(fact)
        if id_ is None:
            id_ = self._ids[fact] = len(self._facts)
            self._facts.append(fact)
            self._queue.append(fact)
        return id_

    def _compiled(self, rule: ActionRule) -> _CompiledRule:
        names = rule.parameter_names
        slots = {name: slot for slot, name in enumerate(names)}
        positive = rule.positive()
        pattern = make_pattern(
            names, tuple(p.type for p in rule.parameters), positive, self._instance
        )
        fluent = [i for i, atom in enumerate(positive) if atom.predicate in self._fluents]
        return _CompiledRule(
            rule,
            tuple(pattern.atoms[i] for i in fluent),
            tuple(a for a in rule.negative() if a.predicate not in self._fluents),
            tuple(make_pattern_atom(atom, slots) for atom in rule.add),
            tuple(make_pattern_atom(atom, slots) for atom in rule.delete),
            None if fluent else PatternJoin(pattern, None),
            tuple((pattern.atoms[i][0], PatternJoin(pattern, i)) for i in fluent),
        )

    def _emit(self, compiled: _CompiledRule, binding: Arguments) -> None:
        """The operator for one match, unless it is known or a static fact is in its way."""
        self._watch.check()
        key = (compiled.rule.name, binding)
        if key in self._seen:
            return
        self._seen.add(key)
        if any(self._found(atom, compiled.rule, binding) for atom in compiled.static_absent):
            return
        add = dict.fromkeys(self._fact(_ground(atom, binding)) for atom in compiled.add)
        delete = [self._ids[_ground(atom, binding)] for atom in compiled.delete]
        self._operators.append(
            GroundOperator(
                compiled.rule,
                binding,
                tuple(self._ids[_ground(atom, binding)] for atom in compiled.fluent_pre),
                tuple(add),
                tuple(fact for fact in delete if fact not in add),
            )
        )
        if len(self._operators) > MAX_OPERATORS:
            raise Interrupted(
                PlanStatus.MEMOUT,
                f"The scene allows more than {MAX_OPERATORS} different actions: "
                "plan on a smaller part of it.",
            )

    def _found(self, atom: Atom, rule: ActionRule, binding: Arguments) -> bool:
        """Whether a static fact matches an atom that must match none."""
        bound = bind_terms(atom, rule, binding)
        return any(
            matches_atom(arguments, atom, bound)
            for arguments in self._store.matching(atom.predicate, list(bound.items()))
        )

    def _task(self, initial: frozenset[int]) -> Task:
        adders: list[list[int]] = [[] for _ in self._facts]
        deleters: list[list[int]] = [[] for _ in self._facts]
        keys = self._keys()
        for index, operator in enumerate(self._operators):
            self._watch.check()
            for fact in operator.add:
                adders[fact].append(index)
            for fact in operator.delete:
                deleters[fact].append(index)
        return Task(
            self._domain,
            self._instance,
            self._facts,
            self._ids,
            initial,
            self._operators,
            self._store,
            self._fluents,
            tuple(self._domain.resources.values()),
            adders,
            deleters,
            keys,
            self._broken(initial, keys),
        )

    def _keys(self) -> list[tuple[FactKey, ...]]:
        positions = {one.name: one.keys for one in self._domain.schema.relations}
        return [
            tuple((relation, position, arguments[position]) for position in positions[relation])
            for relation, arguments in self._facts
        ]

    @staticmethod
    def _broken(initial: frozenset[int], keys: list[tuple[FactKey, ...]]) -> frozenset[FactKey]:
        count = Counter(key for fact in initial for key in keys[fact])
        return frozenset(key for key, facts in count.items() if facts > 1)


def _ground(atom: PatternAtom, binding: Arguments) -> Fact:
    return Fact(atom[0], tuple(binding[slot] for slot in atom[1]))
