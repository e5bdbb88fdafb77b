# SPDX-License-Identifier: Apache-2.0
"""What was guessed, changed or left out in making a state; kept up to date, told as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field

from fcp_ros.cset import Fact
from fcp_ros.foundation.persistent_map import evolve
from fcp_ros.scene.relations.draft import listed
from fcp_ros.scene.state.label_types import typing_notes
from fcp_ros.scene.state.reading import Reading
from fcp_ros.scene.state.vocabulary import LegKey


@dataclass
class Remarks:
    """Remarks on one state; its maker changes a copy, nobody changes them later.

    Attributes:
        guessed: Nodes whose type is a guess.
        attributes: Notes on attributes that do not fit, by node.
        read_as: Locations that were read otherwise, by item.
        lost: Items of which no place is known.
        unknown: How many facts were left out, by relation that the schema lacks.
        unfit: Facts whose types do not fit.
        blocked: Facts that contradict another one, and that other one.
        blocked_at: The blocked facts by each of their functional keys.
    """

    guessed: MutableMapping[str, None] = field(default_factory=dict)
    attributes: MutableMapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_as: MutableMapping[str, str] = field(default_factory=dict)
    lost: MutableMapping[str, None] = field(default_factory=dict)
    unknown: MutableMapping[str, int] = field(default_factory=dict)
    unfit: MutableMapping[Fact, None] = field(default_factory=dict)
    blocked: MutableMapping[Fact, Fact] = field(default_factory=dict)
    blocked_at: MutableMapping[LegKey, tuple[Fact, ...]] = field(default_factory=dict)

    def copy(self) -> Remarks:
        """Remarks that can be changed; these may not, from then on."""
        return Remarks(
            evolve(self.guessed),
            evolve(self.attributes),
            evolve(self.read_as),
            evolve(self.lost),
            dict(self.unknown),
            evolve(self.unfit),
            evolve(self.blocked),
            evolve(self.blocked_at),
        )

    def count_unknown(self, relation: str, by: int) -> None:
        """Note more or fewer facts of a relation that the schema lacks."""
        count = self.unknown.get(relation, 0) + by
        if count:
            self.unknown[relation] = count
        else:
            self.unknown.pop(relation, None)

    def block(self, fact: Fact, keys: Iterable[LegKey], winner: Fact) -> None:
        """Note that a fact, with these functional keys, contradicts one that is kept."""
        self.blocked[fact] = winner
        for key in keys:
            self.blocked_at[key] = (*self.blocked_at.get(key, ()), fact)

    def unblock(self, fact: Fact, keys: Iterable[LegKey]) -> None:
        """Forget that a fact was blocked, if it was."""
        if self.blocked.pop(fact, None) is None:
            return
        for key in keys:
            rest = tuple([other for other in self.blocked_at[key] if other != fact])
            if rest:
                self.blocked_at[key] = rest
            else:
                del self.blocked_at[key]

    def notes(self, reading: Reading, of_typer: Iterable[str]) -> tuple[str, ...]:
        """The remarks, a sentence for each kind; in it, everything in the scene's order.

        Args:
            reading: Of the scene that the state was made from.
            of_typer: What is to be said about the choice of types as a whole.
        """
        ranks = reading.graph.node_rank
        choices = {id_: reading.typing[id_] for id_ in sorted(self.guessed, key=ranks)}
        notes = [*of_typer, *typing_notes(reading.graph, choices)]
        for id_ in sorted(self.attributes, key=ranks):
            notes += self.attributes[id_]
        if self.read_as:
            changed = [self.read_as[id_] for id_ in sorted(self.read_as, key=ranks)]
            notes.append(f"read otherwise, to fit the domain's types: {listed(changed)}")
        if self.lost:
            lost = sorted(self.lost, key=ranks)
            notes.append(f"it is not known where these lie: {listed(lost)}")
        notes += (
            f"the domain has no relation {name!r}: {count} tuples of the scene are left out"
            for name, count in sorted(self.unknown.items())
        )
        if self.unfit:
            unfit = [str(fact) for fact in _in_order(self.unfit, reading)]
            notes.append(f"left out, since the domain's types do not fit: {listed(unfit)}")
        if self.blocked:
            pairs = [
                f"{fact} against {self.blocked[fact]}" for fact in _in_order(self.blocked, reading)
            ]
            notes.append(f"left out, since only one can hold (the first is kept): {listed(pairs)}")
        return tuple(notes)


def _in_order(facts: Mapping[Fact, object], reading: Reading) -> list[Fact]:
    return sorted(facts, key=lambda fact: (reading.order_of(fact) or (), fact))


def note_or_forget(table: MutableMapping[str, str], key: str, text: str) -> None:
    """Put a text that is not empty, or take away what was there."""
    if text:
        table[key] = text
    else:
        table.pop(key, None)
