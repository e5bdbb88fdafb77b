# SPDX-License-Identifier: Apache-2.0
"""The alignment of a scene's names with a domain: propose, try what is doubtful, propose again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from fcp_ros.alignment.ontology.beliefs.proposal import OntologyProposal, Proposer
from fcp_ros.alignment.ontology.beliefs.relation_beliefs import ReadingScore
from fcp_ros.alignment.ontology.beliefs.scene_comparison import compare_names
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim, NameKind
from fcp_ros.alignment.ontology.options import SceneAlignmentOptions
from fcp_ros.alignment.ontology.probing.experiments import (
    ExperimentPlanner,
    LastAction,
    list_by_fact,
    list_by_type,
)
from fcp_ros.alignment.ontology.probing.hypothesis import NameHypothesis, NameUse, make_crisp
from fcp_ros.alignment.ontology.probing.trial_log import TrialLog, count_failures
from fcp_ros.alignment.ontology.reasons import ClaimWriter
from fcp_ros.alignment.ontology.scene_answer import (
    SceneAlignment,
    SceneAlignmentStatus,
    collect_names_of,
)
from fcp_ros.alignment.ontology.target import DomainTarget, Mask
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary, collect_names
from fcp_ros.alignment.trials.confirmation import ConfirmingSimulator
from fcp_ros.alignment.trials.simulator import Simulator, is_exact
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.domain.model import Domain
from fcp_ros.domain.scene_names import AttributeReading, SceneNames
from fcp_ros.foundation.wording import list_names
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

_MOST_TRIED = 3
"""Elements and actions that are tried for one meaning."""
_TYPES_TRIED = 3
"""Types that are tried for one label."""
_POSSIBLE, _PROBABLE = 0.1, 0.4
"""Least probability of a type that is worth a trial, and where a wider one is credible already."""
_READABLE = 0.02
"""Least probability of a reading that is worth a trial."""
_FEW_TRIALS = 3
"""Trials from which it is strange that nothing succeeded."""
_CONFIRMING = 0.2
"""Worth of a trial that confirms what is likely, next to the entropy of what is doubtful."""


@dataclass(frozen=True)
class _Question:
    """A meaning to try.

    Attributes:
        worth: how much a trial would tell.
        use: the meaning.
        supposed: what to suppose besides the best guess; nothing if that has it.
    """

    worth: float
    use: NameUse
    supposed: tuple[NameUse, ...] = ()


def align_scene(
    graph: SceneGraph,
    domain: Domain,
    simulator: Simulator | None = None,
    similarity: LabelSimilarity | None = None,
    options: SceneAlignmentOptions | None = None,
    *,
    other: SceneGraph | None = None,
    cancelled: CancelCallback = never_cancel,
    start: RequestStart | None = None,
) -> SceneAlignment:
    """Find out what the names of a scene mean in a domain.

    Args:
        graph: the scene as its source gives it, before completion.
        domain: the domain.
        simulator: where plans are tried, with the ids of the scene; None tries nothing.
        similarity: compares names in meaning; None leaves that out.
        options: limits and seed.
        other: another scene of the same place, in other words; None if there is none.
        cancelled: asked often; True ends the request.
        start: of the request; now by default.

    Returns:
        the answer; every failure is a status with a sentence, nothing is raised.
    """
    options = options or SceneAlignmentOptions()
    begun = time.monotonic()
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    alignment = _SceneAlignment(domain, simulator, similarity, options, watch, cancelled)
    try:
        result = alignment.run(graph, other)
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = SceneAlignmentStatus.CANCELLED if stopped else SceneAlignmentStatus.TIMEOUT
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

    def run(self, graph: SceneGraph, other: SceneGraph | None) -> SceneAlignment:
        """Propose, and try what can be tried."""
        vocabulary = collect_names(graph)
        self.notes.extend(vocabulary.notes)
        target = DomainTarget(self.domain)
        exact = self.simulator is not None and is_exact(self.simulator)
        self.log = TrialLog(lambda use: self._is_known(use, target), exact)
        hints: tuple[NameClaim, ...] = ()
        if other is not None:
            theirs = collect_names(other)
            hints = compare_names(vocabulary, theirs, self.similarity, self.watch.check)
        proposer = Proposer(vocabulary, target, self.similarity, hints, self.watch.check)
        self.proposer = proposer
        if proposer.words.note:
            self.notes.append(proposer.words.note)
        self.proposal = self.before = proposer.propose()
        if self.simulator is not None:
            confirming = ConfirmingSimulator(self.simulator, self.watch.check)
            stopped = self._try_all(proposer, confirming)
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
                    SceneAlignmentStatus.UNRELIABLE_SIMULATOR,
                    f"The simulator showed different things for the same {len(actions)} actions: "
                    "nothing can be learned from it.",
                )
            self.proposal = proposer.propose(self.log.weigh(proposer.target))
        self.notes.append(f"no more than {self.options.most_trials} plans were tried")
        return None

    def _try_one(
        self,
        proposer: Proposer,
        simulator: Simulator,
        tried: set[tuple[NameUse, LastAction, str]],
    ) -> bool:
        """Try the meaning that tells most; return False if nothing is left to try."""
        assert self.proposal is not None, "made before anything is tried"
        assert self.planner is not None, "made before anything is tried"
        guess = proposer.guess(self.proposal)
        known: dict[tuple[NameUse, ...], NameHypothesis | None] = {}
        for question in self._list_questions(proposer, self.proposal, guess):
            self.watch.check()
            supposed = question.supposed
            if supposed not in known:
                known[supposed] = self._suppose(proposer.vocabulary, guess, supposed)
            hypothesis = known[supposed]
            if hypothesis is None:
                continue
            actions = self._list_actions(question.use, proposer.vocabulary, hypothesis)
            for last in actions:
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

    def _list_questions(
        self, proposer: Proposer, proposal: OntologyProposal, guess: SceneNames
    ) -> list[_Question]:
        """List what is worth a trial, the most telling first: readings before types."""
        found: list[_Question] = []
        for name, readings in guess.relations.items():
            for reading in readings:
                found.append(_Question(3.0, NameUse(NameKind.RELATION, name, reading)))
        for name, reading_of in guess.attributes.items():
            found.append(_Question(2.0, NameUse(NameKind.ATTRIBUTE, name, reading_of)))
        found += self._list_unlikely(proposer, proposal, guess)
        for label in proposal.labels:
            found += self._list_label_questions(label, proposer, proposal, guess)
        open_ = [one for one in found if not self.log.is_settled(one.use)]
        return sorted(open_, key=lambda one: (-one.worth, one.use.name, str(one.use.meaning)))

    def _list_unlikely(
        self, proposer: Proposer, proposal: OntologyProposal, guess: SceneNames
    ) -> Iterator[_Question]:
        """List the likeliest readings of names that the guess has none for."""
        own = self.domain.schema.has_relation
        for name, beliefs in proposal.relations.items():
            if name in guess.relations or own(name):
                continue
            for score, share in beliefs[0].scores[:_MOST_TRIED]:
                use = NameUse(NameKind.RELATION, name, score.reading)
                if share >= _READABLE:
                    ends = self._suppose_ends(score, name, proposer, proposal, guess)
                    yield _Question(_entropy(share), use, (use, *ends))
        for name, scores in proposal.attributes.items():
            if name in guess.attributes:
                continue
            for one in scores[:_MOST_TRIED]:
                if one.probability >= _READABLE and one.reading != AttributeReading(name):
                    use = NameUse(NameKind.ATTRIBUTE, name, one.reading)
                    yield _Question(_entropy(one.probability), use, (use,))

    def _suppose_ends(
        self,
        score: ReadingScore,
        name: str,
        proposer: Proposer,
        proposal: OntologyProposal,
        guess: SceneNames,
    ) -> Iterator[NameUse]:
        """Yield for the labels without a meaning that a relation tells of the likeliest type each.

        Where neither a relation nor its things have a meaning, only both together can be tried.
        """
        vocabulary, target = proposer.vocabulary, proposer.target
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
        self, label: str, proposer: Proposer, proposal: OntologyProposal, guess: SceneNames
    ) -> list[_Question]:
        belief, target = proposal.labels[label], proposer.target
        known = target.find_type(label)
        is_odd = known is not None and belief[target.index(known)] < 0.9
        if proposer.vocabulary.find_layer(label) is not Layer.OBJECT:
            return []
        if known is not None and not is_odd:
            return []
        types = dict.fromkeys(
            parameter.type for rule in self.domain.rules.values() for parameter in rule.parameters
        )
        found = []
        for type_ in types:
            mask = target.mask(type_) if type_ in self.domain.schema.types else None
            if mask is None or proposer.is_default(type_):
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
            found.append(_Question(worth, use, (replace(use, meaning=supposed),)))
        found.sort(key=lambda one: -one.worth)
        return found[:_TYPES_TRIED]

    def _is_kind(self, meaning: str, type_: str) -> bool:
        own = self.domain.mapping.labels.get(meaning, meaning)
        return self.domain.schema.is_subtype(own, type_)

    def _list_actions(
        self, use: NameUse, vocabulary: SceneVocabulary, hypothesis: NameHypothesis
    ) -> Iterator[LastAction]:
        """List actions that rest on a meaning, for a few elements."""
        if use.kind is NameKind.LABEL:
            for element in vocabulary.labels[use.name][:_MOST_TRIED]:
                actions = list_by_type(self.domain, str(use.meaning), element)
                yield from list(actions)[:_MOST_TRIED]
            return
        facts = [fact for fact, origin in hypothesis.list_facts(use.name) if origin == use]
        for fact in facts[:_MOST_TRIED]:
            yield from list(list_by_fact(self.domain, fact))[:_MOST_TRIED]
        if use.kind is NameKind.ATTRIBUTE:
            denied = [fact for fact, origin in hypothesis.list_denied(use.name) if origin == use]
            for fact in denied[:_MOST_TRIED]:
                yield from list(list_by_fact(self.domain, fact, negated=True))[:_MOST_TRIED]

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
            status = SceneAlignmentStatus.NOTHING_IN_COMMON
            sentence = "No name of the scene means anything in the domain."
        elif not (written or doubtful):
            status = SceneAlignmentStatus.NOTHING_TO_ALIGN
            rest = f", but {len(unknown)} that mean nothing there" if unknown else ""
            sentence = f"The domain has all names of the scene{rest}."
        else:
            status = SceneAlignmentStatus.ALIGNED
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
        self, status: SceneAlignmentStatus, message: str, claims: tuple[NameClaim, ...] = ()
    ) -> SceneAlignment:
        """Make the answer."""
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
    return any("layer" not in " ".join(claim.reasons) for claim in known)


def _describe_false_friends(claims: tuple[NameClaim, ...]) -> list[str]:
    """Describe names that the domain has, and that mean something else in the scene."""
    found = [
        claim.name
        for claim in claims
        if any(reason.startswith("not the ") for reason in claim.reasons)
    ]
    if not found:
        return []
    return [f"the domain means something else by {list_names(found)}"]


def _entropy(share: float) -> float:
    """Return the entropy of a yes or no with this probability (bits)."""
    if not 0.0 < share < 1.0:
        return 0.0
    return -share * math.log2(share) - (1.0 - share) * math.log2(1.0 - share)
