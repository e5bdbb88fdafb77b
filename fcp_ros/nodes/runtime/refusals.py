# SPDX-License-Identifier: Apache-2.0
"""Refusals of requests: one code for programs and one sentence for people, in all services."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from fcp_ros.foundation.wording import hide_controls
from fcp_ros.nodes.runtime.worker import JobCancelled, WorkerBusy, WorkerClosed

CLEANED_UP = "The node is being deactivated or cleaned up: ask again when it is active."


class RefusalKind(IntEnum):
    """The reasons for which a request is refused; a test compares them with `RequestError`."""

    INVALID_REQUEST = 1
    TIMED_OUT = 2
    BUSY = 3
    NODE_INACTIVE = 4
    INTERNAL_ERROR = 5
    NO_JUDGEMENT = 6
    SCENE_LOST = 7


@dataclass(frozen=True)
class RequestRefusal:
    """A request is refused: the kind for programs, a sentence for people."""

    kind: RefusalKind
    sentence: str

    def __post_init__(self) -> None:
        # It may quote the request, and ends in terminals and logs.
        object.__setattr__(self, "sentence", hide_controls(self.sentence))


class RequestRefused(Exception):
    """Raised while a request is served, to refuse it."""

    def __init__(self, kind: RefusalKind, sentence: str) -> None:
        super().__init__(sentence)
        self.refusal = RequestRefusal(kind, sentence)


NOT_SERVED = (WorkerBusy, WorkerClosed, JobCancelled, TimeoutError)
"""Reasons why a worker has no result for a request; `make_refusal` gives each its code."""


def make_refusal(error: BaseException) -> RequestRefusal:
    """Return the refusal that an exception of `NOT_SERVED`, or any other, stands for."""
    if isinstance(error, RequestRefused):
        return error.refusal
    if isinstance(error, WorkerBusy):
        return RequestRefusal(RefusalKind.BUSY, str(error))
    if isinstance(error, WorkerClosed):
        return RequestRefusal(RefusalKind.NODE_INACTIVE, str(error))
    if isinstance(error, JobCancelled):
        return RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP)
    if isinstance(error, TimeoutError):
        return RequestRefusal(RefusalKind.TIMED_OUT, str(error))
    return RequestRefusal(RefusalKind.INVALID_REQUEST, str(error))


def fill_refusal(response: Any, refusal: RequestRefusal) -> Any:
    """Fill in and return the response of a service with success, message and error."""
    response.success = False
    response.message = refusal.sentence
    response.error.code = int(refusal.kind)
    return response
