# SPDX-License-Identifier: Apache-2.0
"""`generalize` in a process of its own, for programs that have other things to do meanwhile.

Learning is pure Python for seconds or minutes. In a thread it would take turns with all other
threads; here it takes what they leave of the processor. The process is given tasks and hands back
the outcome, both as pickles: it runs this package's code alone. It ends with the program that
started it, however that ends.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from time import monotonic

import fcp_ros.abstraction.debugging.learning_child as learning_child
from fcp_ros.abstraction.debugging.outcome import (
    Generalization,
    GeneralizationCallback,
    GeneralizationOptions,
    GeneralizationProgress,
    describe_timeout,
    ignore_generalization,
)
from fcp_ros.abstraction.proposers.proposer import TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus, translate_interruption
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

TICK = 0.05
"""Seconds between two looks at the check while nothing is heard of the process."""
GRACE = 1.0
"""Seconds that the process has to end by itself once it was told to, or its time is over."""
NICENESS = 5
"""Other processes of a robot, such as the planner, come first."""


@dataclass(frozen=True)
class LearningRequest:
    """The arguments of `generalize`, with the proposer by its settings."""

    tasks: tuple[TrainingTask, ...]
    # file of an abstraction that is to be checked; "" to learn one from the tasks
    abstraction: str = ""
    options: GeneralizationOptions = field(default_factory=GeneralizationOptions)
    seed: int = 0
    niceness: int = NICENESS  # of the process; 0 where it is all that the program does


class LearningProcessDied(RuntimeError):
    """The process failed; the message has its last words."""


def generalize_apart(
    request: LearningRequest,
    progress: GeneralizationCallback = ignore_generalization,  # told what is being done
    check: Check = never_stop,
) -> Generalization:
    """Look for a policy in a process of its own; arguments and result as of `generalize`.

    The time limit is kept to within some `GRACE`: parts of other libraries may look at no clock for
    minutes, but a process can be ended. Raises InputError if the tasks or the file can't be used.
    Raises LearningProcessDied for a fault of this package.
    """
    began = monotonic()
    limit = request.options.time_limit
    with _LearningProcess(request) as process:
        try:
            while True:
                check()
                if monotonic() - began > limit + GRACE:
                    raise Interrupted(PlanStatus.TIMEOUT, describe_timeout(limit))
                said = process.hear(TICK)
                if isinstance(said, GeneralizationProgress):
                    progress(said)
                elif said is not None:
                    return said
        except Interrupted as interrupted:
            found = process.stop()
            return replace(
                found or Generalization(GeneralizationStatus.CANCELLED, ""),
                status=translate_interruption(interrupted.status),
                sentence=interrupted.sentence,
                policy=None,
                seconds=monotonic() - began,
            )


class _LearningProcess:
    """The process, which is killed at the end if it still runs."""

    def __init__(self, request: LearningRequest) -> None:
        self._request = request

    def __enter__(self) -> _LearningProcess:
        self._connection, theirs = Pipe()
        # Isolated (-I): neither the current folder nor the environment says what is imported.
        command = [sys.executable, "-I", learning_child.__file__, str(theirs.fileno())]
        try:
            with theirs:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
                )
        except OSError as error:
            self._connection.close()
            raise LearningProcessDied(f"it can't be started ({error})") from error
        with suppress(OSError):  # it has ended already: `hear` says why
            self._connection.send([entry for entry in sys.path if entry])
            self._connection.send(self._request)
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()
        self._process.kill()
        self._process.wait()

    def hear(self, seconds: float) -> GeneralizationProgress | Generalization | None:
        """Wait for what the process says; None if it says nothing for so long."""
        try:
            if not self._connection.poll(seconds):
                return None
            kind, said = self._connection.recv()
        except (EOFError, OSError):
            return self._explain_end()
        if kind == learning_child.REFUSED:
            raise InputError(said)
        if kind == learning_child.FAILED:
            raise LearningProcessDied(said)
        found: GeneralizationProgress | Generalization = said
        return found

    def stop(self) -> Generalization | None:
        """Tell the process to stop, and return what it has; None if it does not answer."""
        end = monotonic() + GRACE
        try:
            self._connection.send(learning_child.STOP)
            while (left := end - monotonic()) > 0:
                said = self.hear(left)
                if isinstance(said, Generalization):
                    return said
        except (InputError, LearningProcessDied, OSError):
            return None
        return None

    def _explain_end(self) -> Generalization:
        """Say why the process ended without a word."""
        code = self._process.wait(GRACE)
        if code >= 0:
            raise LearningProcessDied(f"it ended with exit code {code} and without a result")
        sentence = (
            f"the process that looks for a policy was ended by signal {-code}, probably for lack "
            "of memory: give smaller tasks"
        )
        return Generalization(GeneralizationStatus.LIMIT, sentence)
