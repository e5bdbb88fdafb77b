# SPDX-License-Identifier: Apache-2.0
"""The program of the process of `learning_process`: it looks for a policy for one request.

It is run as a file, and is told first where this package is: nothing of it is imported before.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

FOUND, DOING, REFUSED, FAILED = "found", "doing", "refused", "failed"
"""Kinds of answers: the outcome, progress, input that can't be used, a fault of this package."""
STOP = "stop"
EXPENDABLE = "500"
"""Of 1000: where memory runs out, this process is ended before those of the robot."""


def main() -> None:
    """Answer the request that comes through the connection with the number of the argument."""
    connection = Connection(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started it
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(EXPENDABLE)
    sys.path[:] = connection.recv()
    request = connection.recv()
    os.nice(request.niceness)
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(connection, stopped), daemon=True).start()
    with suppress(BrokenPipeError):
        connection.send(_answer(request, connection, stopped))


def _listen(connection: Connection, stopped: threading.Event) -> None:
    """Wait for the word to stop; end the process with the program that started it."""
    try:
        connection.recv()
        stopped.set()
        connection.recv()
    except (EOFError, OSError):
        os._exit(1)


def _answer(request: Any, connection: Connection, stopped: threading.Event) -> tuple[str, Any]:
    from fcp_ros.foundation.input_error import InputError

    try:
        return FOUND, _learn(request, lambda said: connection.send((DOING, said)), stopped)
    except InputError as error:
        return REFUSED, str(error)
    except BaseException:
        return FAILED, traceback.format_exc()


def _learn(request: Any, tell: Callable[[Any], None], stopped: threading.Event) -> Any:
    """Look for a policy; a file that can't be read, or too little memory, are outcomes."""
    from fcp_ros.abstraction.debugging.loop import generalize
    from fcp_ros.abstraction.debugging.outcome import Generalization, GeneralizationProgress
    from fcp_ros.abstraction.proposers.abstraction_text import FileProposer
    from fcp_ros.abstraction.proposers.learning import SymbolicOptions, SymbolicProposer
    from fcp_ros.abstraction.proposers.status import GeneralizationStatus
    from fcp_ros.planning import PlanStatus
    from fcp_ros.planning.model.watch import Interrupted

    last = GeneralizationProgress(1, "")

    def check() -> None:
        if stopped.is_set():
            raise Interrupted(PlanStatus.CANCELLED, "cancelled")

    def show(progress: GeneralizationProgress) -> None:
        nonlocal last
        last = progress
        tell(progress)

    def report(sentence: str) -> None:
        tell(GeneralizationProgress(last.round, sentence, last.errors))

    proposer: Any
    if request.abstraction:
        proposer = FileProposer(request.abstraction)
    else:
        options = SymbolicOptions(seconds=request.options.time_limit, seed=request.seed)
        proposer = SymbolicProposer(options, report)
    try:
        return generalize(request.tasks, proposer, request.options, show, check)
    except MemoryError:
        sentence = "there is too little memory to look for a policy: give smaller tasks"
        return Generalization(GeneralizationStatus.LIMIT, sentence)


if __name__ == "__main__":
    main()
