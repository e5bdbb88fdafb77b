# SPDX-License-Identifier: Apache-2.0
"""Pairs of names that effects under another name speak for, and what somebody said of them."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from fcp_ros.alignment.synonyms import Places, Proposal, Standing, Synonym, SynonymEvidence
from fcp_ros.cset import Fact
from fcp_ros.foundation.sqlite_file import open_database
from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class StepView:
    """A step, as the scene graph shows it."""

    step: str
    expected: frozenset[Fact]  # the facts that it should make true
    missing: frozenset[Fact]  # those of them that the state after it lacks
    before: SceneGraph
    after: SceneGraph
    known: Collection[str]  # the relations of the domain, and others that are no candidates

    @cached_property
    def new(self) -> tuple[SceneRelation, ...]:
        """The relations of unknown names, of elements of the step, that are new since it began."""
        elements = {name for fact in self.expected for name in fact.arguments}
        found = {
            relation.key: relation
            for id_ in sorted(elements)
            if id_ in self.after.nodes
            for relation in self.after.relations_of(id_)
        }
        unknown = (found[key] for key in sorted(found) if key[0] not in self.known)
        return tuple(
            relation
            for relation in unknown
            if self.before.relation(relation.name, *relation.elements) is None
        )


@dataclass(frozen=True)
class Notice:
    """A pair of names that one step speaks for."""

    synonym: Synonym  # from perception's name to the domain's
    stated: str  # the fact as the scene graph states it
    expected: str  # the fact that the step should have made true
    step: str

    def __str__(self) -> str:
        return f"after {self.step} the scene has {self.stated}, and not {self.expected}"


def find_notices(view: StepView) -> Iterator[Notice]:
    """Yield the pairs of names that a step speaks for: new relations of the elements of a fact."""
    # A fact that names an element twice says nothing about the order of its arguments.
    for fact in sorted(view.missing):
        arguments = fact.arguments
        if len(set(arguments)) < len(arguments):
            continue
        for relation in view.new:
            if sorted(relation.elements) == sorted(arguments):
                places = tuple(relation.elements.index(name) for name in arguments)
                synonym = Synonym(relation.name, fact.relation, places)
                yield Notice(synonym, str(relation), str(fact), view.step)


def contradicts(view: StepView, synonym: Synonym) -> bool:
    """Return True if a step speaks against a pair: the unknown name is new, of other elements.

    `synonym`: from perception's name to the domain's.
    """
    found = [relation for relation in view.new if relation.name == synonym.source]
    if any(len(relation.elements) != len(synonym.places) for relation in found):
        return True
    stated = {
        Fact(synonym.target, tuple(relation.elements[place] for place in synonym.places))
        for relation in found
    }
    return not stated <= view.expected


MOST_PROPOSALS = 100
"""Open pairs; perception with more unknown names than that is of another domain altogether."""
_PRIOR = 0.5
"""Probability of a pair before the first step that speaks for it."""

_TABLES = (
    """CREATE TABLE IF NOT EXISTS names (
        source TEXT NOT NULL, target TEXT NOT NULL, places TEXT NOT NULL, standing TEXT NOT NULL,
        succeeded INTEGER NOT NULL, failed INTEGER NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (source, target, places))""",
)


class NameAnswer(str, Enum):
    """The answers to a proposal."""

    KEEP = "keep"
    REFUSE = "refuse"
    FORGET = "forget"


@dataclass(frozen=True)
class NoSuchPair(ValueError):
    """An answer to what was not asked; one sentence."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


