# SPDX-License-Identifier: Apache-2.0
"""``fcp scene``: look at scenes, draw, convert and compare them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from fcp_ros.binding.label_types import type_of_label
from fcp_ros.cli.exit_codes import DIFFERENT
from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    AssetsOption,
    DomainOption,
    JsonOption,
    OverridesOption,
    SimilarOption,
    TypeOption,
    expand_options,
)
from fcp_ros.cli.session import SceneChoice, Session, open_session
from fcp_ros.cli.terminal import (
    UNWRAPPED,
    check_outputs,
    escape_text,
    explain_errors,
    fail,
    make_table,
    open_console,
    show_progress,
)
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names, to_printable
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.report.node_names import explain_choice, group_by_label
from fcp_ros.scene import (
    Provenance,
    SceneLimits,
    SceneNode,
    SceneSummary,
    complete_relations,
    load_scene,
    read_scene,
    summarise,
)
from fcp_ros.scene.difference import (
    DifferenceTolerances,
    NodeDifference,
    SceneDifference,
    compare_scenes,
)
from fcp_ros.scene.live_matching import REACH, match_scenes
from fcp_ros.scene.loading import save_scene
from fcp_ros.scene.relations.relation_options import ON_REQUEST, RelationOptions

ROWS_SHOWN = 40
ROOMS_SHOWN = 15
"""Only the first labels, notes or rooms are shown; ``--json`` has everything."""

# --- for people


def print_info(console: Console, session: Session, *, each_node: bool) -> None:
    summary = summarise(session.graph)
    console.print(_build_headline(session, summary), soft_wrap=True)
    if session.format.lacks:
        console.print(f"the format cannot express {'; '.join(session.format.lacks)}", style="dim")
    console.print()
    if each_node:
        console.print(_build_nodes_table(session))
    else:
        console.print(_build_labels_table(session, fill=console.width < UNWRAPPED))
    for part in (_build_rooms_table(summary), _build_relations_table(summary)):
        console.print()
        console.print(part)
    notes = (*session.graph.notes, *session.state.notes)
    if notes:
        console.print()
    for note in notes[:ROWS_SHOWN]:
        console.print(f"note: {escape_text(note)}", style="dim", soft_wrap=True)
    if len(notes) > ROWS_SHOWN:
        more = f"and {len(notes) - ROWS_SHOWN} more notes: --json shows them"
        console.print(more, style="dim")


def _build_headline(session: Session, summary: SceneSummary) -> Text:
    counts = ", ".join(f"{count} {layer}" for layer, count in summary.layers.items() if count)
    text = Text.assemble(
        (to_printable(summary.source) or "scene", "bold"), f": {session.format.description}\n"
    )
    text.append(f"{len(session.graph.nodes)} nodes ({counts}), ")
    text.append(f"{session.graph.relation_count} relations, frame {to_printable(summary.frame_id)}")
    if summary.extent is not None:
        west, south, east, north = summary.extent
        text.append(f", {east - west:.1f} m x {north - south:.1f} m")
    text.append(f"; types of domain {session.domain.name}")
    return text


def _build_labels_table(session: Session, *, fill: bool) -> RenderableType:
    groups = group_by_label(session.graph, session.state.typing)
    table = make_table("layer", "label", "nodes", "type", "degree", "why")
    table.add_column("which", no_wrap=True, overflow="ellipsis", ratio=1)
    table.expand = fill  # gives the last column the remaining width of a terminal
    table.columns[2].justify = table.columns[4].justify = "right"
    for group in groups[:ROWS_SHOWN]:
        choice = group.choice
        table.add_row(
            group.layer.value,
            escape_text(group.category),
            str(len(group.ids)),
            "-" if choice is None else choice.type,
            "" if choice is None else f"{choice.degree:.2f}",
            escape_text(explain_choice(choice)),
            escape_text(list_names(group.ids)),
            style="yellow" if choice is not None and choice.is_guess else None,
        )
    hidden = groups[ROWS_SHOWN:]
    if not hidden:
        return table
    nodes = sum(len(group.ids) for group in hidden)
    more = f"and {len(hidden)} more labels with {nodes} nodes: --all or --json shows them"
    return Group(table, Text(more, style="dim"))


def _build_nodes_table(session: Session) -> Table:
    graph = session.graph
    table = make_table("layer", "id", "label", "type", "degree", "why")
    table.add_column("position [m]", no_wrap=True)
    table.add_column("relations", overflow="fold")
    for node in graph.nodes.values():
        choice = session.state.typing.get(node.id)
        held = (
            f"{relation.name} {', '.join(relation.elements[1:])}".rstrip()
            for relation in graph.relations_of(node.id)
            if relation.elements[0] == node.id
        )
        table.add_row(
            node.layer.value,
            escape_text(node.id),
            escape_text(node.category),
            "-" if choice is None else choice.type,
            "" if choice is None else f"{choice.degree:.2f}",
            escape_text(explain_choice(choice)),
            _format_position(node),
            escape_text("; ".join(held)),
        )
    return table


def _build_rooms_table(summary: SceneSummary) -> RenderableType:
    table = make_table("room", "label", "things in it")
    table.columns[2].justify = "right"
    for id_, category, count in summary.rooms[:ROOMS_SHOWN]:
        table.add_row(escape_text(id_), escape_text(category), str(count))
    hidden = len(summary.rooms) - ROOMS_SHOWN
    return Group(table, Text(f"and {hidden} more rooms", style="dim")) if hidden > 0 else table


def _build_relations_table(summary: SceneSummary) -> Table:
    table = make_table("relation", *(provenance.value for provenance in Provenance))
    for column in table.columns[1:]:
        column.justify = "right"
    for name, counts in summary.relations.items():
        table.add_row(escape_text(name), *(str(counts.get(p.value, "")) for p in Provenance))
    return table


def _format_position(node: SceneNode) -> str:
    return "" if node.pose is None else "{:.2f} {:.2f} {:.2f}".format(*node.pose.position)


# --- as JSON


def to_plain_info(session: Session) -> dict[str, Any]:
    """Return a whole scene as JSON values; positions and extents in metres."""
    graph, summary = session.graph, summarise(session.graph)
    return {
        "source": graph.source,
        "format": session.format.name,
        "format_lacks": list(session.format.lacks),
        "frame_id": graph.frame_id,
        "domain": session.domain.name,
        "layers": dict(summary.layers),
        "categories": dict(summary.categories),
        "extent": summary.extent,
        "relation_counts": {name: dict(counts) for name, counts in summary.relations.items()},
        "nodes": list(_make_plain_nodes(session)),
        "relations": [[relation.name, *relation.elements] for relation in graph.relations],
        "notes": [*graph.notes, *session.state.notes],
    }


def _make_plain_nodes(session: Session) -> Iterator[dict[str, Any]]:
    for node in session.graph.nodes.values():
        choice = session.state.typing.get(node.id)
        plain: dict[str, Any] = {
            "id": node.id,
            "layer": node.layer.value,
            "category": node.category,
            "type": None,
            "position": _to_list(node.pose.position if node.pose is not None else None),
            "size": _to_list(node.size),
        }
        if choice is not None:
            plain |= {
                "type": choice.type,
                "degree": round(choice.degree, 4),
                "how": choice.reason.value,
                "matched_label": choice.matched_label,
            }
        yield plain


def _to_list(values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else list(values)


def make_type_lookup(domain: Domain) -> Callable[[SceneNode], str]:
    """Make a function that gives a node its type in a domain, or its own label if it has none."""

    def type_of(node: SceneNode) -> str:
        return type_of_label(node.category, domain.mapping) or normalise_label(node.category)

    return type_of


def print_difference(console: Console, found: SceneDifference) -> None:
    """Print a line for each thing that differs: + only in the second, - only in the first."""
    if found.frames is not None:
        _print_line(console, "~", "frames {} and {}".format(*found.frames), "yellow")
    for node in found.removed:
        _print_line(console, "-", f"{node.layer.value} {_name_node(node)}", "red")
    for node in found.added:
        _print_line(console, "+", f"{node.layer.value} {_name_node(node)}", "green")
    for change in found.changed:
        _print_line(console, "~", f"{change.id}: {'; '.join(_describe_change(change))}", "yellow")
    for relation in found.relations_removed:
        _print_line(console, "-", str(relation), "red")
    for relation in found.relations_added:
        _print_line(console, "+", str(relation), "green")
    console.print(_summarise(found), style="dim")


def _print_line(console: Console, sign: str, text: str, style: str) -> None:
    console.print(Text(f"{sign} {to_printable(text)}", style=style), soft_wrap=True)


def _name_node(node: SceneNode) -> str:
    return f"{node.id} ({node.category})"


def _describe_change(change: NodeDifference) -> Iterator[str]:
    if change.moved:
        yield f"moved by {100.0 * change.moved:.1f} cm"
    if change.turned:
        yield f"turned by {change.turned:.1f} degrees"
    for what, before, after in change.changes:
        yield f"{what} {before} -> {after}"


def _summarise(found: SceneDifference) -> str:
    if found.is_empty:
        return "no differences"
    return (
        f"{len(found.removed)} gone, {len(found.added)} new, {len(found.changed)} changed; "
        f"relations: {len(found.relations_removed)} gone, {len(found.relations_added)} new"
    )


def to_plain_difference(found: SceneDifference) -> dict[str, Any]:
    """Return the difference as JSON values; distances in metres, angles in degrees."""
    return {
        "same": found.is_empty,
        "frames": found.frames,
        "removed": [_to_plain_node(node) for node in found.removed],
        "added": [_to_plain_node(node) for node in found.added],
        "changed": [
            {
                "id": change.id,
                "moved_m": round(change.moved, 6),
                "turned_degrees": round(change.turned, 6),
                "changes": [list(entry) for entry in change.changes],
            }
            for change in found.changed
        ],
        "relations_removed": [[r.name, *r.elements] for r in found.relations_removed],
        "relations_added": [[r.name, *r.elements] for r in found.relations_added],
    }


def _to_plain_node(node: SceneNode) -> dict[str, str]:
    return {"id": node.id, "layer": node.layer.value, "category": node.category}


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Look at scenes, draw, convert and compare them.",
)

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
    int | None, typer.Option("--max-nodes", min=1, help="Refuse scenes with more nodes than this.")
]


@dataclass(frozen=True)
class FileOptions:
    """The options that decide how a file is read."""

    also: AlsoOption = None
    max_nodes: MaxNodesOption = None
    assets: AssetsOption = None

    @property
    def limits(self) -> SceneLimits:
        limits = SceneLimits(asset_folders=tuple(self.assets or ()))
        return limits if self.max_nodes is None else replace(limits, max_nodes=self.max_nodes)


@dataclass(frozen=True)
class SessionOptions:
    """The options that decide how a scene is read in the words of a domain."""

    domain: DomainOption = DEFAULT_DOMAIN
    types: TypeOption = None
    overrides: OverridesOption = None
    similar: SimilarOption = None

    def open(self, file: str, reading: FileOptions) -> Session:
        types, also = tuple(self.types or ()), tuple(reading.also or ())
        choice = SceneChoice(types, self.similar, reading.limits, also, self.overrides)
        with explain_errors(), show_progress(f"reading {file}"):
            return open_session(self.domain, file, choice)


@app.command()
@expand_options
def info(
    *,
    file: FileArgument,
    options: SessionOptions,
    reading: FileOptions,
    each_node: Annotated[
        bool, typer.Option("--all", help="Show each node instead of each label.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is in a scene, and the types that a domain gives it."""
    session = options.open(file, reading)
    if as_json:
        typer.echo(json.dumps(to_plain_info(session), indent=1))
    else:
        print_info(open_console(), session, each_node=each_node)


