# SPDX-License-Identifier: Apache-2.0
"""The meanings that are worth a trial, and the actions that rest on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.alignment.ontology.beliefs import ReadingScore
from fcp_ros.alignment.ontology.claims import NameHypothesis, NameKind, NameUse
from fcp_ros.alignment.ontology.experiments import LastAction, TrialLog, list_by_fact, list_by_type
from fcp_ros.alignment.ontology.proposal import OntologyProposal, Proposer
from fcp_ros.alignment.ontology.vocabulary import Mask
from fcp_ros.domain.model import Domain
from fcp_ros.domain.scene_names import AttributeReading, SceneNames
from fcp_ros.scene.graph.elements import Layer

_MOST_TRIED = 3
"""Elements and actions that are tried for one meaning."""
_TYPES_TRIED = 3
"""Types that are tried for one label."""
_POSSIBLE, _PROBABLE = 0.1, 0.4
"""Least probability of a type that is worth a trial, and where a wider one is credible already."""
_READABLE = 0.02
"""Least probability of a reading that is worth a trial."""
_CONFIRMING = 0.2
"""Worth of a trial that confirms what is likely, next to the entropy of what is doubtful."""


@dataclass(frozen=True)
class NameQuestion:
    """A meaning to try."""

    worth: float  # how much a trial would tell
    use: NameUse
    # what to suppose besides the best guess; nothing if that has it
    supposed: tuple[NameUse, ...] = ()


class TrialQuestions:
    """Lists what to try. `log`: of the trials so far."""

    def __init__(self, domain: Domain, proposer: Proposer, log: TrialLog) -> None:
        self._domain = domain
        self._proposer = proposer
        self._log = log

    def list_open(self, proposal: OntologyProposal, guess: SceneNames) -> list[NameQuestion]:
        """List what is worth a trial, the most telling first: readings before types.

        `proposal`: the meanings with their probabilities.
        """
        found: list[NameQuestion] = []
        for name, readings in guess.relations.items():
            for reading in readings:
                found.append(NameQuestion(3.0, NameUse(NameKind.RELATION, name, reading)))
        for name, reading_of in guess.attributes.items():
            found.append(NameQuestion(2.0, NameUse(NameKind.ATTRIBUTE, name, reading_of)))
        found += self._list_unlikely(proposal, guess)
        for label in proposal.labels:
            found += self._list_label_questions(label, proposal, guess)
        open_ = [one for one in found if not self._log.is_settled(one.use)]
        return sorted(open_, key=lambda one: (-one.worth, one.use.name, str(one.use.meaning)))

    def _list_unlikely(
        self, proposal: OntologyProposal, guess: SceneNames
    ) -> Iterator[NameQuestion]:
        """List the likeliest readings of names that the guess has none for."""
        own = self._domain.schema.has_relation
        for name, beliefs in proposal.relations.items():
            if name in guess.relations or own(name):
                continue
            for score, share in beliefs[0].scores[:_MOST_TRIED]:
                use = NameUse(NameKind.RELATION, name, score.reading)
                if share >= _READABLE:
                    ends = self._suppose_ends(score, name, proposal, guess)
                    yield NameQuestion(_entropy(share), use, (use, *ends))
        for name, scores in proposal.attributes.items():
            if name in guess.attributes:
                continue
            for one in scores[:_MOST_TRIED]:
                if one.probability >= _READABLE and one.reading != AttributeReading(name):
                    use = NameUse(NameKind.ATTRIBUTE, name, one.reading)
                    yield NameQuestion(_entropy(one.probability), use, (use,))

    def _suppose_ends(
        self, score: ReadingScore, name: str, proposal: OntologyProposal, guess: SceneNames
    ) -> Iterator[NameUse]:
        """Yield for the labels without a meaning that a relation tells of the likeliest type each.

        Where neither a relation nor its things have a meaning, only both together can be tried.
        """
        vocabulary, target = self._proposer.vocabulary, self._proposer.target
        masks: dict[str, Mask] = {}
        for elements in vocabulary.relations[name]:
            for leg, end in zip(score.target.legs, score.reading.read(elements), strict=True):
                label = vocabulary.label_of.get(end)
                if label is not None and label not in guess.labels:
                    masks[label] = masks.get(label, leg) & leg
        for label, mask in masks.items():
            belief = np.where(mask, proposal.labels[label], 0.0)
            if target.find_type(label) is None and belief.any():
                yield NameUse(NameKind.LABEL, label, target.types[int(belief.argmax())])

    def _list_label_questions(
        self, label: str, proposal: OntologyProposal, guess: SceneNames
    ) -> list[NameQuestion]:
        belief, target = proposal.labels[label], self._proposer.target
        known = target.find_type(label)
        is_odd = known is not None and belief[target.index(known)] < 0.9
        if self._proposer.vocabulary.find_layer(label) is not Layer.OBJECT:
            return []
        if known is not None and not is_odd:
            return []
        types = dict.fromkeys(
            parameter.type for rule in self._domain.rules.values() for parameter in rule.parameters
        )
        found = []
        for type_ in types:
            mask = target.mask(type_) if type_ in self._domain.schema.types else None
            if mask is None or self._proposer.is_default(type_):
                continue
            share = float(belief[mask].sum())
            claimed = guess.labels.get(label)
            if share < (_POSSIBLE if claimed is None else _PROBABLE):
                continue
            inside = [at for at in belief.argsort()[::-1] if mask[at]]
            is_able = claimed is not None and self._is_kind(claimed, type_)
            supposed = claimed if is_able and claimed else target.types[inside[0]]
            use = NameUse(NameKind.LABEL, label, type_)
            worth = max(_entropy(share), _CONFIRMING) + 0.01 / (1 + int(mask.sum()))
            found.append(NameQuestion(worth, use, (replace(use, meaning=supposed),)))
        found.sort(key=lambda one: -one.worth)
        return found[:_TYPES_TRIED]

    def _is_kind(self, meaning: str, type_: str) -> bool:
        own = self._domain.mapping.labels.get(meaning, meaning)
        return self._domain.schema.is_subtype(own, type_)

    def list_actions(self, use: NameUse, hypothesis: NameHypothesis) -> Iterator[LastAction]:
        """List actions that rest on a meaning, for a few elements.

        `hypothesis`: the state in which it is supposed.
        """
        if use.kind is NameKind.LABEL:
            for element in self._proposer.vocabulary.labels[use.name][:_MOST_TRIED]:
                actions = list_by_type(self._domain, str(use.meaning), element)
                yield from list(actions)[:_MOST_TRIED]
            return
        facts = [fact for fact, origin in hypothesis.list_facts(use.name) if origin == use]
        for fact in facts[:_MOST_TRIED]:
            yield from list(list_by_fact(self._domain, fact))[:_MOST_TRIED]
        if use.kind is NameKind.ATTRIBUTE:
            denied = [fact for fact, origin in hypothesis.list_denied(use.name) if origin == use]
            for fact in denied[:_MOST_TRIED]:
                yield from list(list_by_fact(self._domain, fact, negated=True))[:_MOST_TRIED]


def _entropy(share: float) -> float:
    """Return the entropy of a yes or no with this probability (bits)."""
    if not 0.0 < share < 1.0:
        return 0.0
    return -share * math.log2(share) - (1.0 - share) * math.log2(1.0 - share)
