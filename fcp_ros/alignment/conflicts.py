# SPDX-License-Identifier: Apache-2.0
"""Conflict sets: what a trial says about synonyms, and the likeliest ways to comply with all.

A plan that fails does not say which of the synonyms behind it is wrong. So each trial gives a set
of statements of which at least one is true: this one is wrong, or that one, or a synonym that was
not assumed is right. Only where a single statement is left, it is certain (Reiter, *A theory of
diagnosis from first principles*, 1987: conflict sets and their hitting sets).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from fcp_ros.alignment.synonyms import Synonym

MOST_NODES = 20_000
"""Partial hitting sets that are looked at before the rest is left out."""

SynonymSet = frozenset[Synonym]


@dataclass(frozen=True)
class ConflictSet:
    """At least one of `wrong` is wrong, or at least one of `right` is right."""

    wrong: SynonymSet
    right: SynonymSet = frozenset()


@dataclass(frozen=True)
class SynonymChoice:
    """Synonyms that are not used, and synonyms that are taken for granted, for the next plan."""

    forbidden: SynonymSet = frozenset()
    adopted: SynonymSet = frozenset()

    def complies(self, conflict: ConflictSet) -> bool:
        """Return True if one of the statements of a conflict set is assumed."""
        return bool(self.forbidden & conflict.wrong or self.adopted & conflict.right)


@dataclass
class ConflictSets:
    """All that the trials said so far."""

    sets: list[ConflictSet] = field(default_factory=list)  # the conflict sets, none twice
    refuted: set[Synonym] = field(default_factory=set)  # synonyms that are certainly wrong
    # synonyms that are certainly right, given the candidates
    proven: set[Synonym] = field(default_factory=set)
    contradictory: bool = False  # True if the sets can't all be true

    def add(self, conflict: ConflictSet) -> None:
        """Add a conflict set, and draw the conclusions that are certain."""
        if conflict not in self.sets:
            self.sets.append(conflict)
            self._conclude()

    def _conclude(self) -> None:
        """Conclude what follows where all but one statement of a set are excluded."""
        changes = True
        while changes:
            changes = False
            for conflict in self.sets:
                if conflict.wrong & self.refuted or conflict.right & self.proven:
                    continue
                wrong, right = conflict.wrong - self.proven, conflict.right - self.refuted
                if not wrong and not right:
                    self.contradictory = True
                elif len(wrong) == 1 and not right:
                    self.refuted |= wrong
                    changes = True
                elif len(right) == 1 and not wrong:
                    self.proven |= right
                    changes = True

    def allows(self, synonyms: SynonymSet) -> bool:
        """Return True if these synonyms, and no others, comply with all conflict sets."""
        return not synonyms & self.refuted and all(
            one.wrong - synonyms or one.right & synonyms for one in self.sets
        )

    def list_choices(self, priors: Mapping[Synonym, float]) -> Iterator[SynonymChoice]:
        """Yield ways to comply with all conflict sets, the likeliest first."""
        if self.contradictory:
            return
        start = SynonymChoice(frozenset(self.refuted), frozenset(self.proven))
        order = count()
        waiting: list[tuple[float, int, SynonymChoice]] = [(0.0, next(order), start)]
        seen = {start}
        for _ in range(MOST_NODES):
            if not waiting:
                return
            cost, _, choice = heapq.heappop(waiting)
            unmet = next((one for one in self.sets if not choice.complies(one)), None)
            if unmet is None:
                yield choice
                continue
            for step, refined in _refine(choice, unmet, lambda one: priors.get(one, 0.01)):
                if refined not in seen:
                    seen.add(refined)
                    heapq.heappush(waiting, (cost + step, next(order), refined))


def _refine(
    choice: SynonymChoice, conflict: ConflictSet, prior: Callable[[Synonym], float]
) -> Iterator[tuple[float, SynonymChoice]]:
    """Yield each way to comply with one more conflict set, with its cost in log odds."""
    for synonym in sorted(conflict.wrong - choice.adopted):
        cost = -math.log(1.0 - prior(synonym))
        yield cost, SynonymChoice(choice.forbidden | {synonym}, choice.adopted)
    for synonym in sorted(conflict.right - choice.forbidden):
        cost = -math.log(prior(synonym))
        yield cost, SynonymChoice(choice.forbidden, choice.adopted | {synonym})


def list_hypotheses(priors: Mapping[Synonym, float]) -> Iterator[SynonymSet]:
    """Yield all sets of synonyms, the likeliest first."""
    items = sorted(priors, key=lambda one: (-priors[one], one))
    costs = [max(0.05, -math.log(priors[one])) for one in items]
    yield frozenset()
    # A set is followed by the one with the next item more, and the one with its last item changed.
    waiting: list[tuple[float, tuple[int, ...]]] = [(costs[0], (0,))] if items else []
    while waiting:
        cost, chosen = heapq.heappop(waiting)
        yield frozenset(items[at] for at in chosen)
        last = chosen[-1]
        if last + 1 < len(items):
            heapq.heappush(waiting, (cost + costs[last + 1], (*chosen, last + 1)))
            changed = (*chosen[:-1], last + 1)
            heapq.heappush(waiting, (cost - costs[last] + costs[last + 1], changed))
