# SPDX-License-Identifier: Apache-2.0
"""One oracle behind the cache: asked in batches, with errors as values, and left alone when down.

*Known answers.* An oracle with a model is asked only for what nobody judged (judged/). These
answers come before the cache and are not kept in it, so that new judgements count at once.

*Batches.* An oracle that only reports that a batch failed is asked again in halves if the reason
concerns a single question: a text that is too long for the model must not cost the other answers.

*Outages.* A server that hangs would cost every plan its timeout. While another oracle can answer,
one that failed is left alone for `RETRY_PERIOD` or longer, and one with wrong settings for good.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.stopping import WorkStopped
from fcp_ros.grounding.judged_pairs import KnownAnswers
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.judgement_cache import CacheKey, JudgementCache
from fcp_ros.grounding.membership_oracle import Answer, MembershipOracle
from fcp_ros.grounding.request_reading import ReadRequest, RequestReader

RETRY_PERIOD = 30.0  # Least seconds between two tries of an oracle that failed
SHARE_OF_TIME = 2.0  # The pause after a long failed try, in multiples of its duration

LASTING = frozenset(
    {
        GroundingCode.MODEL_NOT_FOUND,
        GroundingCode.NOT_A_MODEL,
        GroundingCode.UNSAFE_WEIGHTS,
        GroundingCode.MISSING_LIBRARY,
        GroundingCode.INVALID_OPTION,
        GroundingCode.UNKNOWN_ORACLE,
    }
)
"""Wrong settings: another try would fail the same way."""
PASSING = frozenset(
    {GroundingCode.MODEL_FAILED, GroundingCode.SERVER_UNREACHABLE, GroundingCode.SERVER_FAILED}
)
"""Failures that may pass."""


class Outage:
    """The state of one oracle that may be down (monotonic clock, s); safe for several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._error: GroundingError | None = None
        self._again = -math.inf

    @property
    def error(self) -> GroundingError | None:
        """The error of the last question if the oracle could not answer, else None."""
        return self._error

    def find_reason_to_wait(self) -> GroundingError | None:
        """Return the error that keeps the oracle from being asked now, or None."""
        with self._lock:
            return self._error if self._clock() < self._again else None

    def record_failure(self, error: GroundingError, duration: float = 0.0) -> None:
        """Record that the oracle as a whole could not answer, in a try of `duration` seconds."""
        if error.code not in LASTING | PASSING:
            return
        wait = math.inf if error.code in LASTING else max(RETRY_PERIOD, SHARE_OF_TIME * duration)
        with self._lock:
            self._error = error
            self._again = self._clock() + wait

    def clear(self) -> None:
        """Record that the oracle answered."""
        with self._lock:
            self._error = None
            self._again = -math.inf


ABOUT_THE_QUESTION = frozenset(
    {
        GroundingCode.NO_TABLE_ENTRY,
        GroundingCode.NOT_KNOWN,
        GroundingCode.NO_ANSWER,
        GroundingCode.CONTEXT_TOO_LONG,
    }
)
"""Errors that concern one question only; the oracle may answer the next."""

_LOG = logging.getLogger(__name__)


def answer_each(
    oracle: MembershipOracle, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
) -> list[Answer]:
    """Ask an oracle: for each request its membership or an error; raises `WorkStopped` alone."""
    if not requests:
        return []
    try:
        judge_each = getattr(oracle, "judge_each", None)
        answers: list[Answer] = list((judge_each or oracle.judge)(predicate, requests))
    except GroundingError as error:
        if error.code not in ABOUT_THE_QUESTION or len(requests) == 1:
            return [error] * len(requests)
        middle = len(requests) // 2
        return [
            *answer_each(oracle, predicate, requests[:middle]),
            *answer_each(oracle, predicate, requests[middle:]),
        ]
    except WorkStopped:  # the request ended while the oracle was at work
        raise
    # A broken model or device makes libraries raise anything; another oracle may still answer.
    except Exception as error:
        _LOG.exception("the oracle %s failed on %s", oracle.name, predicate.name)
        return [_build_crash_error(oracle, f"{type(error).__name__}: {error}")] * len(requests)
    if len(answers) != len(requests):
        what = f"it gave {len(answers)} answers to {len(requests)} questions"
        return [_build_crash_error(oracle, what)] * len(requests)
    return answers


