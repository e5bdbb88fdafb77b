# SPDX-License-Identifier: Apache-2.0
"""The grounder: graded predicates, their oracles, the cache and calibration, behind one `judge`.

    request -> asked before in this batch? -> cache -> oracle (one batch a predicate)
            -> calibration -> membership

Equal contexts are asked once. What the cache keeps is the oracle's degree; evidence is applied
last, each time, so an outcome counts from the next judgement on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType

from fcp_ros.cset import Instance
from fcp_ros.domain.model import DEFAULT_ORACLE, Domain, GradedPredicate
from fcp_ros.grounding.calibration.calibrator import Calibrator, Question
from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.evidence import Evidence
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.protocol.context import build_request
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import CalibrationOptions, GroundingOptions
from fcp_ros.grounding.protocol.oracle import MembershipOracle, predicate_version
from fcp_ros.grounding.registry import make_oracle
from fcp_ros.grounding.stated.table import TableOracle
from fcp_ros.grounding.stores.judgement_cache import CacheKey, CacheStatistics, JudgementCache

IN_MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class OracleInfo:
    """Which oracle answers for a predicate, and whether its model is in memory yet."""

    predicate: str
    oracle: str
    model: str
    mode: str
    loaded: bool


@dataclass(slots=True)
class _Question:
    """One distinct question of a batch: the oracle that answers it, and where it is cached."""

    request: JudgementRequest
    oracle: MembershipOracle
    key: CacheKey


class Grounder:
    """Judges requests about the graded predicates of a domain. Safe to call from several threads.

    Args:
        predicates: the graded predicates by name.
        oracles: the oracles by name; every name that a predicate uses must be there.
        default: name of the oracle of predicates that say "default".
        cache: where the oracles' answers are kept.
        calibration: where observed outcomes are kept.
        calibration_options: how much they are believed; None means the defaults.

    Raises:
        GroundingError: a predicate uses an oracle that is not there.
    """

    def __init__(
        self,
        predicates: Mapping[str, GradedPredicate],
        oracles: Mapping[str, MembershipOracle],
        default: str,
        cache: JudgementCache,
        calibration: CalibrationStore,
        calibration_options: CalibrationOptions | None = None,
    ) -> None:
        self.predicates = MappingProxyType(dict(predicates))
        self.cache = cache
        self.calibration = calibration
        self.calibrator = Calibrator(calibration, calibration_options)
        self._oracles = dict(oracles)
        self._default = default
        self._versions = {name: predicate_version(p) for name, p in predicates.items()}
        self._asking = threading.Lock()
        for predicate in predicates.values():
            self._named(predicate, oracle_name(predicate, default))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about the stores, such as a corrupt file set aside."""
        return tuple(note for note in (self.cache.note, self.calibration.note) if note)

    def request(
        self, predicate: str, arguments: tuple[str, ...], instance: Instance
    ) -> JudgementRequest:
        """The request for bound arguments in a state; see `build_request`."""
        return build_request(self._predicate(predicate), arguments, instance)

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """One membership a request, in order, calibrated where the predicate wants it.

        Raises:
            GroundingError: an unknown predicate, or an oracle that can't answer.
        """
        questions: dict[str, _Question] = {}
        for request in requests:
            if request.context_key not in questions:
                questions[request.context_key] = self._question(request)
        answers = self._calibrated(questions, self._priors(questions))
        return [answers[request.context_key] for request in requests]

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
        """Keep how well a step really went, as evidence for one of its judgements.

        Args:
            request: the judgement that the step relied on.
            quality: in [0, 1]; 0 is a failure, 1 full success.
            step: the step in words, for the audit.
            stamp: seconds since the epoch; None means now.
            membership: the answer that the step relied on; None takes the one in the cache, if any,
                for the oracle's part.
            weight: share of an outcome that this is, in [0, 1] (`execution/credit.py`).

        Returns:
            False where the predicate is not calibrated, so that nothing was kept.

        Raises:
            GroundingError: unknown predicate, quality out of range, or the store failed.
        """
        if not self._predicate(request.predicate).calibrated:
            return False
        if membership is None:
            question = self._question(request)
            membership = self.cache.get(question.key)
            if membership is not None:
                membership = self._calibrated({"": question}, {"": membership})[""]
        self.calibration.record(
            Evidence(
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
        )
        return True

    def drifts(self) -> tuple[Drift, ...]:
        """Predicates and models whose outcomes have left their degrees, and since when."""
        return self.calibrator.drifts()

    def reliabilities(self) -> tuple[Reliability, ...]:
        """How good the degrees of each predicate and model were; `is_poor` is a high error."""
        return self.calibrator.reliabilities()

    def describe(self) -> tuple[OracleInfo, ...]:
        """For each predicate, what answers for it."""
        infos = []
        for predicate in self.predicates.values():
            oracle = self._named(predicate, oracle_name(predicate, self._default))
            loaded = bool(getattr(oracle, "is_loaded", True))
            infos.append(OracleInfo(predicate.name, oracle.name, oracle.model, oracle.mode, loaded))
        return tuple(infos)

    def statistics(self) -> CacheStatistics:
        """How often the cache had the answer."""
        return self.cache.statistics()

    def close(self) -> None:
        """Close cache and calibration store; the grounder can't be used afterwards."""
        self.cache.close()
        self.calibration.close()

    def _question(self, request: JudgementRequest) -> _Question:
        predicate = self._predicate(request.predicate)
        names = tuple(parameter.name for parameter in predicate.parameters)
        if tuple(argument.parameter for argument in request.arguments) != names:
            raise GroundingError(
                GroundingCode.WRONG_ARGUMENTS,
                f"{request} must bind the parameters of {predicate.name} in order: "
                f"{', '.join(names)}",
            )
        oracle = self._oracle(predicate, request)
        version = self._versions[predicate.name]
        return _Question(
            request, oracle, CacheKey(version, request.context_key, oracle.model, oracle.mode)
        )

    def _priors(self, questions: Mapping[str, _Question]) -> dict[str, Membership]:
        """The oracles' answers, by context key: from the cache, else one batch a predicate."""
        found: dict[str, Membership] = {}
        missing: dict[tuple[str, str], list[_Question]] = {}
        for context_key, question in questions.items():
            answer = self.cache.get(question.key)
            if answer is None:
                group = (question.request.predicate, question.oracle.name)
                missing.setdefault(group, []).append(question)
            else:
                found[context_key] = answer
        for (name, _), batch in missing.items():
            requests = [question.request for question in batch]
            with self._asking:
                answers = batch[0].oracle.judge(self.predicates[name], requests)
            pairs = list(zip(batch, answers, strict=True))
            self.cache.put([(question.key, answer) for question, answer in pairs])
            found.update((q.request.context_key, answer) for q, answer in pairs)
        return found

    def _calibrated(
        self, questions: Mapping[str, _Question], priors: Mapping[str, Membership]
    ) -> dict[str, Membership]:
        """The answers after calibration, by context key, where the predicate wants it."""
        wanted = [
            (key, questions[key].request, prior)
            for key, prior in priors.items()
            if self.predicates[questions[key].request.predicate].calibrated
        ]
        found = self.calibrator.calibrate(
            [
                Question(request.predicate, request.context_key, prior.prior, prior.model)
                for _, request, prior in wanted
            ]
        )
        answers = dict(priors)
        for (key, _, prior), learnt in zip(wanted, found, strict=True):
            if learnt.outcomes or learnt.degree != prior.degree:
                answers[key] = replace(prior, degree=learnt.degree, evidence_count=learnt.outcomes)
        return answers

    def _oracle(self, predicate: GradedPredicate, request: JudgementRequest) -> MembershipOracle:
        """The predicate's oracle; the default one where its table has nothing to say."""
        oracle = self._named(predicate, oracle_name(predicate, self._default))
        if isinstance(oracle, TableOracle) and oracle.find(predicate, request) is None:
            return self._named(predicate, self._default)
        return oracle

    def _named(self, predicate: GradedPredicate, name: str) -> MembershipOracle:
        if name not in self._oracles:
            raise GroundingError(
                GroundingCode.UNKNOWN_ORACLE,
                f"{predicate.name} asks for the oracle {name!r}, which is not set up; there are "
                f"{', '.join(sorted(self._oracles))}",
            )
        return self._oracles[name]

    def _predicate(self, name: str) -> GradedPredicate:
        if name not in self.predicates:
            near = get_close_matches(name, self.predicates, 1)
            hint = near[0] if near else ", ".join(sorted(self.predicates)) or "none"
            raise GroundingError(
                GroundingCode.UNKNOWN_PREDICATE,
                f"the domain has no graded predicate {name!r}; "
                + (f"did you mean {hint}?" if near else f"it has {hint}"),
            )
        return self.predicates[name]


def oracle_name(predicate: GradedPredicate, default: str) -> str:
    """The name of the oracle that a predicate asks for."""
    return default if predicate.oracle == DEFAULT_ORACLE else predicate.oracle


def make_grounder(domain: Domain, options: GroundingOptions | None = None) -> Grounder:
    """A grounder for a domain. Models are checked now and loaded at the first question.

    Args:
        domain: its graded predicates are grounded.
        options: settings; None means the defaults (packaged MiniLM, nothing kept on disk).

    Raises:
        GroundingError: a model path that doesn't exist or holds no safe model, an unknown oracle,
            a store that can't be opened.
    """
    options = options or GroundingOptions()
    names = {oracle_name(predicate, options.oracle) for predicate in domain.graded.values()}
    # Sorted, so that of two wrong settings always the same one is reported.
    oracles = {name: make_oracle(name, options) for name in sorted(names | {options.oracle})}
    return Grounder(
        domain.graded,
        oracles,
        options.oracle,
        JudgementCache(options.cache_path or None),
        CalibrationStore(options.calibration.path or IN_MEMORY),
        options.calibration,
    )
