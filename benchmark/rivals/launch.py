# SPDX-License-Identifier: Apache-2.0
"""Runs a program with limits and writes what it used: ``launch.py REPORT MIB COMMAND...``

A process of its own and as small as can be, because Linux counts the memory of whoever starts a
program as that program's own peak.
"""

import os
import resource
import sys
import time


def main() -> None:
    """Start the program, wait, and write exit code, seconds and peak memory (KiB)."""
    report, memory, *command = sys.argv[1:]
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory) * 2**20,) * 2)
        os.execvp(command[0], command)
    _, state, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    with open(report, "w", encoding="utf-8") as stream:
        stream.write(f"{os.waitstatus_to_exitcode(state)} {seconds} {usage.ru_maxrss}\n")


main()