def limit_answers(
    answers: Sequence[Answer],
    read: Sequence[ReadRequest],
    cores: Sequence[Answer],
    *,
    is_hazard: bool = False,
) -> list[Answer]:
    """Limit answers to those about the cores of their names: a description may warn, not praise.

    `read`: how the requests were read; `cores`: the answers about those that have a core, in order;
    `is_hazard`: True if somebody comes to harm by too high an answer: then a description counts
    even where the model isn't sure of it.
    """
    left = iter(cores)
    bounded: list[Answer] = []
    for answer, one in zip(answers, read, strict=True):
        core = next(left) if one.core is not None else None
        if (
            one.core is not None
            and isinstance(core, Membership)
            and isinstance(answer, Membership)
            and core.prior < _find_highest(answer, one, is_hazard=is_hazard)
        ):
            names = " and ".join(a.words for a in one.core.arguments if not a.is_text)
            limit = f"no {'other' if core.prior > answer.prior else 'better'} than {names!r} alone"
            said = "; ".join(filter(None, (core.note, one.note, limit)))
            answer = replace(core, note=said)
        bounded.append(answer)
    return bounded


def _find_highest(answer: Membership, read: ReadRequest, *, is_hazard: bool) -> float:
    """Return how high an answer may be: one about a description counts by what it is sure of."""
    if not read.is_described or is_hazard:
        return answer.prior
    return answer.prior + (answer.uncertainty or 0.0)


def _build_crash_error(oracle: MembershipOracle, what: str) -> GroundingError:
    return GroundingError(
        GroundingCode.MODEL_FAILED, f"the oracle {oracle.name} failed unexpectedly ({what})"
    )


