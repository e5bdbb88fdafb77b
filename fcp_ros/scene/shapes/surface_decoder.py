# SPDX-License-Identifier: Apache-2.0
"""The program of the process in which Open3D decodes files (see surfaces.py).

Started as ``surface_decoder.py [search path ...] -- file result.npz [file result.npz ...]``; it
imports nothing of this package. The result of a file that can't be decoded is empty; a file that
crashes the library has none.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import Any

MOST_MEMORY = 8 << 30
"""What the process may allocate (bytes)."""


def main(arguments: list[str]) -> None:
    """Decode each file into its result, whatever crashes on the way."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    split = arguments.index("--")
    sys.path[:] = arguments[:split]
    import numpy
    import open3d

    todo = list(zip(arguments[split + 1 :: 2], arguments[split + 2 :: 2], strict=True))
    while todo:
        # A crash ends only the fork; importing Open3D again for each would take seconds.
        child = os.fork()
        if child == 0:
            decode_all(open3d, numpy, todo)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            return
        # It crashed at the first file after the last one with a result: go on behind it.
        finished = [number for number, (_, result) in enumerate(todo) if Path(result).exists()]
        todo = todo[(finished[-1] + 1 if finished else 0) + 1 :]


def decode_all(library: Any, numpy: Any, files: list[tuple[str, str]]) -> None:
    """Decode each file into its result; an empty one says that it is damaged but did not crash."""
    for path, result in files:
        try:
            points, triangles = decode(library, numpy, path)
            with Path(result).open("wb") as stream:
                numpy.savez(stream, points=points, triangles=triangles)
        except (RuntimeError, ValueError, IndexError, MemoryError):
            Path(result).write_bytes(b"")


def decode(library: Any, numpy: Any, path: str) -> tuple[Any, Any]:
    """Points and triangles of a file."""
    if path.lower().endswith(".pcd"):
        return numpy.asarray(library.io.read_point_cloud(path).points), numpy.zeros((0, 3))
    mesh = library.io.read_triangle_mesh(path)
    return numpy.asarray(mesh.vertices), numpy.asarray(mesh.triangles)


if __name__ == "__main__":
    main(sys.argv[1:])
