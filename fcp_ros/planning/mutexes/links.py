# SPDX-License-Identifier: Apache-2.0
"""Changing facts that share an element and are always linked by a static one.

Where an item is put into a receptacle, it is at a location of that receptacle from then on; so a
rule that takes an item, at a location, out of a receptacle need not be tried for all pairs of these
two. Said once for a rule, it spares most of its operators.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.planning.mutexes.pairs import Context, Pair, Place, Proof
from fcp_ros.planning.task.lifted import RelationShape, RuleShape, SlotAtom


@dataclass(frozen=True, slots=True)
class Link:
    """one(x, y) and other(x, z), whatever the order of their legs, only where static(y, z).

    Facts that both hold at first are exempt, as long as they stay.

    Attributes:
        one, other: the changing relations, with the leg of the shared element.
        static: the static relation.
        turned: whether its first leg is that of `other`.
    """

    one: Place
    other: Place
    static: RelationShape
    turned: bool

    def atom(self, one: int, other: int) -> SlotAtom:
        """The static condition on the slots, or elements, of the legs that are not shared."""
        return (self.static, (other, one) if self.turned else (one, other))


@dataclass(frozen=True, slots=True)
class Check:
    """Two conditions of a rule that hold together only where a static one does.

    Or where both hold at first: nothing is said of how things were laid out before all rules.
    """

    one: SlotAtom
    other: SlotAtom
    static: SlotAtom


def possible_links(rules: Sequence[RuleShape], proof: Proof) -> list[Link]:
    """The links that some rule could make use of and some rule makes."""
    wanted = {(one, other) for shape in rules for one, other, _, _ in _sharing(shape.body.fluent)}
    found: dict[Link, None] = {}
    for context, _ in proof.contexts:
        for one, other, y, z in _sharing(context.adds):
            for relation, slots in context.shape.body.static:
                if (one, other) in wanted and slots in ((y, z), (z, y)):
                    found.setdefault(Link(one, other, relation, slots == (z, y)))
    return list(found)


def is_kept(link: Link, proof: Proof, pairs: Collection[Pair]) -> bool:
    """Whether no rule breaks a link, given what is apart."""
    return all(
        _is_linked(link, turned, context, atom, proof, pairs)
        for turned, place in ((False, link.one), (True, link.other))
        for context, atom in proof.adding(place[0])
    )


def checks(shape: RuleShape, links: Iterable[Link]) -> tuple[Check, ...]:
    """What is linked where a rule can be applied."""
    return tuple(
        Check(atom, other, link.atom(y, z))
        for atom, other in combinations(sorted(shape.body.fluent, key=_name), 2)
        for one, two, y, z in _sharing((atom, other))
        for link in links
        if (link.one, link.other) == (one, two)
    )


def _name(atom: SlotAtom) -> str:
    return atom[0].name


def _sharing(atoms: Sequence[SlotAtom]) -> Iterator[tuple[Place, Place, int, int]]:
    """Pairs of atoms with two legs that share a slot: the two places, the slots not shared."""
    for relation, slots in atoms:
        for other, others in atoms:
            if relation.name < other.name and len(slots) == len(others) == 2:
                for leg, slot in enumerate(slots):
                    if slot in others and slots[1 - leg] not in others:
                        place = (other.name, others.index(slot))
                        yield (relation.name, leg), place, slots[1 - leg], others[1 - place[1]]


def _is_linked(
    link: Link,
    turned: bool,
    context: Context,
    atom: SlotAtom,
    proof: Proof,
    pairs: Collection[Pair],
) -> bool:
    """Whether whatever is there together with a fact that is added is linked to it."""
    place, (name, leg) = (link.other, link.one) if turned else (link.one, link.other)
    slot, y = atom[1][place[1]], atom[1][1 - place[1]]
    if max(atom[1]) >= len(context.shape.types):
        return False  # an effect's variable

    def said(slots: tuple[int, ...]) -> bool:
        z = slots[1 - leg]
        return link.atom(*((z, y) if turned else (y, z))) in context.shape.body.static

    for other, (_, slots) in proof.adding(name):
        shared = other.shape is context.shape and context.may_be_same(slots[leg], slot)
        if shared and not (slots[leg] == slot and said(slots)):
            return False
    if atom in context.holds or proof.is_gone(context, slot, (name, leg), pairs):
        return True
    alone = frozenset(((name, leg),)) in pairs
    return alone and any(
        relation.name == name and slots[leg] == slot and said(slots)
        for relation, slots in context.holds
    )
