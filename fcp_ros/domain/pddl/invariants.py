# SPDX-License-Identifier: Apache-2.0
"""Mutex groups: sets of facts with at most one true at a time, found by invariant synthesis.

An invariant has parameters and parts; a part is a predicate with a position for each parameter and
at most one further, *counted* position. For each binding of the parameters, the number of facts
that fit a part (its weight) is at most 1: it is initially, and each rule is *balanced*: for each
fact that it adds to a weight it deletes another. (Helmert, Concise finite-domain representations
for PDDL planning tasks, AIJ 173, 2009, section 5.) The parameters of our rules are distinct things,
which spares the case distinctions on equality made there.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Term, Text
from fcp_ros.domain.pddl.draft_rules import DraftEffect, DraftRule
from fcp_ros.foundation.stopping import Check

MAX_CANDIDATES = 400
"""Number of candidates tried for one part before the search gives up."""
MAX_ALL_CANDIDATES = 50_000
"""The same for all parts of a task. One candidate takes about 0.1 ms."""

Facts = Mapping[str, frozenset[tuple[str, ...]]]
Key = tuple[Term, ...]


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """The facts of a predicate: `order` gives the position of each parameter."""

    predicate: str
    order: tuple[int, ...]
    counted: int | None = None

    def key(self, atom: Atom) -> Key:
        """Return the terms of an atom that the parameters are bound to."""
        return tuple(atom.arguments[position] for position in self.order)


Invariant = frozenset[Part]
"""For each binding of the parameters, at most one fact of all the parts together."""


class InvariantSearch:
    """Finds invariants of some rules; what was found for one part is known for the others."""

    def __init__(self, rules: Sequence[DraftRule], facts: Facts, check: Check) -> None:
        self._facts = facts
        self._check = check
        self._rules = rules
        self._adding: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            atoms = itertools.chain(rule.add, *(effect.add for effect in rule.effects))
            for predicate in {atom.predicate for atom in atoms}:
                self._adding.setdefault(predicate, []).append(number)
        self._found: dict[Part, Invariant] = {}
        self._left = MAX_ALL_CANDIDATES

    def find(self, part: Part) -> Invariant | None:
        """Find an invariant that a part belongs to; None if the search finds none."""
        if part not in self._found:
            invariant = self._search(part)
            if invariant is None:
                return None
            self._found.update(dict.fromkeys(invariant, invariant))
        return self._found[part]

    def _search(self, part: Part) -> Invariant | None:
        # Breadth first over growing candidates: an unbalanced rule is repaired by one more part, so
        # the first invariant found has the fewest parts.
        start: Invariant = frozenset((part,))
        queue = deque([(start, {part.predicate: part}, self._list_adding(part))])
        seen = {start}
        while queue and self._left > 0:
            self._check()
            self._left -= 1
            candidate, parts, unchecked = queue.popleft()
            number = self._find_fault(parts, unchecked)
            if number is None:
                if _holds_initially(candidate, self._facts):
                    return candidate
                continue
            for remedy in _find_remedies(self._rules[number], parts):
                larger = candidate | {remedy}
                if larger not in seen and len(seen) < MAX_CANDIDATES:
                    seen.add(larger)
                    # The others stay balanced: they add nothing to the new part.
                    rest = {one for one in unchecked if one >= number}
                    rest.update(self._list_adding(remedy))
                    queue.append((larger, {**parts, remedy.predicate: remedy}, sorted(rest)))
        return None

    def _find_fault(self, parts: Mapping[str, Part], numbers: Iterable[int]) -> int | None:
        """Find the first rule that is heavy or not balanced."""
        for number in numbers:
            check = _RuleCheck(self._rules[number], parts)
            if check.is_heavy() or next(check.find_unbalanced(), None) is not None:
                return number
        return None

    def _list_adding(self, part: Part) -> Sequence[int]:
        """List the numbers of the rules that add facts of a part."""
        return self._adding.get(part.predicate, ())


def _find_remedies(rule: DraftRule, parts: Mapping[str, Part]) -> Iterator[Part]:
    """Find parts that may balance a rule; none can make a heavy one light."""
    check = _RuleCheck(rule, parts)
    if not check.is_heavy():
        yield from check.find_remedies(*next(check.find_unbalanced()))


def _holds_initially(candidate: Invariant, facts: Facts) -> bool:
    weight = Counter(
        tuple(arguments[position] for position in part.order)
        for part in candidate
        for arguments in facts.get(part.predicate, ())
    )
    return all(number <= 1 for number in weight.values())


@dataclass(frozen=True)
class _Added:
    """An atom that a rule adds to the weight of a key; `effect` is None if it always does."""

    atom: Atom
    key: Key
    effect: DraftEffect | None


class _RuleCheck:
    def __init__(self, rule: DraftRule, parts: Mapping[str, Part]) -> None:
        self._rule = rule
        self._parts = parts
        self._added = list(self._find_additions())

    def _find_additions(self) -> Iterator[_Added]:
        rule = self._rule
        for effect, atoms in ((None, rule.add), *((e, e.add) for e in rule.effects)):
            there = rule.positive + (() if effect is None else effect.positive)
            for atom in atoms:
                # An atom that holds before, and stays because it is added, changes no weight.
                if atom.predicate in self._parts and atom not in there:
                    yield _Added(atom, self._parts[atom.predicate].key(atom), effect)

    def is_heavy(self) -> bool:
        """Return True if it may add two facts to one weight."""
        for added in self._added:
            if added.effect is not None:
                own = {v.name for v in added.effect.variables}
                in_key = {_get_name(term) for term in added.key}
                if any(_get_name(t) in own - in_key for t in added.atom.arguments):
                    return True
        return any(
            one.atom != other.atom and self._may_meet(one, other)
            for one, other in itertools.combinations(self._added, 2)
        )

    def _may_meet(self, one: _Added, other: _Added) -> bool:
        """Return True if both may add to the same weight."""
        return _unify(
            one.key, _list_variables(one.effect), other.key, _list_variables(other.effect)
        )

    def find_unbalanced(self) -> Iterator[tuple[DraftEffect | None, Key]]:
        """Find the keys with an added fact and no deleted one."""
        for added in self._added:
            if not any(self._balances(atom, added) for atom in self._list_deleted(added.effect)):
                yield added.effect, added.key

    def _list_deleted(self, effect: DraftEffect | None) -> tuple[Atom, ...]:
        """List the atoms that always hold before and never after the effect happens."""
        atoms = self._rule.delete + (() if effect is None else effect.delete)
        return tuple(atom for atom in atoms if not self._comes_back(atom, effect))

    def _comes_back(self, atom: Atom, effect: DraftEffect | None) -> bool:
        """Return True if another effect may add the deleted atom; additions win."""
        for adding in (None, *self._rule.effects):
            if adding is effect and adding is not None:
                continue  # the same fact deleted and added: nothing changes
            for added in self._rule.add if adding is None else adding.add:
                if added.predicate == atom.predicate and _unify(
                    added.arguments,
                    _list_variables(adding),
                    atom.arguments,
                    _list_variables(effect),
                ):
                    return True
        return False

    def _balances(self, atom: Atom, added: _Added) -> bool:
        part = self._parts.get(atom.predicate)
        return part is not None and part.key(atom) == added.key and atom != added.atom

    def find_remedies(self, effect: DraftEffect | None, key: Key) -> Iterator[Part]:
        """Find parts over deleted atoms that would balance the key."""
        for atom in self._list_deleted(effect):
            if atom.predicate not in self._parts:
                yield from _find_parts(atom, key)


def _find_parts(atom: Atom, key: Key) -> Iterator[Part]:
    """Find the parts that have the key in an atom, with at most one position left to count."""
    places = range(len(atom.arguments))
    if len(atom.arguments) > len(key) + 1:
        return
    for order in itertools.permutations(places, len(key)):
        if tuple(atom.arguments[place] for place in order) == key:
            left = [place for place in places if place not in order]
            yield Part(atom.predicate, order, left[0] if left else None)


def _unify(one: Key, of_one: frozenset[str], other: Key, of_other: frozenset[str]) -> bool:
    """Return True if the terms may be equal; variables of effects may be anything."""
    return all(
        left == right or _get_name(left) in of_one or _get_name(right) in of_other
        for left, right in zip(one, other, strict=True)
    )


def _list_variables(effect: DraftEffect | None) -> frozenset[str]:
    return frozenset() if effect is None else frozenset(v.name for v in effect.variables)


def _get_name(term: Term) -> str:
    return "" if isinstance(term, Text) else term.name
