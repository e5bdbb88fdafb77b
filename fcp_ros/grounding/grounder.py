# SPDX-License-Identifier: Apache-2.0
"""The grounder: graded predicates, their oracles, the cache and calibration, behind one `judge`.

    request -> duplicate in this batch? -> words of a label -> judged word for word? -> cache
            -> one oracle or several, one batch a predicate (`router`) -> calibration -> membership

Equal contexts are asked once. The cache keeps the oracle's degree; calibration is applied last,
each time, so that an outcome counts from the next judgement on.

`ORACLES` is the table of oracles by name; of these, the predicates of a domain need some.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Combination, Domain, GradedPredicate
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding.cached_oracle import CachedOracle, UnavailableOracle
from fcp_ros.grounding.calibration.calibrator import Calibrator, Question
from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence
from fcp_ros.grounding.confirming import Confirmer, SecondStage, make_tuned
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.endpoint_oracle import EndpointOracle
from fcp_ros.grounding.heads.head_file import (
    choose_model,
    find_source,
)
from fcp_ros.grounding.heads.head_judge import HeadOracle
from fcp_ros.grounding.heads.pair_features import make_encoder
from fcp_ros.grounding.judged_pairs import KnownAnswers
from fcp_ros.grounding.judgement import (
    NOTICEABLE,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    Membership,
    build_request,
)
from fcp_ros.grounding.judgement_cache import CacheStatistics, JudgementCache
from fcp_ros.grounding.known_words import load_known_words
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.membership_oracle import MembershipOracle, require_all
from fcp_ros.grounding.models.model_store import ModelAbsentError
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder, suggest_better_model
from fcp_ros.grounding.options import CalibrationOptions, Device, GroundingOptions, Precision
from fcp_ros.grounding.request_reading import RequestReader
from fcp_ros.grounding.router import UNJUDGED, OracleRouter, choose_oracles
from fcp_ros.grounding.stated import RuleOracle, TableOracle


def make_embedding(options: GroundingOptions) -> MembershipOracle:
    """Make the embedding oracle, or the head oracle if the model is no sentence model.

    The option `model` counts if this is the default oracle.
    """
    given = str(options.model) if options.oracle == EmbeddingOracle.name else ""
    encoder = make_encoder(choose_model(given, _find_heads(options)), Device(options.device))
    if not isinstance(encoder, SentenceEncoder):
        return make_head(options)
    return EmbeddingOracle(encoder, _find_heads(options))


def make_head(options: GroundingOptions) -> MembershipOracle:
    """Make the oracle of trained heads; `model` counts if it is the default oracle."""
    own = options.oracle in (HeadOracle.name, EmbeddingOracle.name)
    source = find_source(
        str(options.model) if own else "",
        _find_heads(options),
        Device(options.device),
        Precision(options.language_model.precision),
    )
    return HeadOracle(source)


def _find_heads(options: GroundingOptions) -> Path | None:
    return Path(options.heads) if str(options.heads) else None


def suggest_model(options: GroundingOptions) -> str:
    """Return a sentence about a better model that can be fetched for the default oracle, or ""."""
    is_open = options.oracle in (HeadOracle.name, EmbeddingOracle.name) and not str(options.model)
    return suggest_better_model() if is_open and not str(options.heads) else ""


def make_causal_lm(options: GroundingOptions) -> MembershipOracle:
    """Make the language-model oracle; its folder is `language_model.folder` or `model`."""
    own = options.model if options.oracle not in (EmbeddingOracle.name, HeadOracle.name) else ""
    folder = str(options.language_model.folder) or str(own)
    if not folder:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            "the causal_lm oracle needs a model: set language_model to the folder of a Hugging "
            "Face language model, or oracle to causal_lm and model to the folder",
        )
    return CausalLmOracle(Path(folder), options.language_model, Device(options.device))


def make_endpoint(options: GroundingOptions) -> MembershipOracle:
    """Make the endpoint oracle for the URL of a server, which is not asked yet."""
    return EndpointOracle(options.endpoint, options.language_model)


ORACLES: Mapping[str, Callable[[GroundingOptions], MembershipOracle]] = {
    EmbeddingOracle.name: make_embedding,
    HeadOracle.name: make_head,
    CausalLmOracle.name: make_causal_lm,
    EndpointOracle.name: make_endpoint,
    TableOracle.name: lambda options: TableOracle(),
    RuleOracle.name: lambda options: RuleOracle(),
}
"""The maker of every oracle by its name in options and domain files."""


def make_oracle(name: str, options: GroundingOptions) -> MembershipOracle:
    """Make the oracle of that name; checks its model's folder, loads nothing heavy."""
    if name not in ORACLES:
        hint = suggest_name(name, ORACLES)
        raise GroundingError(
            GroundingCode.UNKNOWN_ORACLE, f"there is no oracle called {name!r}; {hint}"
        )
    return ORACLES[name](options)


