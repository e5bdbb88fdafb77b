# SPDX-License-Identifier: Apache-2.0
"""The least loss of making a fact true: regression through the rules themselves.

A fact that does not hold has to be made true by some rule, which loses what its graded predicates
about the fact's own elements lose, and whose conditions have to be made true before. Of several
rules the cheapest counts, of several conditions the dearest; a graded predicate with a free choice
counts nothing.

The facts and rules behind one fact are a small graph, from which the least fixpoint is computed as
a shortest hyperpath. So the effort is bounded by the number of patterns, and does not depend on the
size of the scene; a search over paths would be exponential.

(The requirements of docs/design.md, carried backwards as in hmax: Bonet and Geffner, Planning as
heuristic search, 2001. The fixpoint: Knuth, A generalization of Dijkstra's algorithm, 1977.)
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Atom, Constant, Text, Variable
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import Composition, TNorm
from fcp_ros.planning.model.memberships import GradedAtom

DEPTH = 4
"""Rules in a row that a fact is regressed through; anything before them counts nothing."""

MAX_PATTERNS = 400
"""Patterns that one fact is regressed to; those beyond them count nothing."""

FactPattern = tuple[str | None, ...]
"""An element for each leg of a relation; None for any."""

_Node = tuple[str, FactPattern]
"""A relation and a pattern: some fact that fits it."""


@dataclass(frozen=True, slots=True)
class FactLoss:
    """A lower bound of the loss until a fact holds, and the open questions that it rests on.

    Of equal losses, the one with questions is the dearest (an answer may raise it), the one without
    is the cheapest (no answer will).
    """

    loss: float
    open: tuple[GradedAtom, ...] = ()

    @property
    def rank(self) -> tuple[float, bool]:
        """The key by which losses are compared."""
        return self.loss, bool(self.open)


NOTHING = FactLoss(0.0)
NEVER = FactLoss(float("inf"))


@dataclass(frozen=True, slots=True)
class _Way:
    """A rule that adds a fact: its own loss, and the patterns that it needs."""

    own: FactLoss
    needs: tuple[_Node, ...]


class _OpenWay:
    """A way whose needs are not all settled; `before` is the dearest one that is."""

    __slots__ = ("before", "head", "left", "way")

    def __init__(self, head: _Node, way: _Way) -> None:
        self.head = head
        self.way = way
        self.left = len(way.needs)
        self.before = NOTHING


class FactLossBounds:
    """Lower bounds for single facts, by the degrees known now."""

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        known: Callable[[GradedAtom], float | None],
        tnorm: TNorm,
        check: Check,
    ) -> None:
        self._instance = instance
        self.known = known
        self.tnorm = tnorm
        self._check = check
        self._achievers = _find_achievers(domain)
        self._relations = {relation.name for relation in domain.schema.relations}
        self._only_one: dict[str, str | None] = {}
        self._found: dict[_Node, FactLoss] = {}
        self._ways: dict[_Node, tuple[_Way, ...]] = {}

    def estimate(self, fact: Fact) -> FactLoss:
        """Estimate the least loss until a fact holds."""
        node = (fact.relation, fact.arguments)
        if node not in self._found:
            self._check()
            self._found[node] = self._settle(node)
        return self._found[node]

    def _settle(self, wanted: _Node) -> FactLoss:
        """Compute the loss of a pattern: the cheapest patterns are settled first.

        A pattern that needs itself first is never settled that way, and never reached without
        another one.
        """
        numbers = count()
        queue: list[tuple[tuple[float, bool], int, FactLoss, _Node]] = []
        waiting: dict[_Node, list[_OpenWay]] = {}
        for node, ways in self._collect(wanted).items():
            for way in ways:
                opened = _OpenWay(node, way)
                for need in way.needs:
                    waiting.setdefault(need, []).append(opened)
                if not way.needs:
                    heapq.heappush(queue, (way.own.rank, next(numbers), way.own, node))
        settled: set[_Node] = set()
        while queue:
            _, _, loss, node = heapq.heappop(queue)
            if node == wanted:
                return loss
            if node in settled:
                continue
            settled.add(node)
            for opened in waiting.get(node, ()):
                opened.before = max(opened.before, loss, key=lambda one: one.rank)
                opened.left -= 1
                if opened.left == 0:
                    own, before = opened.way.own, opened.before
                    total = FactLoss(self.compose(own.loss, before.loss), (*own.open, *before.open))
                    heapq.heappush(queue, (total.rank, next(numbers), total, opened.head))
        return NEVER

    def _collect(self, wanted: _Node) -> dict[_Node, tuple[_Way, ...]]:
        found: dict[_Node, tuple[_Way, ...]] = {}
        level = [wanted]
        for depth in range(DEPTH + 1):
            following: dict[_Node, None] = {}
            for node in level:
                if (depth == DEPTH or len(found) >= MAX_PATTERNS) and node[0] in self._achievers:
                    found[node] = (_Way(NOTHING, ()),)
                    continue
                found[node] = self._find_ways(node)
                for way in found[node]:
                    following.update(dict.fromkeys(way.needs))
            level = [node for node in following if node not in found]
        return found

    def _find_ways(self, node: _Node) -> tuple[_Way, ...]:
        """Find the ways to a fact that fits a pattern; a single free one if it holds initially."""
        known = self._ways.get(node)
        if known is not None:
            return known
        relation, pattern = node
        if relation not in self._relations or any(
            True for _ in self._find_matches(relation, pattern)
        ):  # a fact of a trajectory constraint: nothing is known of it
            found: tuple[_Way, ...] = (_Way(NOTHING, ()),)
        else:
            ways = (
                self._make_way(rule, binding)
                for rule, atom in self._achievers.get(relation, ())
                if (binding := self._unify(rule, atom, pattern)) is not None
            )
            found = tuple(way for way in ways if way is not None)
        self._ways[node] = found
        return found

    def _make_way(self, rule: ActionRule, binding: Mapping[str, str]) -> _Way | None:
        whole = self._complete(rule, binding)
        if whole is None:
            return None
        needs = (
            (condition.predicate, tuple(_element(term, whole) for term in condition.arguments))
            for condition in rule.positive()
            if condition.predicate in self._relations and not self._is_given(condition.predicate)
        )
        return _Way(self._estimate_graded(rule, whole), tuple(dict.fromkeys(needs)))

    def _complete(self, rule: ActionRule, binding: Mapping[str, str]) -> dict[str, str] | None:
        """Complete a binding by facts that no rule adds; None if it contradicts them."""
        whole = dict(binding)
        given = [c for c in rule.positive() if self._is_given(c.predicate)]
        while given:
            left = []
            for condition in given:
                fitting = list(islice(self._find_fitting(condition, whole), 2))
                if not fitting:
                    return None
                if len(fitting) == 1:
                    whole.update(fitting[0])
                else:
                    left.append(condition)
            if len(left) == len(given):
                break
            given = left
        return whole

    def _find_fitting(
        self, condition: Atom, binding: Mapping[str, str]
    ) -> Iterator[dict[str, str]]:
        pattern = tuple(_element(term, binding) for term in condition.arguments)
        for row in self._find_matches(condition.predicate, pattern):
            found: dict[str, str] = {}
            for term, id_ in zip(condition.arguments, row, strict=True):
                if isinstance(term, Variable):
                    name = self._instance.name_of(id_)
                    if found.setdefault(term.name, name) != name:
                        break
            else:
                yield found

    def _estimate_graded(self, rule: ActionRule, binding: Mapping[str, str]) -> FactLoss:
        degrees: list[float] = []
        open_: list[GradedAtom] = []
        for atom in rule.graded:
            words = [_word(term, binding) for term in atom.arguments]
            if None not in words:
                ground = (atom.predicate, tuple(word for word in words if word is not None))
                degree = self.known(ground)
                if degree is None:
                    open_.append(ground)
                else:
                    degrees.append(degree)
        return FactLoss(self.tnorm.loss(self.tnorm.compose_all(degrees)), tuple(open_))

    def _unify(self, rule: ActionRule, atom: Atom, pattern: FactPattern) -> dict[str, str] | None:
        binding: dict[str, str] = {}
        for term, element in zip(atom.arguments, pattern, strict=True):
            if element is None:
                continue
            if isinstance(term, Constant):
                if term.name != element:
                    return None
            elif isinstance(term, Variable) and binding.setdefault(term.name, element) != element:
                return None
        for parameter in rule.parameters:
            named = binding.get(parameter.name)
            if named is None:
                only = self._find_only(parameter.type)
                if only is not None:
                    binding[parameter.name] = only
            elif not self._is_a(named, parameter.type):
                return None
        return binding

    def compose(self, one: float, other: float) -> float:
        """Compose two losses along one plan."""
        return max(one, other) if self.tnorm.composition is Composition.MAXIMUM else one + other

    # --- the scene

    def _is_given(self, relation: str) -> bool:
        return relation in self._relations and relation not in self._achievers

    def _find_matches(self, relation: str, pattern: FactPattern) -> Iterator[tuple[int, ...]]:
        instance = self._instance
        rows = instance.tuples(relation)
        ids = [(leg, instance.id_of(name)) for leg, name in enumerate(pattern) if name is not None]
        if not ids:
            yield from rows.values()
            return
        first, element = ids[0]
        shape = instance.schema.relation(relation)
        for row in instance.tuples_at(relation, shape.legs[first][0], element):
            if all(rows[row][leg] == id_ for leg, id_ in ids):
                yield rows[row]

    def _is_a(self, name: str, type_: str) -> bool:
        instance = self._instance
        return instance.type_of(instance.id_of(name)) in instance.schema.subtypes(type_)

    def _find_only(self, type_: str) -> str | None:
        if type_ not in self._only_one:
            found = list(islice(self._instance.elements(type_), 2))
            self._only_one[type_] = self._instance.name_of(found[0]) if len(found) == 1 else None
        return self._only_one[type_]


def _find_achievers(domain: Domain) -> dict[str, list[tuple[ActionRule, Atom]]]:
    """Map each relation to the rules that add to it, with the atom that does.

    Variables of an effect are renamed apart from the parameters of the rule.
    """
    found: dict[str, list[tuple[ActionRule, Atom]]] = {}
    for rule in domain.rules.values():
        for atom in rule.add:
            found.setdefault(atom.predicate, []).append((rule, atom))
        for effect in rule.effects:
            own = {variable.name for variable in effect.variables}
            for atom in effect.add:
                found.setdefault(atom.predicate, []).append((rule, _rename(atom, own)))
    return found


def _rename(atom: Atom, names: set[str]) -> Atom:
    terms = (
        Variable(f"{term.name}'") if isinstance(term, Variable) and term.name in names else term
        for term in atom.arguments
    )
    return Atom(atom.predicate, tuple(terms))


def _element(term: object, binding: Mapping[str, str]) -> str | None:
    if isinstance(term, Variable):
        return binding.get(term.name)
    return term.name if isinstance(term, Constant) else None


def _word(term: object, binding: Mapping[str, str]) -> str | None:
    return term.value if isinstance(term, Text) else _element(term, binding)
