# SPDX-License-Identifier: Apache-2.0
"""``fcp scene``: look at a scene."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fcp_ros.cli.errors import explained, fail
from fcp_ros.cli.options import DEFAULT_DOMAIN, DomainOption, JsonOption
from fcp_ros.cli.session import Session, open_session

app = typer.Typer(no_args_is_help=True, help="Look at a scene.")

FileArgument = Annotated[
    str,
    typer.Argument(
        help="A scene file of any supported format, or the name of one of this package's."
    ),
]


@app.command()
def info(
    file: FileArgument, domain: DomainOption = DEFAULT_DOMAIN, as_json: JsonOption = False
) -> None:
    """Show what is in a scene, and what a domain makes of it."""
    with explained():
        session = open_session(domain, file)
    if as_json:
        typer.echo(json.dumps(_plain(session), indent=1))
    else:
        _print(Console(highlight=False), session)


@app.command()
def show(
    file: FileArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="SVG file to write.")] = Path(
        "scene.svg"
    ),
) -> None:
    """Draw a scene from above into an SVG file."""
    from fcp_ros.report.floor_plan import draw_floor_plan  # slow to import, and only needed here

    with explained():
        session = open_session(DEFAULT_DOMAIN, file)
    picture = draw_floor_plan(session.graph, (), "scene")
    if not picture:
        fail(f"{file} has no node with a known pose: there is nothing to draw")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(picture, encoding="utf-8")
    Console(highlight=False).print(f"wrote {escape(str(out))}")


def _plain(session: Session) -> dict[str, object]:
    graph, instance = session.graph, session.state.instance
    return {
        "source": graph.source,
        "nodes": [
            {
                "id": node.id,
                "layer": node.layer.value,
                "category": node.category,
                "type": instance.type_of(instance.id_of(node.id))
                if instance.has(node.id)
                else None,
            }
            for node in graph.nodes.values()
        ],
        "relations": [[relation.name, *relation.elements] for relation in graph.relations],
        "notes": [*graph.notes, *session.state.notes],
    }


def _print(console: Console, session: Session) -> None:
    graph, instance = session.graph, session.state.instance
    console.print(
        f"[bold]{escape(graph.source or 'scene')}[/]: {len(graph.nodes)} nodes, "
        f"{len(graph.relations)} relations, frame {graph.frame_id}",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in (
        "layer",
        "id",
        "category",
        f"type in {session.domain.name}",
        "position [m]",
        "relations",
    ):
        table.add_column(column, no_wrap=column != "relations", overflow="fold")
    for node in graph.nodes.values():
        if not instance.has(node.id):
            continue  # layers that the domain leaves out, such as places
        position = "" if node.pose is None else "{:.2f} {:.2f} {:.2f}".format(*node.pose.position)
        held = "; ".join(
            str(relation) for relation in graph.relations if relation.elements[0] == node.id
        )
        table.add_row(
            node.layer.value,
            escape(node.id),
            escape(node.category),
            instance.type_of(instance.id_of(node.id)),
            position,
            escape(held),
        )
    console.print(table)
    left_out = sum(not instance.has(identifier) for identifier in graph.nodes)
    if left_out:
        console.print(f"{left_out} nodes of layers that the domain does not use", style="dim")
    for note in (*graph.notes, *session.state.notes):
        console.print(f"note: {escape(note)}", style="dim", soft_wrap=True)
