# SPDX-License-Identifier: Apache-2.0
"""Synonyms: two predicates that may be one; the mapping that several make; what trials say of them.

The executive keeps such evidence, and reads no PDDL.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import count
from typing import Any

Places = tuple[int, ...]


ANY = "?any"
"""Stands for any object in place of an argument."""


@dataclass(frozen=True, order=True, slots=True)
class Synonym:
    """The statement that `source(x0, x1, ...)` is `target(x[places[0]], x[places[1]], ...)`.

    A *projection* has a source with fewer arguments: the list of its arguments goes on with
    `fillers`. So `on-table(x0)` is `on(x0, table)` has the places (0, 1) and the filler table.
    """

    source: str
    target: str
    # for each argument of the target the argument, or filler, of the source that it is
    places: Places = ()
    fillers: tuple[str, ...] = ()

    @property
    def arity(self) -> int:
        """The number of arguments of the source."""
        return len(self.places) - len(self.fillers)

    @property
    def is_projection(self) -> bool:
        """The source has fewer arguments than the target."""
        return bool(self.fillers)

    def invert(self) -> Synonym:
        """Return the same statement with source and target exchanged; it is no projection."""
        assert not self.fillers, "a predicate with more arguments says more"
        return Synonym(self.target, self.source, invert_places(self.places))

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.source, self.target))

    def __str__(self) -> str:
        names = [f"?{number + 1}" for number in range(self.arity)]
        extended = (*names, *self.fillers)
        shuffled = [extended[place] for place in self.places]
        return f"({' '.join((self.source, *names))}) = ({' '.join((self.target, *shuffled))})"


@dataclass(frozen=True, slots=True)
class Image:
    """The name that stays for a predicate: `p(x0, x1, ...)` is `name(x[places[0]], ...)`."""

    name: str
    places: Places  # for each of its arguments the argument of p, or the filler, that it is
    fillers: tuple[str, ...] = ()  # with which the list of arguments of p goes on

    def compose(self, edge: Synonym) -> Image:
        """Return the image of the source of a synonym whose target has this image."""
        given: list[int | str] = [*range(edge.arity), *edge.fillers]
        middle: list[int | str] = [*(given[place] for place in edge.places), *self.fillers]
        terms = [middle[place] for place in self.places]
        fillers = tuple(term for term in terms if isinstance(term, str))
        numbers = count(edge.arity)
        places = tuple(next(numbers) if isinstance(term, str) else term for term in terms)
        return Image(self.name, places, fillers)


def keep_name(name: str, arity: int) -> Image:
    return Image(name, tuple(range(arity)))


def project_facts(synonym: Synonym, facts: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """Return the argument tuples of the source that follow from those of the target."""
    back, arity = invert_places(synonym.places), synonym.arity
    moved = (tuple(arguments[place] for place in back) for arguments in facts)
    return frozenset(
        one[:arity]
        for one in moved
        if all(
            filler in (ANY, name) for filler, name in zip(synonym.fillers, one[arity:], strict=True)
        )
    )


def invert_places(places: Sequence[int]) -> Places:
    """Return the inverse of a permutation."""
    found = [0] * len(places)
    for position, place in enumerate(places):
        found[place] = position
    return tuple(found)


class ContradictorySynonyms(ValueError):
    """Synonyms that make a predicate its own mirror image, such as on(x, y) = on(y, x).

    The same holds of a predicate that is projected from two others.
    """

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(f"contradictory synonyms of {', '.join(sorted(names))}")
        self.names = names


@dataclass(frozen=True)
class NameMapping:
    """The surjection of names that synonyms make together: predicate to the one that stays."""

    synonyms: frozenset[Synonym]
    # a number for a predicate; of predicates that are one, the one with the most arguments stays,
    # and of these the one with the least rank
    rank: Callable[[str], int] = lambda _name: 0

    @cached_property
    def images(self) -> Mapping[str, Image]:
        """The image of each predicate of a synonym.

        Raises ContradictorySynonyms if two ways lead from a name to another, with different places.
        """
        arities: dict[str, int] = {}
        edges: dict[str, list[Synonym]] = {}  # by target
        for synonym in sorted(self.synonyms):
            arities[synonym.source], arities[synonym.target] = synonym.arity, len(synonym.places)
            edges.setdefault(synonym.target, []).append(synonym)
            if not synonym.is_projection:
                edges.setdefault(synonym.source, []).append(synonym.invert())
        found: dict[str, Image] = {}
        for root in sorted(arities, key=lambda name: (-arities[name], self.rank(name), name)):
            if root not in found:
                found[root] = keep_name(root, arities[root])
                _spread(root, edges, found)
        self._check(found)
        return found

    def _check(self, images: Mapping[str, Image]) -> None:
        """Raise an error if a synonym does not follow from the images."""
        for synonym in sorted(self.synonyms):
            if images[synonym.target].compose(synonym) != images[synonym.source]:
                raise ContradictorySynonyms(self._collect_connected(synonym.source))

    def _collect_connected(self, name: str) -> frozenset[str]:
        found, grows = {name}, True
        while grows:
            more = {name for one in self.synonyms if one.names & found for name in one.names}
            grows = not more <= found
            found |= more
        return frozenset(found)

    def implies(self, synonym: Synonym) -> bool:
        source, target = self.images.get(synonym.source), self.images.get(synonym.target)
        if source is None or target is None or source.name != target.name:
            return False
        return target.compose(synonym) == source

    def find_connected(self, names: Iterable[str]) -> frozenset[str]:
        """Return the names that are one with any of some names, these included."""
        wanted = frozenset(names)
        roots = {self.images[name].name for name in wanted if name in self.images}
        return wanted | {name for name, image in self.images.items() if image.name in roots}


def _spread(root: str, edges: Mapping[str, Sequence[Synonym]], found: dict[str, Image]) -> None:
    """Give all names that are one with `root`, or projected from it, their images."""
    waiting = deque([root])
    while waiting:
        name = waiting.popleft()
        for edge in edges.get(name, ()):
            if edge.source not in found:
                found[edge.source] = found[name].compose(edge)
                waiting.append(edge.source)


@dataclass(frozen=True)
class Proposal:
    """A synonym that may hold."""

    # from a name that can hold to one that is needed, as far as they differ in that
    synonym: Synonym
    tier: int  # 0 for the most likely group
    prior: float  # probability before any trial, by structure and names; no measured one
    reasons: tuple[str, ...]
    likeness: float | None = None  # of the names in meaning, at most 1; None if that was not asked
    # share of the initial facts that two vocabularies have in common; None where facts can't be
    # compared
    agreement: float | None = None
    # the arguments have another order, although the given one would fit as well
    is_reordered: bool = False

    @property
    def penalty(self) -> int:
        """The cost of using it once in a plan, where an action costs 1."""
        return 5 + round(-5.0 * math.log(self.prior))


class Standing(str, Enum):
    """The state of knowledge about one synonym."""

    PROVEN = "proven"
    """Nothing else among the candidates explains the trials."""
    KEPT = "kept"
    """A plan that rests on it succeeded."""
    OPEN = "open"
    """It was in plans that failed, among others that may be at fault, or in none."""
    REFUTED = "refuted"
    """No explanation of the trials has it, or a synonym that is kept excludes it."""


@dataclass(frozen=True)
class SynonymEvidence:
    """A synonym and all that is known about it."""

    proposal: Proposal  # the synonym, with what spoke for it before any trial
    standing: Standing
    succeeded: int  # number of plans that succeeded and would have failed without it
    failed: int  # number of plans that used it and failed
    # other synonyms of the same names that explain all trials in its place
    rivals: tuple[Synonym, ...] = ()
    # a synonym that is kept, and that leaves no room for this one
    excluded_by: SynonymEvidence | None = None

    @property
    def confidence(self) -> float:
        """Probability after the trials: the prior counts like two of them, so it is never 1."""
        # It is 0 only where trials refuted the synonym, and no more than what a synonym that
        # excludes it leaves.
        if self.excluded_by is not None:
            return min(self._count_trials(), 1.0 - self.excluded_by.confidence)
        if self.standing is Standing.REFUTED:
            return 0.0
        return self._count_trials()

    def _count_trials(self) -> float:
        against = 0 if self.succeeded else self.failed
        agreeing = 2.0 * self.proposal.prior + self.succeeded
        return agreeing / (2.0 + self.succeeded + against)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The clauses that spoke for it before any trial, and the one that excludes it."""
        if self.excluded_by is None:
            return self.proposal.reasons
        return (*self.proposal.reasons, f"excluded by {self.excluded_by.proposal.synonym}")

    def to_plain(self) -> dict[str, Any]:
        proposal = self.proposal
        return {
            "source": proposal.synonym.source,
            "target": proposal.synonym.target,
            "places": list(proposal.synonym.places),
            "fillers": list(proposal.synonym.fillers),
            "text": str(proposal.synonym),
            "standing": self.standing.value,
            "confidence": round(self.confidence, 3),
            "prior": round(proposal.prior, 3),
            "likeness": None if proposal.likeness is None else round(proposal.likeness, 3),
            "agreement": None if proposal.agreement is None else round(proposal.agreement, 3),
            "reasons": list(self.reasons),
            "succeeded": self.succeeded,
            "failed": self.failed,
            "rivals": list(map(str, self.rivals)),
        }
