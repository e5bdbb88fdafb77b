# SPDX-License-Identifier: Apache-2.0
"""Stages of the set-up: each is skipped while its inputs are unchanged, and timed.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

HEARTBEAT = 20.0  # s between two signs of life of a long command
LINES_ON_FAILURE = 40
# Sources of packages that pip is configured with but that don't hold a package: said once each.
NOISE = re.compile(r"WARNING: (Location '.*' is ignored|.*[Pp]ip version)|^\s*$")


class SetupError(Exception):
    """The set-up can't go on; the message is one sentence that says what to do."""


def content_hash(parts: Iterable[str | Path]) -> str:
    """Return a hash of texts and of files (by name and content), in the order given."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(str(part).encode() + b"\0")
        if isinstance(part, Path):
            digest.update(part.read_bytes() + b"\0")
    return digest.hexdigest()


class Stages:
    """Runs stages, one at a time; their logs and stamps (hashes of inputs) are kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self._stamps = folder / "stamps"
        self._logs = folder / "logs"
        self._log = self._logs / "setup.log"
        self.done = 0

    def run(self, name: str, stamp: str, title: str, action: Callable[[], None]) -> None:
        """Run one stage, unless it ended well before with the same stamp."""
        path = self._stamps / name
        if path.is_file() and path.read_text() == stamp:
            return
        self._stamps.mkdir(parents=True, exist_ok=True)
        self._logs.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._log = self._logs / f"{name}.log"
        self._log.write_text("")
        say(f"{title} ...")
        begin = time.monotonic()
        action()
        path.write_text(stamp)
        self.done += 1
        say(f"{title}: done in {time.monotonic() - begin:.0f} s")

    def command(
        self,
        arguments: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        on_failure: str,
        cwd: Path | None = None,
    ) -> None:
        """Run a command quietly into the stage's log, and say now and then what it is doing.

        Raises:
            SetupError: it failed: `on_failure`, after the end of the output.
        """
        if self.succeeds(arguments, environment=environment, cwd=cwd):
            return
        lines = [line for line in self.log_text().splitlines() if not NOISE.search(line)]
        print("\n".join(f"    {line}" for line in lines[-LINES_ON_FAILURE:]), file=sys.stderr)
        raise SetupError(f"{on_failure} (the whole output is in {self._log})")

    def succeeds(
        self,
        arguments: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        cwd: Path | None = None,
    ) -> bool:
        """Run a command like `command`, but return whether it succeeded."""
        command = [str(argument) for argument in arguments]
        with self._log.open("a") as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": subprocess.STDOUT}
            process = subprocess.Popen(command, cwd=cwd, env=dict(environment), **streams)
            begin = time.monotonic()
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(HEARTBEAT) == 0
                lines = [one for one in self.log_text().splitlines() if not NOISE.search(one)]
                say(f"  {time.monotonic() - begin:4.0f} s  {lines[-1].strip()[:80]}")

    def log_text(self) -> str:
        """Return what the present stage's commands printed so far."""
        return self._log.read_text(errors="replace")


def say(text: str) -> None:
    """Print one line of progress at once."""
    print(f"setup: {text}", flush=True)
