# SPDX-License-Identifier: Apache-2.0
"""The program of the process in which Open3D decodes files (see surfaces.py).

Started as ``surface_decoder.py [search path ...] -- file result.npz [file result.npz ...]``; it
imports nothing of this package. The result of a file
that can't be decoded is empty.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

MOST_MEMORY = 8 << 30
"""What the process may allocate (bytes)."""


def main(arguments: list[str]) -> None:
    """Decode each file into its result."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    split = arguments.index("--")
    sys.path[:] = arguments[:split]
    import numpy
    import open3d

    for path, result in zip(arguments[split + 1 :: 2], arguments[split + 2 :: 2], strict=True):
        try:
            points, triangles = decode(open3d, numpy, path)
            with Path(result).open("wb") as stream:
                numpy.savez(stream, points=points, triangles=triangles)
        except (RuntimeError, ValueError, IndexError, MemoryError):
            Path(result).write_bytes(b"")  # so that it is not taken for the one that crashed


def decode(library: Any, numpy: Any, path: str) -> tuple[Any, Any]:
    """Points and triangles of a file."""
    if path.lower().endswith(".pcd"):
        return numpy.asarray(library.io.read_point_cloud(path).points), numpy.zeros((0, 3))
    mesh = library.io.read_triangle_mesh(path)
    return numpy.asarray(mesh.vertices), numpy.asarray(mesh.triangles)


if __name__ == "__main__":
    main(sys.argv[1:])
