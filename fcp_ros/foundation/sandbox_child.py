# SPDX-License-Identifier: Apache-2.0
"""The program of the child process of `sandbox`: limits itself, then decodes files.

It reads its task from the standard input as JSON, and imports nothing of this package. A file that
was decoded, or refused, has a result in the end; one that crashed the decoder has none.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import resource
import sys
from typing import Any

# As in sandbox.py.
DOCUMENT, REFUSAL = "__document__", "__refusal__"


def main() -> None:
    """Decode each file into its result, whatever crashes on the way."""
    task = json.load(sys.stdin)
    _set_limit(resource.RLIMIT_DATA, task["memory"])
    _set_limit(resource.RLIMIT_CPU, math.ceil(task["seconds"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path[:] = task["path"]
    decoder = _load(task["decoder"])
    if hasattr(decoder, "prepare"):
        decoder.prepare()
    jobs = task["jobs"]
    while jobs:
        # A crash ends only the fork; importing large libraries again for each would take seconds.
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for arguments, result in jobs:
                    _decode(decoder, arguments, result)
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        # The first file without a result crashed the decoder: go on behind it.
        finished = [number for number, (_, result) in enumerate(jobs) if os.path.exists(result)]
        jobs = jobs[(finished[-1] + 1 if finished else 0) + 1 :]


def _set_limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (soft, hard))


def _load(path: str) -> Any:
    """Import a decoder by its file: importing it by name would import the packages around it."""
    spec = importlib.util.spec_from_file_location("decoder", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["decoder"] = module
    spec.loader.exec_module(module)
    return module


def _decode(decoder: Any, arguments: list[str], result: str) -> None:
    import numpy

    def to_bytes(text: str) -> Any:
        return numpy.frombuffer(text.encode(), numpy.uint8)

    try:
        document, arrays = decoder.decode(*arguments)
        found = {**arrays, DOCUMENT: to_bytes(json.dumps(document))}
    except getattr(decoder, "REFUSAL", ()) as refusal:
        found = {REFUSAL: to_bytes(str(refusal))}
    except MemoryError:
        found = {REFUSAL: to_bytes("it needs too much memory")}
    except Exception as error:
        found = {REFUSAL: to_bytes(f"its content is damaged ({type(error).__name__})")}
    unfinished = f"{result}.unfinished"
    with open(unfinished, "wb") as stream:
        numpy.savez(stream, **found)
    os.replace(unfinished, result)


if __name__ == "__main__":
    main()
