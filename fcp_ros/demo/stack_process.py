# SPDX-License-Identifier: Apache-2.0
"""All nodes in one child process, which can be killed and started again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from fcp_ros.foundation.yaml_text import dump_yaml

READY = "up "  # The beginning of the line that ``fcp up`` prints once all nodes are active
ERROR = "error "  # The beginning of the line that ``fcp up`` prints when it fails

START_TIMEOUT = 120.0
STOP_TIMEOUT = 15.0
TAIL_LINES = 15


class StackError(RuntimeError):
    """The nodes did not start or stop; the message has the end of their log."""


class StackProcess:
    """``fcp up`` as a child process in a ROS domain; its folder has parameters and log."""

    def __init__(
        self, parameters: Mapping[str, Mapping[str, Any]], folder: Path, domain_id: int
    ) -> None:
        self._parameters_file = folder / "demo_params.yaml"
        self.log = folder / "nodes.log"
        folder.mkdir(parents=True, exist_ok=True)
        _write_parameters(parameters, self._parameters_file)
        self._environment = {**os.environ, "ROS_DOMAIN_ID": str(domain_id)}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> StackProcess:
        begin = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "fcp_ros.cli.main",
                    "up",
                    "--params-file",
                    str(self._parameters_file),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
            )
        try:
            self._wait_until_ready(begin)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def kill(self) -> None:
        """Kill the nodes with SIGKILL, as a power cut would: nothing can be saved."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(STOP_TIMEOUT)

    def _wait_until_ready(self, begin: int) -> None:
        assert self._process is not None
        end = time.monotonic() + START_TIMEOUT
        while True:
            lines = self.log.read_bytes()[begin:].decode(errors="replace").splitlines()
            if any(line.startswith(READY) for line in lines):
                return
            if self._process.poll() is not None:
                raise StackError(self._add_log("The nodes ended instead of starting", lines))
            if time.monotonic() > end:
                raise StackError(
                    self._add_log(f"The nodes were not ready after {START_TIMEOUT:g} s", lines)
                )
            time.sleep(0.05)

    def _add_log(self, sentence: str, lines: list[str]) -> str:
        """Add the error that ``fcp up`` printed, or else the end of the log, to a sentence."""
        shown = [line for line in lines if line.startswith(ERROR)] or lines[-TAIL_LINES:]
        quoted = "\n".join(f"  {line}" for line in shown)
        return f"{sentence}; {self.log} has the whole log:\n{quoted}"


def _write_parameters(parameters: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    document = {
        f"/**/{node}": {"ros__parameters": dict(values)} for node, values in parameters.items()
    }
    path.write_text(dump_yaml(document), encoding="utf-8")
