# SPDX-License-Identifier: Apache-2.0
"""Trials: plans that were tried, what was seen, and what follows for the synonyms.

A hypothesis is a set of synonyms. The model in which they are one predicate predicts what a trial
shows. If something else was seen, then the first step at which the two differ has a condition that
was taken for true, or false, wrongly. Its truth rests only on the names that the hypothesis
connects with the condition. So one of the synonyms between these names is wrong, or one that leads
from them to another name is right. This holds of every mapping that explains the trial, provided
that the model is right apart from its names and the world answers honestly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.alignment.conflicts import ConflictSet
from fcp_ros.alignment.merging import drop_unused, make_mapping, merge_texts
from fcp_ros.alignment.predicate_use import PredicateUse, list_atoms, list_condition_names
from fcp_ros.alignment.simulator import GroundAction, ModelSimulator, Observation
from fcp_ros.alignment.synonyms import ContradictorySynonyms, NameMapping, Synonym
from fcp_ros.domain.pddl.syntax_tree import TRUE
from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out


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
        check: Callable[[], None],
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
        """Return the mapping that synonyms make."""
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