class UnavailableOracle:
    """Placeholder for an oracle that could not be made; whoever asks it gets the reason."""

    is_loaded = False
    known_model = ""
    mode = ""

    def __init__(self, name: str, error: GroundingError) -> None:
        self.name = name
        self._error = error

    @property
    def model(self) -> str:
        """Raise the reason."""
        raise self._error

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Raise the reason."""
        raise self._error


class CachedOracle:
    """Asks an oracle for what the cache does not hold; errors come back as values.

    What is `known` comes before an oracle with a model, and before that `reader` reads the words.
    """

    def __init__(
        self,
        oracle: MembershipOracle,
        cache: JudgementCache,
        clock: Callable[[], float] = time.monotonic,
        *,
        known: KnownAnswers | None = None,
        reader: RequestReader | None = None,
    ) -> None:
        self.oracle = oracle
        self.is_stated = bool(getattr(oracle, "is_stated", False))
        self._known_answers = None if self.is_stated else known
        self._reader = None if self.is_stated else reader
        self.outage = Outage(clock)
        self._cache = cache
        self._identity: tuple[str, str] | None = None
        self._lock = threading.Lock()
        self._is_kept = bool(getattr(oracle, "is_kept", True))
        if isinstance(oracle, UnavailableOracle):
            self._identify()

    @property
    def is_loaded(self) -> bool:
        """True if the next question needs no model to be loaded first."""
        return bool(getattr(self.oracle, "is_loaded", True))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(getattr(self.oracle, "notes", ()))

    @property
    def model(self) -> str:
        """The model, as far as it is known without asking a server."""
        known = getattr(self.oracle, "known_model", None)
        return self.oracle.model if known is None else str(known)

    def find_answer(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        """Return the answer if it is known or cached, or cheaper to compute than to look up."""
        (read,) = self._read_all([request])
        (known,) = self._find_known(predicate, version, [request], [read])
        if known is not None:
            return known
        kept = self._find_kept(predicate, version, read.request)
        if kept is None:
            return None
        found = self._annotate(kept, read)
        if read.core is not None:
            core = self.find_answer(predicate, version, read.core)
            if core is not None:
                is_hazard = bool(predicate.hazard)
                (found,) = limit_answers([found], [read], [core], is_hazard=is_hazard)
        return found if isinstance(found, Membership) else None

    def _find_kept(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        if not self._is_kept:
            answer = answer_each(self.oracle, predicate, [request])[0]
            return answer if isinstance(answer, Membership) else None
        (key,) = self._make_keys(version, [request])
        return None if key is None else self._cache.get_all([key])[0]

    def answer(
        self,
        predicate: GradedPredicate,
        version: str,
        requests: Sequence[JudgementRequest],
        *,
        has_substitute: bool,
    ) -> list[Answer]:
        """Answer requests; with a substitute, this oracle isn't asked while it is down."""
        read = self._read_all(requests)
        bounds = [one.core for one in read if one.core is not None]
        if bounds:
            cores = self.answer(predicate, version, bounds, has_substitute=has_substitute)
            whole = [replace(one, core=None) for one in read]
            answers = self._answer_read(predicate, version, requests, whole, has_substitute)
            return limit_answers(answers, read, cores, is_hazard=bool(predicate.hazard))
        return self._answer_read(predicate, version, requests, read, has_substitute)

    def _answer_read(
        self,
        predicate: GradedPredicate,
        version: str,
        requests: Sequence[JudgementRequest],
        read: Sequence[ReadRequest],
        has_substitute: bool,
    ) -> list[Answer]:
        """Answer requests whose words were read."""
        answers = self._find_known(predicate, version, requests, read)
        # Several labels may be read as the same words.
        left = {
            one.request.context_key: one.request
            for one, answer in zip(read, answers, strict=True)
            if answer is None
        }
        asked = self._answer_unknown(predicate, version, [*left.values()], has_substitute)
        if len(asked) == len(requests) and all(one.is_plain for one in read):
            return asked  # the usual case: in order, and nothing to annotate
        found = dict(zip(left, asked, strict=True))
        return [
            self._annotate(found[one.request.context_key], one) if answer is None else answer
            for one, answer in zip(read, answers, strict=True)
        ]

    def _read_all(self, requests: Sequence[JudgementRequest]) -> list[ReadRequest]:
        if self._reader is None:
            return [ReadRequest(request) for request in requests]
        return self._reader.read_all(requests)

    def _annotate(self, answer: Answer, read: ReadRequest) -> Answer:
        if isinstance(answer, GroundingError) or read.is_plain:
            return answer
        is_english_only = bool(getattr(self.oracle, "is_english_only", False))
        return read.annotate(answer, is_english_only=is_english_only)

    def _find_known(
        self,
        predicate: GradedPredicate,
        version: str,
        requests: Sequence[JudgementRequest],
        read: Sequence[ReadRequest],
    ) -> list[Membership | None]:
        """Find what was judged, as it was asked or as it was read."""
        known = self._known_answers
        if known is None:
            return [None] * len(requests)
        answers = known.find_all(predicate, version, requests)
        changed = [
            place
            for place, (answer, one) in enumerate(zip(answers, read, strict=True))
            if answer is None and one.request is not requests[place]
        ]
        if changed:
            found = known.find_all(predicate, version, [read[place].request for place in changed])
            for place, answer in zip(changed, found, strict=True):
                if answer is not None:
                    note = f"{answer.note}; {read[place].note}"
                    answers[place] = replace(answer, note=note)
        return answers

    def _answer_unknown(
        self,
        predicate: GradedPredicate,
        version: str,
        requests: Sequence[JudgementRequest],
        has_substitute: bool,
    ) -> list[Answer]:
        if not requests:
            return []
        waiting: GroundingError | None = None
        if self._identity is None:
            waiting = self._find_reason_to_wait(has_substitute) or self._identify()
        if self._identity is None:
            assert waiting is not None, "an oracle without identity gave its reason"
            return [waiting] * len(requests)
        keys = self._make_keys(version, requests)
        answers: list[Answer | None] = [*self._cache.get_all(keys)]
        missing = [position for position, answer in enumerate(answers) if answer is None]
        if missing:
            waiting = self._find_reason_to_wait(has_substitute)
            asked = [requests[position] for position in missing]
            found = [waiting] * len(missing) if waiting else self._ask(predicate, asked)
            for position, answer in zip(missing, found, strict=True):
                answers[position] = answer
            self._keep(keys, missing, found)
        return [answer for answer in answers if answer is not None]

    def close(self) -> None:
        close = getattr(self.oracle, "close", None)
        if close is not None:
            close()

    def _find_reason_to_wait(self, has_substitute: bool) -> GroundingError | None:
        return self.outage.find_reason_to_wait() if has_substitute else None

    def _identify(self) -> GroundingError | None:
        """Find out model and mode, or the reason why not (a server must name its model)."""
        begun = time.monotonic()
        try:
            self._identity = (self.oracle.model, self.oracle.mode)
        except GroundingError as error:
            self.outage.record_failure(error, time.monotonic() - begun)
            return error
        return None

    def _make_keys(
        self, version: str, requests: Sequence[JudgementRequest]
    ) -> list[CacheKey | None]:
        if self._identity is None or not self._is_kept:
            return [None] * len(requests)
        model, mode = self._identity
        return [CacheKey(version, request.context_key, model, mode) for request in requests]

    def _ask(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        if not requests:
            return []
        with self._take_turn():
            begun = time.monotonic()
            answers = answer_each(self.oracle, predicate, requests)
            duration = time.monotonic() - begun
        errors = [answer for answer in answers if isinstance(answer, GroundingError)]
        if len(errors) < len(answers):
            self.outage.clear()
        elif errors:
            self.outage.record_failure(errors[0], duration)
        share = duration / len(requests)
        return [
            answer
            if isinstance(answer, GroundingError) or answer.latency
            else replace(answer, latency=share)
            for answer in answers
        ]

    def _take_turn(self) -> AbstractContextManager[object]:
        """Return the lock of a model, which one thread asks at a time; servers need none."""
        return nullcontext() if getattr(self.oracle, "is_concurrent", False) else self._lock

    def _keep(
        self, keys: Sequence[CacheKey | None], missing: Sequence[int], found: Sequence[Answer]
    ) -> None:
        news = []
        for position, answer in zip(missing, found, strict=True):
            key = keys[position]
            # Errors are never cached: the next try may succeed.
            if key is not None and isinstance(answer, Membership):
                news.append((key, answer))
        if news:
            self._cache.put(news)
