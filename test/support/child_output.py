# SPDX-License-Identifier: Apache-2.0
"""What a process that a test has started writes, among the lines of the libraries it uses."""

from __future__ import annotations

from subprocess import Popen


def wait_for_line(process: Popen[str], beginning: str) -> str:
    """Read what a process writes up to the line that begins so.

    Other lines may come at any time: Fast DDS 2.14 says so on the standard output where a port in
    shared memory is taken, which is harmless (it takes the next one).

    Args:
        process: started with `stdout=PIPE` and `text=True`.
        beginning: of the line that is waited for.

    Returns:
        The rest of the line, without the blanks around it.

    Raises:
        AssertionError: The process has ended without such a line.
    """
    assert process.stdout is not None
    others = []
    for line in process.stdout:
        if line.startswith(beginning):
            return line.removeprefix(beginning).strip()
        others.append(line)
    raise AssertionError(f"no line {beginning!r} came, but: {''.join(others)!r}")
