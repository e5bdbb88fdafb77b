# SPDX-License-Identifier: Apache-2.0
"""The output of ``fcp scene info``: by label for people, and as JSON in full.

A scene of 6,000 nodes stays readable because nodes are grouped by label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from fcp_ros.cli.session import Session
from fcp_ros.cli.terminal import UNWRAPPED, escape_text
from fcp_ros.foundation.wording import list_names, to_printable
from fcp_ros.report.names import explain_choice, group_by_label
from fcp_ros.scene import Provenance, SceneNode, SceneSummary, summarise

ROWS_SHOWN = 40
ROOMS_SHOWN = 15
"""Only the first labels, notes or rooms are shown; ``--json`` has everything."""

# --- for people


def print_info(console: Console, session: Session, *, each_node: bool) -> None:
    """Print what is in the scene, and the types that the domain gives it."""
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
    table = _new_table("layer", "label", "nodes", "type", "degree", "why")
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
    table = _new_table("layer", "id", "label", "type", "degree", "why")
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
    table = _new_table("room", "label", "things in it")
    table.columns[2].justify = "right"
    for id_, category, count in summary.rooms[:ROOMS_SHOWN]:
        table.add_row(escape_text(id_), escape_text(category), str(count))
    hidden = len(summary.rooms) - ROOMS_SHOWN
    return Group(table, Text(f"and {hidden} more rooms", style="dim")) if hidden > 0 else table


def _build_relations_table(summary: SceneSummary) -> Table:
    table = _new_table("relation", *(provenance.value for provenance in Provenance))
    for column in table.columns[1:]:
        column.justify = "right"
    for name, counts in summary.relations.items():
        table.add_row(escape_text(name), *(str(counts.get(p.value, "")) for p in Provenance))
    return table


def _new_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
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