@app.command()
@expand_options
def show(
    *,
    file: FileArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .html for a page with a plan and tables, .svg for the plan.",
        ),
    ] = Path("scene.html"),
    options: SessionOptions,
    reading: FileOptions,
) -> None:
    """Draw a scene from above into one file that needs no network."""
    # Slow to import, and only needed here.
    from fcp_ros.report.floor_plan import draw_floor_plan
    from fcp_ros.report.scene_page import write_scene_page

    if out.suffix.lower() not in (".html", ".htm", ".svg"):
        fail(f"{out}: pictures are written as .html or .svg; give the file one of these suffixes")
    check_outputs((out,), (file, options.domain, options.overrides))
    session = options.open(file, reading)
    if all(node.pose is None for node in session.graph.nodes.values()):
        fail(f"{file} has no node with a known pose, so there is nothing to draw")
    with show_progress("drawing"):
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix.lower() == ".svg":
            out.write_text(draw_floor_plan(session.graph, (), "scene"), encoding="utf-8")
        else:
            write_scene_page(session.graph, session.state.typing, session.domain.name, out)
    open_console().print(f"wrote {escape_text(str(out))}", soft_wrap=True)


@app.command()
@expand_options
def convert(
    *,
    file: FileArgument,
    out: Annotated[Path, typer.Argument(help="File to write: .json, .yaml or .yml.")],
    given_only: Annotated[
        bool, typer.Option("--given-only", help="Leave out derived relations, floors and doors.")
    ] = False,
    reading: FileOptions,
) -> None:
    """Write a scene of any format in our own, which loses nothing."""
    check_outputs((out,), (file,))
    with explain_errors(), show_progress(f"converting {file}"):
        relations = RelationOptions(also=frozenset(reading.also or ()))
        graph = read_scene(find_scene(file), limits=reading.limits)
        graph = graph if given_only else complete_relations(graph, relations)
        out.parent.mkdir(parents=True, exist_ok=True)
        save_scene(graph, out)
    console = open_console()
    counts = f"{len(graph.nodes)} nodes, {graph.relation_count} relations"
    console.print(f"wrote {escape_text(str(out))}: {counts}", soft_wrap=True)
    for note in graph.notes:
        console.print(f"note: {escape_text(note)}", style="dim", soft_wrap=True)


