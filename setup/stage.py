# SPDX-License-Identifier: Apache-2.0
"""Stages of the set-up: each is skipped while its inputs are unchanged, and timed.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import queue
import re
import subprocess
import sys
import threading
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
    """Returns a hash of texts and of files (by name and content), in the order given."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(str(part).encode() + b"\0")
        if isinstance(part, Path):
            digest.update(part.read_bytes() + b"\0")
    return digest.hexdigest()


class Stages:
    """Runs the stages of one environment and keeps a stamp (the hash of its inputs) for each.

    Args:
        folder: the environment's folder; stamps and logs are kept under it.
    """

    def __init__(self, folder: Path) -> None:
        self._stamps = folder / "stamps"
        self._logs = folder / "logs"
        self._log = self._logs / "setup.log"
        self.done = 0

    def run(self, name: str, stamp: str, title: str, action: Callable[[], None]) -> None:
        """Runs one stage, unless it ended well before with the same stamp.

        Raises:
            SetupError: from the action; the stage is run again next time.
        """
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
        cwd: Path,
        environment: Mapping[str, str],
        on_failure: str,
    ) -> None:
        """Runs a command quietly into the stage's log; says every now and then what it is doing.

        Args:
            arguments: the command line.
            cwd: the folder to run in.
            environment: all environment variables of the command.
            on_failure: the sentence of the error; the end of the output is shown before it.

        Raises:
            SetupError: where the command failed.
        """
        if self._try(arguments, cwd, environment):
            return
        lines = [
            line
            for line in self._log.read_text(errors="replace").splitlines()
            if not NOISE.search(line)
        ]
        print("\n".join(f"    {line}" for line in lines[-LINES_ON_FAILURE:]), file=sys.stderr)
        raise SetupError(f"{on_failure} (the whole output is in {self._log})")

    def succeeds(
        self, arguments: Sequence[str | Path], *, cwd: Path, environment: Mapping[str, str]
    ) -> bool:
        """Runs a command like `command`, but returns whether it succeeded."""
        return self._try(arguments, cwd, environment)

    def log_text(self) -> str:
        """Returns what the present stage's commands printed so far."""
        return self._log.read_text(errors="replace")

    def _try(
        self, arguments: Sequence[str | Path], cwd: Path, environment: Mapping[str, str]
    ) -> bool:
        command = [str(argument) for argument in arguments]
        with self._log.open("a") as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                errors="replace",
            )
            _follow(process, log.write)
        return process.returncode == 0


def _follow(process: subprocess.Popen[str], write: Callable[[str], object]) -> None:
    """Copies the output of a process until it ends, with a line now and then for who waits."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    latest, begin, told = "", time.monotonic(), time.monotonic()
    while True:
        try:
            line = lines.get(timeout=1.0)
        except queue.Empty:
            line = ""
        if line is None:
            break
        write(line)
        if line.strip() and not NOISE.search(line):
            latest = line.strip()
        if time.monotonic() - told > HEARTBEAT:
            told = time.monotonic()
            say(f"  {told - begin:4.0f} s  {latest[:80]}")
    process.wait()


def say(text: str) -> None:
    """Prints one line of progress at once."""
    print(f"setup: {text}", flush=True)
