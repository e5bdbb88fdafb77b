# SPDX-License-Identifier: Apache-2.0
"""`generalize` in a process of its own, which can be ended: parts of clingo look at no clock.

The process is given tasks and hands back the outcome, both as pickles: it runs this package's code
alone. It ends with the program that started it, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from fcp_ros.abstraction.debugging.loop import (
    Generalization,
    GeneralizationCallback,
    GeneralizationOptions,
    GeneralizationProgress,
    describe_timeout,
    generalize,
    ignore_generalization,
)
from fcp_ros.abstraction.proposers.abstraction_text import FileProposer
from fcp_ros.abstraction.proposers.learning import SymbolicOptions, SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import AbstractionProposer, TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus, translate_interruption
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

TICK = 0.05
"""Seconds between two looks at the check while nothing is heard of the process."""
GRACE = 1.0
"""Seconds that the process has to end by itself once it was told to, or its time is over."""
EXPENDABLE = "500"
"""Of 1000: where memory runs out, this process is ended before those of the robot."""


@dataclass(frozen=True)
class LearningRequest:
    """The arguments of `generalize`, with the proposer by its settings."""

    tasks: tuple[TrainingTask, ...]
    # file of an abstraction that is to be checked; "" to learn one from the tasks
    abstraction: str = ""
    options: GeneralizationOptions = field(default_factory=GeneralizationOptions)


class LearningProcessDied(RuntimeError):
    """The process failed; the message has its last words."""


def generalize_apart(
    request: LearningRequest,
    progress: GeneralizationCallback = ignore_generalization,  # told what is being done
    check: Check = never_stop,
) -> Generalization:
    """Look for a policy in a process of its own; arguments and result as of `generalize`.

    The time limit is kept to within some `GRACE`. Raises InputError if the tasks or the file can't
    be used. Raises LearningProcessDied for a fault of this package.
    """
    began = monotonic()
    limit = request.options.time_limit
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_answer, args=(request, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        while True:
            check()
            if monotonic() - began > limit + GRACE:
                raise Interrupted(PlanStatus.TIMEOUT, describe_timeout(limit))
            said = _hear(ours, process, TICK)
            if isinstance(said, GeneralizationProgress):
                progress(said)
            elif said is not None:
                return said
    except Interrupted as interrupted:
        return replace(
            _stop(ours, process) or Generalization(GeneralizationStatus.CANCELLED, ""),
            status=translate_interruption(interrupted.status),
            sentence=interrupted.sentence,
            policy=None,
            seconds=monotonic() - began,
        )
    finally:
        ours.close()
        process.kill()
        process.join()


def _hear(
    connection: Connection, process: Any, seconds: float
) -> GeneralizationProgress | Generalization | None:
    """Wait for what the process says; None if it says nothing for so long."""
    try:
        if not connection.poll(seconds):
            return None
        said: GeneralizationProgress | Generalization | Exception = connection.recv()
    except (EOFError, OSError):
        return _explain_end(process)
    if isinstance(said, Exception):
        raise said
    return said


def _stop(connection: Connection, process: Any) -> Generalization | None:
    """Tell the process to stop, and return what it has; None if it does not answer."""
    end = monotonic() + GRACE
    with suppress(InputError, LearningProcessDied, OSError):
        connection.send("stop")
        while (left := end - monotonic()) > 0:
            said = _hear(connection, process, left)
            if isinstance(said, Generalization):
                return said
    return None


def _explain_end(process: Any) -> Generalization:
    """Say why the process ended without a word."""
    process.join(GRACE)
    if process.exitcode is None or process.exitcode >= 0:
        code = process.exitcode
        raise LearningProcessDied(f"it ended with exit code {code} and without a result")
    sentence = (
        f"the process that looks for a policy was ended by signal {-process.exitcode}, probably "
        "for lack of memory: give smaller tasks"
    )
    return Generalization(GeneralizationStatus.LIMIT, sentence)


# --- in the process


def _answer(request: LearningRequest, connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started it
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(EXPENDABLE)
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(connection, stopped), daemon=True).start()
    said: Generalization | Exception
    try:
        said = _learn(request, connection, stopped)
    except InputError as error:
        said = InputError(str(error))
    except Exception:
        said = LearningProcessDied(traceback.format_exc())
    with suppress(BrokenPipeError):
        connection.send(said)


def _listen(connection: Connection, stopped: threading.Event) -> None:
    """Wait for the word to stop; end the process with the program that started it."""
    try:
        connection.recv()
        stopped.set()
        connection.recv()
    except (EOFError, OSError):
        os._exit(1)


def _learn(
    request: LearningRequest, connection: Connection, stopped: threading.Event
) -> Generalization:
    """Look for a policy; too little memory is an outcome."""
    last = GeneralizationProgress(1, "")

    def check() -> None:
        if stopped.is_set():
            raise Interrupted(PlanStatus.CANCELLED, "cancelled")

    def show(progress: GeneralizationProgress) -> None:
        nonlocal last
        last = progress
        connection.send(progress)

    def report(sentence: str) -> None:
        connection.send(GeneralizationProgress(last.round, sentence, last.errors))

    options = SymbolicOptions(seconds=request.options.time_limit)
    proposer: AbstractionProposer = (
        FileProposer(request.abstraction)
        if request.abstraction
        else SymbolicProposer(options, report)
    )
    try:
        return generalize(request.tasks, proposer, request.options, show, check)
    except MemoryError:
        sentence = "there is too little memory to look for a policy: give smaller tasks"
        return Generalization(GeneralizationStatus.LIMIT, sentence)