def make_oracles(
    predicates: Iterable[GradedPredicate],
    options: GroundingOptions,
    known: KnownAnswers | None = None,
) -> dict[str, MembershipOracle]:
    """Make the oracles of the predicates, the default and the fallback, by name.

    What is `known` precedes a table's entries for kinds. Without substitute, an oracle that can't
    be made is an error; but one whose model was only not fetched yet leaves the other predicates
    their answers.
    """
    needed = {options.fallback} if options.fallback else set()
    optional = set()
    if not options.fallback:
        needed.add(options.oracle)
    else:
        optional.add(options.oracle)
    for predicate in predicates:
        choice = choose_oracles(predicate, options.oracle)
        first_of_several = choice.combination is Combination.FIRST_OF and len(choice.names) > 1
        can_fail = bool(options.fallback) or first_of_several
        (optional if can_fail else needed).update(choice.names)
    # Sorted, so that the same one of two wrong settings is always reported.
    made = {
        name: _make_if_possible(name, options, is_needed=name in needed)
        for name in sorted(needed | optional)
    }
    return made | {TableOracle.name: TableOracle(known)} if TableOracle.name in made else made


def _make_if_possible(name: str, options: GroundingOptions, *, is_needed: bool) -> MembershipOracle:
    try:
        return make_oracle(name, options)
    except GroundingError as error:
        is_lasting = is_needed and not isinstance(error, ModelAbsentError)
        if is_lasting or error.code is GroundingCode.UNKNOWN_ORACLE:
            raise
        return UnavailableOracle(name, error)


IN_MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class OracleInfo:
    """An oracle that may answer for a predicate, and the state of its model.

    `model` is "" if the oracle can't be used, or its server has not been asked yet. `loaded` is
    True if the model is in memory.
    """

    predicate: str
    oracle: str
    model: str
    mode: str
    loaded: bool


