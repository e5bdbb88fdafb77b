# SPDX-License-Identifier: Apache-2.0
"""Loads a scene, by name or by a file in a scene folder. Needs running nodes: `fcp up`."""

import sys

from fcp_ros.client import FcpClient


def main() -> int:
    """Load, print what is in it and what had to be guessed."""
    scene = sys.argv[1] if len(sys.argv) > 1 else "twin_house_furnished"
    with FcpClient() as fcp:
        loaded = fcp.load_scene(scene)
        print(loaded.message)
        for note in loaded.notes:
            print(f"  note: {note}")
        graph = fcp.scene() if loaded.success else None
    if graph is None:
        return 1
    nodes = graph.nodes
    for id_, layer, category in zip(nodes.ids, nodes.layers, nodes.categories, strict=True):
        if layer == "object":
            print(f"  {id_}: {category}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
