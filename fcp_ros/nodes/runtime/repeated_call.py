# SPDX-License-Identifier: Apache-2.0
"""A service call that survives a lost answer."""

from __future__ import annotations

import time
from typing import Any

from rclpy.client import Client
from rclpy.task import Future

REPEAT_AFTER = 3.0
"""Seconds without an answer after which the request is sent once more."""


class RepeatedCall:
    """Sends a request, and once more when no answer comes; the first answer counts.

    A client may see a server before the server has seen the client's end for answers (DDS discovery
    goes each way by itself). rmw_fastrtps then holds the answer back for 0.1 s and drops it
    ("client will not receive response": ros2/rmw_fastrtps#842). Fast DDS 2.14 and 3 make that
    likely: a new participant announces itself before it listens, and what it misses in that moment
    it hears only seconds later. Only for requests that may be served twice without harm. Nothing
    here waits.

    Arguments:
        client: of the service; its server must be there, and somebody must spin its node.
        request: the request message.
    """

    def __init__(self, client: Client, request: Any) -> None:
        self._client = client
        self._request = request
        self._repeat_at = time.monotonic() + REPEAT_AFTER
        self._futures: list[Future] = [client.call_async(request)]

    def poll(self) -> bool:
        """Whether an answer is there; sends the request again when it is time to."""
        if any(future.done() for future in self._futures):
            return True
        if len(self._futures) == 1 and time.monotonic() >= self._repeat_at:
            self._futures.append(self._client.call_async(self._request))
        return False

    def response(self) -> Any:
        """The answer; only to be called when `poll` says that there is one."""
        return next(future.result() for future in self._futures if future.done())

    def forget(self) -> None:
        """Throw away answers that are still to come."""
        for future in self._futures:
            self._client.remove_pending_request(future)
