# SPDX-License-Identifier: Apache-2.0
"""How files of tests are dealt out to processes, also when one of these crashes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling


class FileScheduling(LoadFileScheduling):
    """Deals out file by file, as ``--dist loadfile`` does, but some files together.

    A process that crashed (or hung: faulthandler ends it) costs one test. As of xdist 3.8 it would
    hang the run: all files that the process had are dealt out again, also those that are through,
    and whoever gets one of these waits for its results; and the test that crashed would be repeated
    by one process after another.
    """

    def __init__(self, config: pytest.Config, log: Any, together: Sequence[str]) -> None:
        super().__init__(config, log)
        self._together = tuple(together)  # paths of files begin with one of these

    def _split_scope(self, nodeid: str) -> str:
        return (
            "together" if nodeid.startswith(self._together) else str(super()._split_scope(nodeid))
        )

    def remove_node(self, node: Any) -> str | None:
        """Give back what the process has left to do, and name the test that crashed it, if any.

        The process that comes in its place lets all have a share (`schedule`).
        """
        left = {
            scope: dict.fromkeys((test for test, done in tests.items() if not done), False)
            for scope, tests in self.assigned_work.pop(node).items()
        }
        left = {scope: tests for scope, tests in left.items() if tests}
        crashed = next((test for tests in left.values() for test in tests), None)
        if crashed is not None:
            del left[self._split_scope(crashed)][crashed]
        self.workqueue.update((scope, tests) for scope, tests in left.items() if tests)
        return crashed

    def mark_test_pending(self, item: str) -> None:
        """Run a test that crashed once more; pytest-rerunfailures asks where a mark allows it."""
        self.workqueue.setdefault(self._split_scope(item), {})[item] = False

    def _reschedule(self, node: Any) -> None:
        if node not in self.registered_collections:  # it is new, and collects
            return
        with suppress(
            OSError
        ):  # it has just crashed, which will be reported: its work is given back
            super()._reschedule(node)
            if self._pending_of(self.assigned_work[node]) < 2:
                # A process begins with a test only when it has the next one, or is told to stop.
                super()._reschedule(node)
