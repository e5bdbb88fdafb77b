# SPDX-License-Identifier: Apache-2.0
"""The requests that a service has answered, so that one that comes again is not served again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future
from typing import Any

MOST_REMEMBERED = 64
"""Requests whose answers are remembered. A client repeats its own after seconds."""


class AnsweredRequests:
    """The answers of the last requests, by the ids that their senders gave them; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[bytes, Future[Any]] = OrderedDict()

    def find(self, request_id: bytes) -> tuple[Future[Any], bool]:
        """Return the answer to a request, and True if nobody has begun to make it.

        Args:
            request_id: Id of the request; all zeros if it has none, and then its answer is its own.
        """
        if not any(request_id):
            return Future(), True
        with self._lock:
            known = self._answers.get(request_id)
            if known is not None:
                return known, False
            answer = self._answers[request_id] = Future()
            if len(self._answers) > MOST_REMEMBERED:
                self._answers.popitem(last=False)
            return answer, True
