# SPDX-License-Identifier: Apache-2.0
"""Time limits that hold to the end of a test, and where a process stood that did not keep them."""

from __future__ import annotations

import faulthandler
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key as dump_file_key


class TimeLimits:
    """A plugin of pytest.

    Of the two limits, pytest-timeout's fails a test, and faulthandler's ends the process of one
    that does not even notice the first. Both plugins drop theirs at a test's first failure, for
    whoever debugs it: its teardown, and its repetition, could then hang for good. So each attempt
    has the whole time, and so has its teardown.

    The stacks of a process that is ended, or crashes, go to a file (pytest's processes share the
    standard error with all that the tests start), and with the report of the test.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._settings = pytest.StashKey[Any]()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def pytest_sessionstart(self) -> None:
        """Let faulthandler write to the file that this process was given."""
        given = getattr(self._config, "workerinput", {}).get("stacks")
        if given and dump_file_key in self._config.stash:
            file = os.open(given, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(file, self._config.stash[dump_file_key], inheritable=False)
            os.close(file)

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> None:
        """Note the settings; the plugin sets its timer."""
        item.stash[self._settings] = settings

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._begin(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self._begin(item)

    def _begin(self, item: pytest.Item) -> None:
        if self._settings in item.stash:
            settings = item.stash[self._settings]
            item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
        seconds = float(self._config.getini("faulthandler_timeout") or 0.0)
        if seconds > 0.0 and dump_file_key in self._config.stash:
            faulthandler.dump_traceback_later(
                seconds,
                file=self._config.stash[dump_file_key],
                exit=bool(self._config.getini("faulthandler_exit_on_timeout")),
            )

    # --- where the tests are dealt out ---

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a process where its stacks go."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="fcp_ros_stacks_")
        node.workerinput["stacks"] = str(Path(self._folder.name) / node.gateway.id)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, report: Any) -> None:
        """Add the stacks to the report; one that is repeated has none, so they are printed."""
        file = Path(report.node.workerinput["stacks"])
        stacks = file.read_text(errors="replace") if file.exists() else ""
        if report.outcome == "failed":
            report.longrepr = f"{report.longrepr}\n{stacks}"
        else:
            self._config.get_terminal_writer().line(f"\n{report.longrepr}\n{stacks}")

    def pytest_unconfigure(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
