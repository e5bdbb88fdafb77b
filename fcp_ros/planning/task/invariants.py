# SPDX-License-Identifier: Apache-2.0
"""Invariants of all reachable states: proven once for a domain, then checked in a state.

Fluent facts that share an element may always be linked by a static one: an item that is put into a
receptacle is at a location of that receptacle from then on. So a rule that takes an item, at a
location, out of a receptacle need not be instantiated for all pairs of those two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedDomain, LiftedRelation, LiftedRule
from fcp_ros.planning.task.mutex_pairs import (
    ChangeContext,
    InductionHypothesis,
    MutexPair,
    MutexProof,
    Place,
    find_disjoint_relations,
    find_initially_broken,
)

MOST_CLASSES = 200
"""Unary static relations of which all pairs are looked at."""
MOST_KNOWN = 64
"""Kinds of states whose invariants are kept."""


@dataclass(frozen=True, slots=True)
class StaticLink:
    """one(x, y) and other(x, z), in any order of legs, hold together only if static(y, z) does.

    Pairs of facts that both hold initially are exempt as long as they stay.

    Attributes:
        one, other: the changing relations, with the leg of the shared element.
    """

    one: Place
    other: Place
    static: LiftedRelation
    turned: bool  # whether the first leg of the static relation is that of `other`

    def make_atom(self, one: int, other: int) -> LiftedAtom:
        """Make the static condition on the slots, or elements, of the legs that are not shared."""
        return (self.static, (other, one) if self.turned else (one, other))


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """Two conditions of a rule that hold together only if a static one does.

    The exception are facts that both hold initially: an initial state need not keep the link.
    """

    one: LiftedAtom
    other: LiftedAtom
    static: LiftedAtom


Invariants = Mapping[int, tuple[LinkCheck, ...]]
"""Invariants of all states that are reachable from one: by the number of a rule, pairs of its
conditions that hold together only if linked."""


class InvariantFinder:
    """Finds the invariants of one domain from its states on. Safe to share by threads."""

    def __init__(self, lifted: LiftedDomain, check: Callable[[], None] = never_stop) -> None:
        self._lifted = lifted
        # Derived relations take no part: no rule alone says when their facts hold.
        plain = {n: r for n, r in lifted.relations.items() if n not in lifted.domain.derived}
        changing = [rule for rule in lifted.rules if not rule.derives]
        self._proof = MutexProof(changing, plain, check)
        self._links = _find_possible_links(changing, self._proof)
        self._classes = _list_classes(lifted)
        pairs = combinations(self._classes, 2)
        self._hopeful_disjoint = frozenset(map(frozenset, pairs))
        self._pairs = self._proof.find_pairs((), self._hopeful_disjoint, check)
        self._known: dict[Hashable, Invariants] = {}
        self._hopeful = self._find(frozenset(), self._hopeful_disjoint, check)

    def find(self, instance: Instance, check: Callable[[], None] = never_stop) -> Invariants:
        """Find the invariants that hold from a state on.

        The state is not read if the domain's rules keep none that is of use.
        """
        if not any(self._hopeful.values()):
            return self._hopeful
        broken = frozenset(find_initially_broken(self._pairs, instance))
        disjoint = frozenset(find_disjoint_relations(self._classes, instance))
        return self._find(broken, disjoint, check)

    def _find(
        self,
        broken: frozenset[MutexPair],
        disjoint: frozenset[frozenset[str]],
        check: Callable[[], None],
    ) -> Invariants:
        known = self._known.get((broken, disjoint))
        if known is None:
            pairs = self._proof.find_pairs(broken, disjoint, check)
            shown = InductionHypothesis(pairs, disjoint)
            links = tuple(link for link in self._links if _is_kept(link, self._proof, shown))
            check()
            if len(self._known) >= MOST_KNOWN:  # a scene that changes for days
                self._known.clear()
            known = {rule.number: _make_checks(rule, links) for rule in self._lifted.rules}
            self._known[broken, disjoint] = known
        return known


def _list_classes(lifted: LiftedDomain) -> list[str]:
    """List the unary static relations that rules require; none if there are too many to pair."""
    required = {
        relation.name
        for rule in lifted.rules
        for relation, slots in rule.body.static
        if len(slots) == 1
    }
    return sorted(required) if len(required) <= MOST_CLASSES else []


# --- links


def _find_possible_links(rules: Sequence[LiftedRule], proof: MutexProof) -> list[StaticLink]:
    wanted = {
        (one, other) for rule in rules for one, other, _, _ in _find_sharing(rule.body.fluent)
    }
    found: dict[StaticLink, None] = {}
    for context, _ in proof.contexts:
        for one, other, y, z in _find_sharing(context.adds):
            for relation, slots in context.rule.body.static:
                if (one, other) in wanted and slots in ((y, z), (z, y)):
                    found.setdefault(StaticLink(one, other, relation, slots == (z, y)))
    return list(found)


def _is_kept(link: StaticLink, proof: MutexProof, hypothesis: InductionHypothesis) -> bool:
    """Return True if no rule breaks a link, given what holds before each."""
    return all(
        _keeps_link(link, turned, context, atom, proof, hypothesis)
        for turned, place in ((False, link.one), (True, link.other))
        for context, atom in proof.find_adders(place[0])
    )


def _make_checks(rule: LiftedRule, links: Iterable[StaticLink]) -> tuple[LinkCheck, ...]:
    known = list(links)
    names = {name for link in known for name, _ in (link.one, link.other)}
    atoms = sorted((atom for atom in rule.body.fluent if _name(atom) in names), key=_name)
    return tuple(
        LinkCheck(atom, other, link.make_atom(y, z))
        for atom, other in combinations(atoms, 2)
        for one, two, y, z in _find_sharing((atom, other))
        for link in known
        if (link.one, link.other) == (one, two)
    )


def _name(atom: LiftedAtom) -> str:
    return atom[0].name


def _find_sharing(atoms: Sequence[LiftedAtom]) -> Iterator[tuple[Place, Place, int, int]]:
    """Yield pairs of binary atoms that share a slot: both places, and the slots not shared."""
    binary = [atom for atom in atoms if len(atom[1]) == 2]
    for relation, slots in binary:
        for other, others in binary:
            if relation.name < other.name:
                for leg, slot in enumerate(slots):
                    if slot in others and slots[1 - leg] not in others:
                        place = (other.name, others.index(slot))
                        yield (relation.name, leg), place, slots[1 - leg], others[1 - place[1]]


def _keeps_link(
    link: StaticLink,
    turned: bool,
    context: ChangeContext,
    atom: LiftedAtom,
    proof: MutexProof,
    hypothesis: InductionHypothesis,
) -> bool:
    """Return True if an added fact is linked to every fact that holds together with it."""
    place, (name, leg) = (link.other, link.one) if turned else (link.one, link.other)
    slot, y = atom[1][place[1]], atom[1][1 - place[1]]
    if max(atom[1]) >= len(context.rule.types):
        return False  # a variable of an effect

    def is_required(slots: tuple[int, ...]) -> bool:
        z = slots[1 - leg]
        return link.make_atom(*((z, y) if turned else (y, z))) in context.rule.body.static

    for other, (_, slots) in proof.find_adders(name):
        shared = other.rule is context.rule and context.may_be_same(slots[leg], slot)
        if shared and not (slots[leg] == slot and is_required(slots)):
            return False
    if atom in context.holds or proof.is_gone(context, slot, (name, leg), hypothesis):
        return True
    alone = frozenset(((name, leg),)) in hypothesis.pairs
    return alone and any(
        relation.name == name and slots[leg] == slot and is_required(slots)
        for relation, slots in context.holds
    )
