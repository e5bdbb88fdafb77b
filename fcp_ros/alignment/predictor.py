# SPDX-License-Identifier: Apache-2.0
"""Trials: what the names assumed predict, and the conflict sets that follow from what was seen.

A plan that fails does not say which of the synonyms behind it is wrong. So each trial gives a set
of statements of which at least one is true: this one is wrong, or that one, or a synonym that was
not assumed is right. Only where a single statement is left, it is certain (Reiter, *A theory of
diagnosis from first principles*, 1987: conflict sets and their hitting sets).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from fcp_ros.alignment.merging import drop_unused, make_mapping, merge_texts
from fcp_ros.alignment.predicate_use import PredicateUse, list_atoms, list_condition_names
from fcp_ros.alignment.simulator import GroundAction, ModelSimulator, Observation
from fcp_ros.alignment.synonyms import ContradictorySynonyms, NameMapping, Synonym
from fcp_ros.domain.pddl.syntax_tree import TRUE
from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out
from fcp_ros.foundation.stopping import Check

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


# --- trials: plans that were tried, what was seen, and what follows for the synonyms
#
# A hypothesis is a set of synonyms. The model in which they are one predicate predicts what a trial
# shows. If something else was seen, then the first step at which the two differ has a condition
# that was taken for true, or false, wrongly. Its truth rests only on the names that the hypothesis
# connects with the condition. So one of the synonyms between these names is wrong, or one that
# leads from them to another name is right. This holds of every mapping that explains the trial,
# provided that the model is right apart from its names and the world answers honestly.


@dataclass(frozen=True)
class Trial:
    """A plan that was tried."""

    actions: tuple[GroundAction, ...]
    synonyms: frozenset[Synonym]
    seen: Observation


class Predictor:
    """Predicts trials under hypotheses, and says what a wrong prediction means."""

    def __init__(
        self,
        texts: PddlTexts,
        uses: Mapping[str, PredicateUse],
        candidates: Iterable[Synonym],
        check: Check,
    ) -> None:
        self._texts = texts
        self._uses = uses
        self._check = check
        self._actions = {action.name: action for action in texts.domain.actions}
        self._by_name: dict[str, list[Synonym]] = {}
        for synonym in candidates:
            for name in synonym.names:
                self._by_name.setdefault(name, []).append(synonym)
        self._models: dict[frozenset[Synonym], ModelSimulator] = {}
        self._predicted: dict[tuple[frozenset[Synonym], tuple[GroundAction, ...]], Observation] = {}

    def make_mapping(self, synonyms: Iterable[Synonym]) -> NameMapping:
        return make_mapping(synonyms, self._uses)

    def predict(
        self, synonyms: frozenset[Synonym], actions: tuple[GroundAction, ...]
    ) -> Observation:
        """Predict what a trial shows if these synonyms hold and no others.

        Raises ContradictorySynonyms if they can't all hold.
        """
        if synonyms not in self._models:
            merged = merge_texts(self._texts, self.make_mapping(synonyms))
            self._models[synonyms] = ModelSimulator(
                work_out(drop_unused(merged), self._check), self._check
            )
        key = (synonyms, actions)
        if key not in self._predicted:
            self._predicted[key] = self._models[synonyms].run(actions)
        return self._predicted[key]

    def find_conflict(
        self, synonyms: frozenset[Synonym], actions: tuple[GroundAction, ...], seen: Observation
    ) -> ConflictSet | None:
        """Find what a trial says against a hypothesis; None if it predicts what was seen."""
        try:
            predicted = self.predict(synonyms, actions)
        except ContradictorySynonyms as error:
            return ConflictSet(frozenset(one for one in synonyms if one.names <= error.names))
        if predicted.agrees(seen):
            return None
        mapping = self.make_mapping(synonyms)
        names = self._find_decisive(mapping, actions, min(predicted.done, seen.done))
        return ConflictSet(
            frozenset(one for one in synonyms if one.names <= names),
            frozenset(
                one
                for name in names
                for one in self._by_name.get(name, ())
                if len(one.names & names) == 1
            ),
        )

    def _find_decisive(
        self, mapping: NameMapping, actions: tuple[GroundAction, ...], step: int
    ) -> frozenset[str]:
        """Return the names on which the outcome of a step rests (of the goal, after the last)."""
        if step < len(actions):
            names = list_condition_names(self._actions[actions[step][0].lower()])
        else:
            goal = self._texts.problem.goal
            names = frozenset(atom.predicate for atom in list_atoms(goal))
        found = mapping.find_connected(names)
        effects = [
            effect
            for name, _ in actions[:step]
            for effect in self._actions[name.lower()].effects
            if effect.condition != TRUE
        ]
        grows = True
        while grows:
            grows = False
            for effect in effects:
                changed = {atom.predicate for atom in (*effect.add, *effect.delete)}
                needed = {atom.predicate for atom in list_atoms(effect.condition)}
                if changed & found and not needed <= found:
                    found = mapping.find_connected(found | needed)
                    grows = True
        return found
