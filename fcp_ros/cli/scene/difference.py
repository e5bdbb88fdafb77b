# SPDX-License-Identifier: Apache-2.0
"""The output of ``fcp scene diff``, for people and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from fcp_ros.binding import type_of_label
from fcp_ros.domain import Domain
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import to_printable
from fcp_ros.scene import SceneNode
from fcp_ros.scene.difference import NodeDifference, SceneDifference


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