class Grounder:
    """Judges requests about the graded predicates of a domain. Safe to call from several threads.

    `default` names the oracle of predicates that say "default", `fallback` the one that answers if
    the intended one can't ("" for none). What is `known` comes before an oracle with a model, and
    before that `reader` reads the words. Raises GroundingError if a predicate uses an oracle that
    is missing.
    """

    def __init__(
        self,
        predicates: Mapping[str, GradedPredicate],
        oracles: Mapping[str, MembershipOracle],
        default: str,
        cache: JudgementCache,
        calibration: CalibrationStore,
        calibration_options: CalibrationOptions | None = None,
        *,
        fallback: str = "",
        known: KnownAnswers | None = None,
        reader: RequestReader | None = None,
        tuned: SecondStage | None = None,
    ) -> None:
        self.predicates = MappingProxyType(dict(predicates))
        self._parameters = {
            name: [parameter.name for parameter in predicate.parameters]
            for name, predicate in predicates.items()
        }
        self.cache = cache
        self.calibration = calibration
        self.calibrator = Calibrator(calibration, calibration_options)
        self._known = known
        self._oracles = {
            name: CachedOracle(oracle, cache, known=known, reader=reader)
            for name, oracle in oracles.items()
        }
        self._confirmer: Confirmer | None = None
        if tuned is not None:
            kept = CachedOracle(tuned.oracle, cache, known=known, reader=reader)
            self._confirmer = Confirmer(kept, default, tuned.sets)
        self._router = OracleRouter(predicates, self._oracles, default, fallback)
        wanted = {name: by for by, choice in self._router.choices.items() for name in choice.names}
        if fallback:
            wanted.setdefault(fallback, "the option fallback")
        for name, by in wanted.items():
            if name not in oracles:
                raise GroundingError(
                    GroundingCode.UNKNOWN_ORACLE,
                    f"{by} asks for the oracle {name!r}, which is not set up; there are "
                    f"{', '.join(sorted(oracles))}",
                )

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems for people to look at: oracles that can't answer now, files set aside."""
        lookup = self._known.note if self._known is not None else ""
        confirmed = self._confirmer.note if self._confirmer is not None else ""
        stores = (
            self.cache.note,
            self.calibration.note,
            self.calibrator.trouble,
            lookup,
            confirmed,
        )
        troubles = (
            f"the oracle {name} can't answer: {kept.outage.error}"
            for name, kept in self._oracles.items()
            if kept.outage.error is not None
        )
        remarks = (note for kept in self._oracles.values() for note in kept.notes)
        return (*(note for note in stores if note), *troubles, *remarks)

    def request(
        self, predicate: str, arguments: tuple[str, ...], instance: Instance
    ) -> JudgementRequest:
        """Build the request for bound arguments in a state; see `build_request`."""
        return build_request(self._find_predicate(predicate), arguments, instance)

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """Judge requests: one membership each, in order, calibrated if the predicate says so."""
        keys = [request.context_key for request in requests]
        questions: dict[str, JudgementRequest] = {}
        for key, request in zip(keys, requests, strict=True):
            if key not in questions:
                questions[key] = self._check(request)
        answers = self._calibrate(questions, self._ask_oracles(questions))
        return [answers[key] for key in keys]

    def confirm(self, requests: Sequence[JudgementRequest]) -> bool:
        """Judge again, more exactly, what a plan or an answer rests on; from then on that counts.

        Only the default oracle's own degrees are judged again, each once, by a tuned encoder, at
        some milliseconds each. Returns True if a degree moved, so that another plan may be better.
        """
        if self._confirmer is None:
            return False
        questions = {request.context_key: self._check(request) for request in requests}
        before = self._ask_oracles(questions)
        after = self._confirmer.confirm(self.predicates, questions, before)
        return any(abs(after[key].prior - before[key].prior) > NOTICEABLE for key in after)

    def record(
        self,
        request: JudgementRequest,
        quality: float,
        step: str = "",
        *,
        stamp: float | None = None,
        membership: Membership | None = None,
        weight: float = 1.0,
    ) -> bool:
        """Store the quality in [0, 1] (0: failure) that a step reached, as evidence of a degree.

        `membership` is the answer that the step relied on (None: the cached one, if any, for the
        oracle's part), `weight` the share of the outcome that counts for this judgement
        (`execution/outcome.py`), `stamp` in s since the epoch (None: now). Returns False if the
        predicate is not calibrated, so that nothing was stored. Raises GroundingError for an
        unknown predicate, a quality out of range, or if the store failed.
        """
        evidence = self.make_evidence(
            request, quality, step, stamp=stamp, membership=membership, weight=weight
        )
        if evidence is None:
            return False
        self.calibration.record(evidence)
        return True

    def make_evidence(
        self,
        request: JudgementRequest,
        quality: float,
        step: str = "",
        *,
        stamp: float | None = None,
        membership: Membership | None = None,
        weight: float = 1.0,
    ) -> Evidence | None:
        """Make the evidence that `record` stores; None if the predicate is not calibrated."""
        predicate = self._find_predicate(request.predicate)
        if not predicate.calibrated:
            return None
        if membership is None:
            membership = self._router.find_answer(predicate, self._check(request))
            if membership is not None:
                found = {request.context_key: membership}
                if self._confirmer is not None:
                    found = self._confirmer.replace_known(found)
                membership = self._calibrate({"": request}, {"": found[request.context_key]})[""]
        return Evidence(
            request.predicate,
            request.context_key,
            quality,
            time.time() if stamp is None else stamp,
            step,
            prior=None if membership is None else membership.prior,
            degree=None if membership is None else membership.degree,
            source=membership.source if membership else "",
            model=membership.model if membership else "",
            weight=weight,
        )

    def drifts(self) -> tuple[Drift, ...]:
        """Find the predicates and models whose outcomes no longer agree with their degrees."""
        return self.calibrator.drifts()

    def reliabilities(self) -> tuple[Reliability, ...]:
        """Score the past degrees of each predicate and model; `is_poor` is a high error."""
        return self.calibrator.reliabilities()

    def describe(self) -> tuple[OracleInfo, ...]:
        """List the oracles that answer for each predicate, in the order of asking."""
        return tuple(
            OracleInfo(predicate.name, name, kept.model, kept.oracle.mode, kept.is_loaded)
            for predicate in self.predicates.values()
            for name in self._router.choices[predicate.name].names
            for kept in (self._oracles[name],)
        )

    def statistics(self) -> CacheStatistics:
        return self.cache.statistics()

    def close(self) -> None:
        """Close oracles, cache and calibration store; the grounder can't be used afterwards."""
        for kept in self._oracles.values():
            kept.close()
        self.cache.close()
        self.calibration.close()

    def _check(self, request: JudgementRequest) -> JudgementRequest:
        names = self._parameters.get(request.predicate)
        if names is None:
            raise self._make_unknown_error(request.predicate)
        if [argument.parameter for argument in request.arguments] != names:
            raise GroundingError(
                GroundingCode.WRONG_ARGUMENTS,
                f"{request} must bind the parameters of {request.predicate} in order: "
                f"{', '.join(names)}",
            )
        return request

    def _ask_oracles(self, questions: Mapping[str, JudgementRequest]) -> dict[str, Membership]:
        """Ask the oracles, in one batch a predicate; answers by context key."""
        batches: dict[str, list[JudgementRequest]] = {}
        for request in questions.values():
            batches.setdefault(request.predicate, []).append(request)
        found: dict[str, Membership] = {}
        for name, batch in batches.items():
            answers = require_all(self._router.answer(self.predicates[name], batch))
            found.update(zip((request.context_key for request in batch), answers, strict=True))
        return found if self._confirmer is None else self._confirmer.replace_known(found)

    def _calibrate(
        self, questions: Mapping[str, JudgementRequest], priors: Mapping[str, Membership]
    ) -> dict[str, Membership]:
        """Calibrate the answers of predicates that say so, by context key."""
        if not self.calibrator.has_outcomes():
            return dict(priors)
        wanted = [
            (key, questions[key], prior)
            for key, prior in priors.items()
            if self.predicates[questions[key].predicate].calibrated and prior.source != UNJUDGED
        ]
        found = self.calibrator.calibrate(
            [
                Question(
                    request.predicate,
                    request.context_key,
                    prior.prior,
                    prior.model,
                    prior.uncertainty,
                )
                for _, request, prior in wanted
            ]
        )
        answers = dict(priors)
        for (key, _, prior), learnt in zip(wanted, found, strict=True):
            if learnt.outcomes or learnt.degree != prior.degree:
                notes = (prior.note, learnt.describe_shift(prior.prior))
                answers[key] = replace(
                    prior,
                    degree=learnt.degree,
                    evidence_count=learnt.outcomes,
                    note="; ".join(note for note in notes if note),
                )
        return answers

    def _find_predicate(self, name: str) -> GradedPredicate:
        if name not in self.predicates:
            raise self._make_unknown_error(name)
        return self.predicates[name]

    def _make_unknown_error(self, name: str) -> GroundingError:
        return GroundingError(
            GroundingCode.UNKNOWN_PREDICATE,
            f"the domain has no graded predicate {name!r}; {suggest_name(name, self.predicates)}",
        )


def make_grounder(domain: Domain, options: GroundingOptions | None = None) -> Grounder:
    """Make the grounder of a domain. Models are checked now and loaded at the first question.

    With a fallback, or another oracle that a predicate names for the case, an oracle that can't be
    made is no error: `Grounder.notes` gives the reason, and so does each membership that another
    oracle gave instead. By default nothing is kept on disk.
    """
    options = options or GroundingOptions()
    learnt = options.calibration
    own = Path(options.heads) if str(options.heads) else None
    known = KnownAnswers(own)
    oracles = make_oracles(domain.graded.values(), options, known)
    return Grounder(
        domain.graded,
        oracles,
        options.oracle,
        JudgementCache(options.cache_path or None),
        CalibrationStore(learnt.path or IN_MEMORY, learnt.origin, read_only=learnt.read_only),
        learnt,
        fallback=options.fallback,
        known=known,
        reader=RequestReader(partial(load_known_words, own)),
        tuned=make_tuned(options.tuned, oracles.get(options.oracle)),
    )
