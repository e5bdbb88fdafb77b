# SPDX-License-Identifier: Apache-2.0
"""Stages of the set-up: each is skipped while its inputs are unchanged, and timed.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

HEARTBEAT = 20.0  # s between two signs of life of a long command
LINES_ON_FAILURE = 40

Command = Sequence["str | Path"]
Variables = Mapping[str, str]
Inputs = Iterable["str | Path"]
Action = Callable[..., None]


class SetupError(Exception):
    """The set-up can't go on; the message is one sentence that says what to do."""


def content_hash(parts: Inputs) -> str:
    """Return a hash of texts and of files (by name and content), in the order given."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(str(part).encode() + b"\0")
        if isinstance(part, Path):
            digest.update(part.read_bytes() + b"\0")
    return digest.hexdigest()


class Log:
    """Runs the commands of one stage quietly: what they print goes to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_text("")

    def lines(self) -> list[str]:
        """Return what the commands printed so far, without pip's remarks on each of its sources."""
        text = self._path.read_text(errors="replace")
        return [one for one in text.splitlines() if one.strip() and " is ignored: " not in one]

    def command(self, command: Command, environment: Variables, on_failure: str) -> None:
        """Run a command; where it fails, show the end of the output and raise `on_failure`."""
        if not self.succeeds(command, environment):
            print("", *self.lines()[-LINES_ON_FAILURE:], sep="\n    ", file=sys.stderr)
            raise SetupError(f"{on_failure} (the whole output is in {self._path})")

    def succeeds(self, command: Command, environment: Variables) -> bool:
        """Run a command, say now and then what it is doing, and return whether it succeeded."""
        with self._path.open("a") as log:
            log.write(f"$ {' '.join(map(str, command))}\n")
            log.flush()
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": subprocess.STDOUT}
            process = subprocess.Popen(command, env=dict(environment), **streams)
            begin = time.monotonic()
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(HEARTBEAT) == 0
                say(f"  {time.monotonic() - begin:4.0f} s  {self.lines()[-1].strip()[:80]}")


class Stages:
    """Runs stages; their logs and stamps (hashes of inputs) are kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.done: list[str] = []

    def run(self, name: str, inputs: Inputs, title: str, action: Action, *more: object) -> None:
        """Run one stage, unless it ended well before with the same inputs."""
        stamp, path = content_hash(inputs), self._folder / "stamps" / name
        if path.is_file() and path.read_text() == stamp:
            return
        for folder in ("stamps", "logs"):
            (self._folder / folder).mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        say(f"{title} ...")
        begin = time.monotonic()
        action(Log(self._folder / "logs" / f"{name}.log"), *more)
        path.parent.mkdir(exist_ok=True)  # a new environment begins without stamps
        path.write_text(stamp)
        self.done.append(name)
        say(f"{title}: done in {time.monotonic() - begin:.0f} s")


def say(text: str) -> None:
    """Print one line of progress at once."""
    print(f"setup: {text}", flush=True)
