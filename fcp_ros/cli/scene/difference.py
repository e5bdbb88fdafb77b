# SPDX-License-Identifier: Apache-2.0
"""What ``fcp scene diff`` tells of two scenes, for people and as JSON."""

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


def type_by(domain: Domain) -> Callable[[SceneNode], str]:
    """The type that a domain's labels give a node; its own label where they give none."""

    def type_of(node: SceneNode) -> str:
        return type_of_label(node.category, domain.mapping) or normalise_label(node.category)

    return type_of


def print_difference(console: Console, found: SceneDifference) -> None:
    """Print a line for each thing that differs: + only in the second, - only in the first."""
    if found.frames is not None:
        _line(console, "~", "frames {} and {}".format(*found.frames), "yellow")
    for node in found.removed:
        _line(console, "-", f"{node.layer.value} {_named(node)}", "red")
    for node in found.added:
        _line(console, "+", f"{node.layer.value} {_named(node)}", "green")
    for change in found.changed:
        _line(console, "~", f"{change.id}: {'; '.join(_told(change))}", "yellow")
    for relation in found.relations_removed:
        _line(console, "-", str(relation), "red")
    for relation in found.relations_added:
        _line(console, "+", str(relation), "green")
    console.print(_sum(found), style="dim")


def _line(console: Console, sign: str, text: str, style: str) -> None:
    console.print(Text(f"{sign} {to_printable(text)}", style=style), soft_wrap=True)


def _named(node: SceneNode) -> str:
    return f"{node.id} ({node.category})"


def _told(change: NodeDifference) -> Iterator[str]:
    if change.moved:
        yield f"moved by {100.0 * change.moved:.1f} cm"
    if change.turned:
        yield f"turned by {change.turned:.1f} degrees"
    for what, before, after in change.changes:
        yield f"{what} {before} -> {after}"


def _sum(found: SceneDifference) -> str:
    if found.is_empty:
        return "no differences"
    return (
        f"{len(found.removed)} gone, {len(found.added)} new, {len(found.changed)} changed; "
        f"relations: {len(found.relations_removed)} gone, {len(found.relations_added)} new"
    )


def plain_difference(found: SceneDifference) -> dict[str, Any]:
    """The difference as JSON values; distances in metres, angles in degrees."""
    return {
        "same": found.is_empty,
        "frames": found.frames,
        "removed": [_plain_node(node) for node in found.removed],
        "added": [_plain_node(node) for node in found.added],
        "changed": [
            {
                "id": change.id,
                "moved_m": round(change.moved, 6),
                "turned_degrees": round(change.turned, 6),
                "changes": [list(told) for told in change.changes],
            }
            for change in found.changed
        ],
        "relations_removed": [[r.name, *r.elements] for r in found.relations_removed],
        "relations_added": [[r.name, *r.elements] for r in found.relations_added],
    }


def _plain_node(node: SceneNode) -> dict[str, str]:
    return {"id": node.id, "layer": node.layer.value, "category": node.category}
