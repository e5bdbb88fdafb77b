# SPDX-License-Identifier: Apache-2.0
"""One oracle as the grounder asks it: through the cache, and left alone while in trouble."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.asking.batches import answer_each
from fcp_ros.grounding.asking.trouble import Trouble
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import Answer, MembershipOracle
from fcp_ros.grounding.stores.judgement_cache import CacheKey, JudgementCache


class UnmadeOracle:
    """Stands where an oracle could not be made; says why whenever it is asked.

    Args:
        name: of the oracle.
        error: why it could not be made.
        make: makes it, or raises a `GroundingError`.
    """

    is_loaded = False
    known_model = ""
    mode = ""

    def __init__(
        self, name: str, error: GroundingError, make: Callable[[], MembershipOracle]
    ) -> None:
        self.name = name
        self._error = error
        self._make = make

    @property
    def model(self) -> str:
        """There is none.

        Raises:
            GroundingError: always.
        """
        raise self._error

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """No answers.

        Raises:
            GroundingError: always.
        """
        raise self._error

    def made(self) -> MembershipOracle:
        """The oracle, if it can be made by now; else this."""
        try:
            return self._make()
        except GroundingError as error:
            self._error = error
            return self


class KeptOracle:
    """Asks an oracle for what the cache does not have; errors come back as values.

    Args:
        oracle: is asked.
        cache: of all oracles; the key holds the oracle's model and mode.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        oracle: MembershipOracle,
        cache: JudgementCache,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.oracle = oracle
        self.trouble = Trouble(clock)
        self._cache = cache
        self._identity: tuple[str, str] | None = None
        self._lock = threading.Lock()
        self._is_kept = bool(getattr(oracle, "is_kept", True))
        if isinstance(oracle, UnmadeOracle):
            self._identify()

    @property
    def is_loaded(self) -> bool:
        """Whether the first question is answered without further ado."""
        return bool(getattr(self.oracle, "is_loaded", True))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the oracle has to say about itself."""
        return tuple(getattr(self.oracle, "notes", ()))

    @property
    def model(self) -> str:
        """What answers, as far as that is known without asking a server."""
        known = getattr(self.oracle, "known_model", None)
        return self.oracle.model if known is None else str(known)

    def kept(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        """The answer if it is at hand: in the cache, or sooner reckoned than looked up there."""
        if not self._is_kept:
            answer = answer_each(self.oracle, predicate, [request])[0]
            return answer if isinstance(answer, Membership) else None
        key = self._key(version, request)
        return None if key is None else self._cache.get(key)

    def answers(
        self,
        predicate: GradedPredicate,
        version: str,
        requests: Sequence[JudgementRequest],
        *,
        has_substitute: bool,
    ) -> list[Answer]:
        """For each request its membership or why there is none.

        Args:
            predicate: that all requests ask about.
            version: of the predicate, see `predicate_version`.
            requests: distinct ones.
            has_substitute: another oracle answers where this one doesn't, so that one in trouble
                need not be asked.
        """
        waiting: GroundingError | None = None
        if self._identity is None:
            waiting = self._reason_to_wait(has_substitute) or self._identify()
        if self._identity is None:
            assert waiting is not None, "an oracle without identity has said why"
            return [waiting] * len(requests)
        keys = [self._key(version, request) for request in requests]
        answers: list[Answer | None] = [key and self._cache.get(key) for key in keys]
        missing = [position for position, answer in enumerate(answers) if answer is None]
        if missing:
            waiting = self._reason_to_wait(has_substitute)
            asked = [requests[position] for position in missing]
            found = [waiting] * len(missing) if waiting else self._ask(predicate, asked)
            for position, answer in zip(missing, found, strict=True):
                answers[position] = answer
            self._keep(keys, missing, found)
        return [answer for answer in answers if answer is not None]

    def reset(self) -> None:
        """Forget the trouble, so that the next question is a new try."""
        if isinstance(self.oracle, UnmadeOracle):
            self.oracle = self.oracle.made()
            self._is_kept = bool(getattr(self.oracle, "is_kept", True))
        self.trouble.worked()
        if isinstance(self.oracle, UnmadeOracle):
            self._identify()

    def close(self) -> None:
        """Give back what the oracle holds."""
        close = getattr(self.oracle, "close", None)
        if close is not None:
            close()

    def _reason_to_wait(self, has_substitute: bool) -> GroundingError | None:
        return self.trouble.reason_to_wait() if has_substitute else None

    def _identify(self) -> GroundingError | None:
        """Learn model and mode, or why they can't be told (a server that names its model)."""
        begun = time.monotonic()
        try:
            self._identity = (self.oracle.model, self.oracle.mode)
        except GroundingError as error:
            self.trouble.failed(error, time.monotonic() - begun)
            return error
        return None

    def _key(self, version: str, request: JudgementRequest) -> CacheKey | None:
        if self._identity is None or not self._is_kept:
            return None
        return CacheKey(version, request.context_key, *self._identity)

    def _ask(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        if not requests:
            return []
        with self._turn():
            begun = time.monotonic()
            answers = answer_each(self.oracle, predicate, requests)
            duration = time.monotonic() - begun
        errors = [answer for answer in answers if isinstance(answer, GroundingError)]
        if len(errors) < len(answers):
            self.trouble.worked()
        elif errors:
            self.trouble.failed(errors[0], duration)
        share = duration / len(requests)
        return [
            answer if isinstance(answer, GroundingError) else replace(answer, latency=share)
            for answer in answers
        ]

    def _turn(self) -> AbstractContextManager[object]:
        """Models are asked by one thread at a time; a server by as many as there are."""
        return nullcontext() if getattr(self.oracle, "is_concurrent", False) else self._lock

    def _keep(
        self, keys: Sequence[CacheKey | None], missing: Sequence[int], found: Sequence[Answer]
    ) -> None:
        news = []
        for position, answer in zip(missing, found, strict=True):
            key = keys[position]
            if key is not None and isinstance(answer, Membership):
                news.append((key, answer))
        if news:
            self._cache.put(news)