class NameBook:
    """The pairs of one robot in one world; thread-safe.

    `path`: SQLite file; None keeps the pairs in memory. Raises DatabaseFileError if the file can't
    be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._connection = None
        # a sentence about the file: it was damaged, or the disk refuses; "" if all is well
        self.note = ""
        if path is not None:
            self._connection, self.note = open_database(path, _TABLES, synchronous="FULL")
        self._pairs: dict[Synonym, SynonymEvidence] = {}
        self._read()

    @property
    def pairs(self) -> tuple[SynonymEvidence, ...]:
        """All pairs: proposed, kept and refused, each with its rivals."""
        with self._lock:
            pairs = [self._pairs[key] for key in sorted(self._pairs)]
        return tuple(replace(one, rivals=_find_rivals(one, pairs)) for one in pairs)

    @property
    def open(self) -> tuple[SynonymEvidence, ...]:
        """The pairs that wait for an answer, the likeliest first."""
        waiting = [one for one in self.pairs if one.standing is Standing.OPEN]
        return tuple(sorted(waiting, key=lambda one: -one.confidence))

    def learn(self, view: StepView) -> tuple[Synonym, ...]:
        """Learn from a step; return the pairs that wait for an answer and that it speaks for."""
        found = []
        with self._lock:
            for synonym, one in list(self._pairs.items()):
                if one.standing is Standing.OPEN and contradicts(view, synonym):
                    self._put(replace(one, failed=one.failed + 1))
            for notice in find_notices(view):
                one = self._pairs.get(notice.synonym) or _propose(notice.synonym, str(notice))
                if one.standing is Standing.REFUTED or self._is_full(notice.synonym):
                    continue
                self._put(replace(one, succeeded=one.succeeded + 1))
                found.append(notice.synonym)
        return tuple(found)

    def settle(
        self, source: str, target: str, answer: NameAnswer, places: Sequence[int] = ()
    ) -> Synonym:
        """Take an answer; a pair that is kept refutes the others of the same name of perception.

        `places`: order of the arguments; may be empty where there is only one proposal. Raises
        NoSuchPair if there is no such proposal, or several.
        """
        with self._lock:
            synonym = self._find(source, target, tuple(places))
            if answer is NameAnswer.FORGET:
                self._remove(synonym)
                return synonym
            kept = answer is NameAnswer.KEEP
            standing = Standing.KEPT if kept else Standing.REFUTED
            self._put(replace(self._pairs[synonym], standing=standing))
            for other in list(self._pairs):
                if kept and other.source == source and other != synonym:
                    self._put(replace(self._pairs[other], standing=Standing.REFUTED))
            return synonym

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    # --- under the lock

    def _find(self, source: str, target: str, places: Places) -> Synonym:
        named = [one for one in self._pairs if (one.source, one.target) == (source, target)]
        fitting = [one for one in named if not places or one.places == places]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            orders = "; ".join(f"{one} has {list(one.places)}" for one in fitting)
            raise NoSuchPair(
                f"Several orders of the arguments were proposed, so say places: {orders}."
            )
        known = ", ".join(map(str, sorted(self._pairs))) or "none"
        raise NoSuchPair(f"{source} = {target} was not proposed; proposed are: {known}.")

    def _is_full(self, synonym: Synonym) -> bool:
        return synonym not in self._pairs and len(self._pairs) >= MOST_PROPOSALS

    def _put(self, one: SynonymEvidence) -> None:
        synonym = one.proposal.synonym
        self._pairs[synonym] = one
        reason = one.proposal.reasons[0] if one.proposal.reasons else ""
        row = (*_key(synonym), one.standing.value, one.succeeded, one.failed, reason)
        self._write("REPLACE INTO names VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def _remove(self, synonym: Synonym) -> None:
        del self._pairs[synonym]
        condition = "source = ? AND target = ? AND places = ?"
        self._write(f"DELETE FROM names WHERE {condition}", _key(synonym))

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        """Write to the file; a disk that refuses costs the memory of this, not the plan at hand."""
        if self._connection is None:
            return
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            self.note = f"the names that were noticed can't be stored: {error}"

    def _read(self) -> None:
        if self._connection is None:
            return
        for row in self._connection.execute("SELECT * FROM names"):
            source, target, places, standing, succeeded, failed, reason = row
            synonym = Synonym(source, target, tuple(json.loads(places)))
            one = _propose(synonym, reason)
            self._pairs[synonym] = replace(
                one, standing=Standing(standing), succeeded=succeeded, failed=failed
            )


def _propose(synonym: Synonym, reason: str) -> SynonymEvidence:
    return SynonymEvidence(Proposal(synonym, 0, _PRIOR, (reason,)), Standing.OPEN, 0, 0)


def _key(synonym: Synonym) -> tuple[str, str, str]:
    return synonym.source, synonym.target, json.dumps(list(synonym.places))


def _find_rivals(one: SynonymEvidence, pairs: Sequence[SynonymEvidence]) -> tuple[Synonym, ...]:
    """List the other pairs of the same name of perception that were not refuted."""
    synonym = one.proposal.synonym
    return tuple(
        other.proposal.synonym
        for other in pairs
        if other.proposal.synonym.source == synonym.source
        and other.proposal.synonym != synonym
        and other.standing is not Standing.REFUTED
    )
