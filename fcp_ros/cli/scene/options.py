# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that read any scene."""

from __future__ import annotations

from typing import Annotated

import typer

from fcp_ros.scene import SceneLimits
from fcp_ros.scene.relations.options import ON_REQUEST

FileArgument = Annotated[
    str,
    typer.Argument(
        help="A scene file or folder of any supported format, or the name of one of this package's."
    ),
]
AlsoOption = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="RELATION",
        help=f"Derive this from geometry, too: {', '.join(ON_REQUEST)}; may be repeated. What the "
        "domain declares of these is derived anyway.",
    ),
]
MaxNodesOption = Annotated[
    int | None,
    typer.Option("--max-nodes", min=1, help="Refuse scenes with more nodes than this."),
]


def to_limits(max_nodes: int | None) -> SceneLimits:
    """Return the limits that the option stands for."""
    return SceneLimits() if max_nodes is None else SceneLimits(max_nodes=max_nodes)