@app.command()
def diff(
    first: FileArgument,
    second: Annotated[str, typer.Argument(help="The scene to compare it with, in any format.")],
    distance: Annotated[
        float, typer.Option(min=0.0, help="Tolerance [cm] of positions and sizes.")
    ] = 1.0,
    turn: Annotated[
        float, typer.Option(min=0.0, help="Tolerance [degrees] of orientations.")
    ] = 1.0,
    match: Annotated[
        bool,
        typer.Option("--match", help="Match things by category and place where their ids differ."),
    ] = False,
    reach: Annotated[
        float, typer.Option(min=0.0, help="With --match: how far [m] a thing may have moved.")
    ] = REACH,
    domain: DomainOption = DEFAULT_DOMAIN,
    given_only: Annotated[
        bool, typer.Option("--given-only", help="Compare the files without derived relations.")
    ] = False,
    max_nodes: MaxNodesOption = None,
    assets: AssetsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two scenes of any formats: exit code 0 if they are the same, 1 if they differ."""
    read = read_scene if given_only else load_scene
    limits = FileOptions(max_nodes=max_nodes, assets=assets).limits
    with explain_errors(), show_progress("reading"):
        before, after = (read(find_scene(file), limits=limits) for file in (first, second))
        type_of = make_type_lookup(load_domain(find_domain(domain))) if match else None
    with show_progress("comparing"):
        found = compare_scenes(
            before,
            after,
            DifferenceTolerances(distance / 100.0, turn),
            match_scenes(before, after, reach, type_of) if match else None,
        )
    if as_json:
        typer.echo(json.dumps(to_plain_difference(found), indent=1))
    else:
        print_difference(open_console(), found)
    if not found.is_empty:
        raise typer.Exit(DIFFERENT)
