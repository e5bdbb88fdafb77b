# SPDX-License-Identifier: Apache-2.0
"""The alignment of a scene's names with a domain: propose, try what is doubtful, propose again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fcp_ros.alignment.answer import AlignmentStatus
from fcp_ros.alignment.ontology.beliefs import ReadingScore
from fcp_ros.alignment.ontology.claims import (
    ClaimStanding,
    NameClaim,
    NameHypothesis,
    NameKind,
    NameUse,
)
from fcp_ros.alignment.ontology.experiments import (
    ExperimentPlanner,
    LastAction,
    NameExperiment,
    TrialLog,
    count_failures,
    list_by_fact,
    list_by_type,
)
from fcp_ros.alignment.ontology.proposal import OntologyProposal, Proposer
from fcp_ros.alignment.ontology.reasons import ClaimWriter
from fcp_ros.alignment.ontology.vocabulary import DomainTarget, Mask, SceneVocabulary, collect_names
from fcp_ros.alignment.simulator import Observation, Simulator
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.domain.model import Domain, make_crisp
from fcp_ros.domain.scene_names import AttributeReading, RelationReading, SceneNames
from fcp_ros.foundation.wording import list_names
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.scene.graph.elements import Layer, SceneError
from fcp_ros.scene.graph.graph import SceneGraph

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


@dataclass(frozen=True)
class SceneAlignmentOptions:
    """The settings of an alignment."""

    time_limit: float = 60.0  # for the whole request (s)
    most_trials: int = 60
    seed: int = 0  # decides between equally good plans


@dataclass(frozen=True)
class SceneAlignment:
    """The meanings of a scene's names."""

    status: AlignmentStatus
    message: str  # it in one or two sentences
    # one for each name of the scene, and for each meaning that was refuted
    claims: tuple[NameClaim, ...] = ()
    # the actions that were tried, with what was seen
    trials: tuple[tuple[NameExperiment, Observation], ...] = ()
    notes: tuple[str, ...] = ()  # sentences about what was left out
    seconds: float = 0.0
    _written: SceneNames = field(default_factory=SceneNames)

    @property
    def names(self) -> SceneNames:
        """The overrides: all meanings that are kept or likely enough."""
        return self._written

    def list_standing(self, *standings: ClaimStanding) -> tuple[NameClaim, ...]:
        return tuple(claim for claim in self.claims if claim.standing in standings)

    def to_plain(self) -> dict[str, Any]:
        return {
            "status": self.status.value,
            "message": self.message,
            "claims": [claim.to_plain() for claim in self.claims],
            "trials": [
                {
                    "actions": [f"{name}({', '.join(given)})" for name, given in tried.actions],
                    "done": seen.done,
                    "reason": seen.reason,
                }
                for tried, seen in self.trials
            ],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


def collect_names_of(claims: tuple[NameClaim, ...]) -> SceneNames:
    """Collect what is written of claims: overrides."""
    labels: dict[str, str] = {}
    relations: dict[str, tuple[RelationReading, ...]] = {}
    attributes: dict[str, AttributeReading] = {}
    doubtful = {(one.kind, one.name) for one in claims if one.standing is ClaimStanding.DOUBTFUL}
    for claim in claims:
        # Of several readings of a relation, all are written or none.
        if not claim.standing.is_written or (claim.kind, claim.name) in doubtful:
            continue
        meaning = claim.meaning
        if isinstance(meaning, RelationReading):
            relations[claim.name] = (*relations.get(claim.name, ()), meaning)
        elif isinstance(meaning, AttributeReading):
            attributes[claim.name] = meaning
        elif meaning is not None and claim.kind is NameKind.LABEL:
            labels[claim.name] = meaning
    return SceneNames(labels, relations, attributes)


# --- the alignment


_FEW_TRIALS = 3
"""Trials from which it is strange that nothing succeeded."""


def align_scene(
    graph: SceneGraph,  # the scene as its source gives it, before completion
    domain: Domain,
    # where plans are tried, with the ids of the scene; None tries nothing
    simulator: Simulator | None = None,
    similarity: LabelSimilarity | None = None,  # compares names in meaning; None leaves that out
    options: SceneAlignmentOptions | None = None,
    *,
    cancelled: CancelCallback = never_cancel,  # asked often; True ends the request
    start: RequestStart | None = None,  # of the request; now by default
) -> SceneAlignment:
    """Find out what the names of a scene mean in a domain.

    Returns the answer; every failure is a status with a sentence, nothing is raised.
    """
    options = options or SceneAlignmentOptions()
    begun = time.monotonic()
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    alignment = _SceneAlignment(domain, simulator, similarity, options, watch, cancelled)
    try:
        result = alignment.run(graph)
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        result = alignment.conclude(status, reason.sentence)
    return replace(result, seconds=time.monotonic() - begun)


@dataclass
class _SceneAlignment:
    domain: Domain
    simulator: Simulator | None
    similarity: LabelSimilarity | None
    options: SceneAlignmentOptions
    watch: Watch
    cancelled: CancelCallback
    notes: list[str] = field(default_factory=list)
    proposer: Proposer | None = None
    proposal: OntologyProposal | None = None
    before: OntologyProposal | None = None
    planner: ExperimentPlanner | None = None

    def run(self, graph: SceneGraph) -> SceneAlignment:
        """Propose, and try what can be tried."""
        vocabulary = collect_names(graph)
        self.notes.extend(vocabulary.notes)
        target = DomainTarget(self.domain)
        self.log = TrialLog(lambda use: self._is_known(use, target))
        proposer = Proposer(vocabulary, target, self.similarity, self.watch.check)
        self.proposer = proposer
        if proposer.words.note:
            self.notes.append(proposer.words.note)
        self.proposal = self.before = proposer.propose()
        if self.simulator is not None:
            stopped = self._try_all(proposer, self.simulator)
            if stopped is not None:
                return stopped
        return self._conclude()

    # --- trials

    def _try_all(self, proposer: Proposer, simulator: Simulator) -> SceneAlignment | None:
        """Try meanings until none is left to try; return an answer only if that makes no sense."""
        self.planner = ExperimentPlanner(make_crisp(self.domain), self.cancelled, self.options.seed)
        tried: set[tuple[NameUse, LastAction, str]] = set()
        while len(self.log.trials) < self.options.most_trials:
            self.watch.check()
            assert self.proposal is not None, "made before anything is tried"
            if not self._try_one(proposer, simulator, tried):
                return None
            actions = self.log.find_contradiction()
            if actions is not None:
                return self.conclude(
                    AlignmentStatus.UNRELIABLE_SIMULATOR,
                    f"The simulator showed different things for the same {len(actions)} actions: "
                    "nothing can be learned from it.",
                )
            self.proposal = proposer.propose(self.log.weigh(proposer.target))
        self.notes.append(f"no more than {self.options.most_trials} plans were tried")
        return None

    def _try_one(
        self, proposer: Proposer, simulator: Simulator, tried: set[tuple[NameUse, LastAction, str]]
    ) -> bool:
        """Try the meaning that tells most; return False if nothing is left to try."""
        assert self.proposal is not None, "made before anything is tried"
        assert self.planner is not None, "made before anything is tried"
        guess = proposer.guess(self.proposal)
        known: dict[tuple[NameUse, ...], NameHypothesis | None] = {}
        questions = TrialQuestions(self.domain, proposer, self.log)
        for question in questions.list_open(self.proposal, guess):
            self.watch.check()
            supposed = question.supposed
            if supposed not in known:
                known[supposed] = self._suppose(proposer.vocabulary, guess, supposed)
            hypothesis = known[supposed]
            if hypothesis is None:
                continue
            for last in questions.list_actions(question.use, hypothesis):
                key = (question.use, last, str(guess))
                if key in tried:
                    continue
                tried.add(key)
                self.watch.check()
                experiment = self.planner.plan(hypothesis, last)
                if experiment is None or question.use not in experiment.uses[-1]:
                    continue
                if not self.log.expects_failure(experiment):
                    self.log.add(experiment, simulator.run(experiment.actions))
                    return True
        return False

    def _suppose(
        self, vocabulary: SceneVocabulary, guess: SceneNames, supposed: tuple[NameUse, ...]
    ) -> NameHypothesis | None:
        """Make the state under the best guess, with meanings besides; None if it can't be."""
        try:
            for use in supposed:
                guess = use.put_into(guess)
            return NameHypothesis(vocabulary, self.domain, guess)
        except SceneError as error:
            note = f"a combination of meanings was left out: {error}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def _is_known(self, use: NameUse, target: DomainTarget) -> bool:
        """Return True if a meaning is what the domain itself says of the name."""
        if use.kind is NameKind.LABEL:
            own = target.find_type(use.name)
            return own is not None and self.domain.schema.is_subtype(own, str(use.meaning))
        if isinstance(use.meaning, AttributeReading):
            return use.meaning == AttributeReading(use.name)
        return not isinstance(use.meaning, str) and str(use.meaning).startswith(f"{use.name}(")

    # --- the answer

    def _conclude(self) -> SceneAlignment:
        claims = self._write_claims()
        written = [claim for claim in claims if claim.standing.is_written]
        doubtful = [claim for claim in claims if claim.standing is ClaimStanding.DOUBTFUL]
        unknown = [claim for claim in claims if claim.standing is ClaimStanding.UNKNOWN]
        known = [claim for claim in claims if claim.standing is ClaimStanding.KNOWN]
        if not (written or doubtful) and unknown and not _are_enough(known):
            status = AlignmentStatus.NOTHING_IN_COMMON
            sentence = "No name of the scene means anything in the domain."
        elif not (written or doubtful):
            status = AlignmentStatus.NOTHING_TO_ALIGN
            rest = f", but {len(unknown)} that mean nothing there" if unknown else ""
            sentence = f"The domain has all names of the scene{rest}."
        else:
            status = AlignmentStatus.ALIGNED
            kept = sum(claim.standing is ClaimStanding.KEPT for claim in written)
            sentence = (
                f"{len(doubtful)} names may have a meaning in the domain, but none is certain "
                "enough to be written: try them in a world."
                if not written
                else f"{len(written)} names have a meaning in the domain ({kept} of them tried), "
                f"{len(doubtful)} are doubtful, {len(unknown)} mean nothing there."
            )
        return self.conclude(status, sentence, claims)

    def conclude(
        self, status: AlignmentStatus, message: str, claims: tuple[NameClaim, ...] = ()
    ) -> SceneAlignment:
        trials = () if self.proposer is None else tuple(self.log.trials)
        if trials:
            message = f"{message} {len(trials)} plans were tried, {count_failures(trials)} failed."
        claims = claims or self._write_claims()
        notes = [*self.notes, *_describe_false_friends(claims)]
        if len(trials) >= _FEW_TRIALS and not self.log.succeeded:
            notes.append("no action ever succeeded: is the world that of the scene, with its ids?")
        if self.proposer is not None and self.log.unexplained:
            notes.append(
                f"{self.log.unexplained} plans failed although all that they rest on succeeded "
                "elsewhere: the world differs from the scene otherwise"
            )
        return SceneAlignment(
            status, message, claims, trials, tuple(notes), _written=collect_names_of(claims)
        )

    def _write_claims(self) -> tuple[NameClaim, ...]:
        if self.proposer is None or self.proposal is None:
            return ()
        before = self.before or self.proposal
        return ClaimWriter(self.proposer, self.log, before).write(self.proposal)


def _are_enough(known: list[NameClaim]) -> bool:
    """Return True if the domain knows labels of things, not only layers."""
    return not all(claim.is_layer for claim in known)


def _describe_false_friends(claims: tuple[NameClaim, ...]) -> list[str]:
    """Describe names that the domain has, and that mean something else in the scene."""
    found = [claim.name for claim in claims if claim.namesake]
    if not found:
        return []
    return [f"the domain means something else by {list_names(found)}"]
