# SPDX-License-Identifier: Apache-2.0
"""Command-line options that say how scenes are read, shared by the commands that read one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from fcp_ros.report.names import printable
from fcp_ros.scene import SceneLimits
from fcp_ros.scene.relations.options import ON_REQUEST

FileArgument = Annotated[
    str,
    typer.Argument(
        help="A scene file or folder of any supported format, or the name of one of this package's."
    ),
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        "-t",
        metavar="NAME=TYPE",
        help="Give an element (by id) or all of a label this type; may be repeated.",
    ),
]
SimilarOption = Annotated[
    float | None,
    typer.Option(
        "--similar",
        min=0.0,
        max=1.0,
        help="Give unknown labels the type of known ones that mean nearly the same, if the vote "
        "reaches this (0 to 1); the domain's own setting without it.",
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


def limits_of(max_nodes: int | None) -> SceneLimits:
    """The limits that the option stands for."""
    return SceneLimits() if max_nodes is None else SceneLimits(max_nodes=max_nodes)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A turning sign on standard error while something takes its time; none where it is a file."""
    with Console(stderr=True).status(what):
        yield


def as_text(text: str) -> str:
    """What a file says, as text to print: no markup, and nothing that a terminal would obey."""
    return escape(printable(text))
