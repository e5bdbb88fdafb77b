# SPDX-License-Identifier: Apache-2.0
"""How long each phase of a request took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fcp_ros.planning.model.request import Phase
from fcp_ros.planning.model.watch import Watch


class PhaseTimes:
    """Times the phases of one request, and tells its watch which one it is in.

    Arguments:
        watch: of the request.

    Attributes:
        seconds: phase -> seconds (wall clock) spent in it so far. The time of a phase inside
            another counts for itself only.
    """

    def __init__(self, watch: Watch) -> None:
        self.seconds: dict[str, float] = {}
        self._watch = watch
        self._inner = 0.0

    @contextmanager
    def __call__(self, phase: Phase) -> Iterator[None]:
        """A context in which the request is in a phase."""
        outer = self._watch.phase
        started, inner = time.perf_counter(), self._inner
        self._inner = 0.0
        self._watch.enter(phase)
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            own = spent - self._inner
            self.seconds[phase.value] = self.seconds.get(phase.value, 0.0) + own
            self._inner = inner + spent
            self._watch.back_to(outer)
