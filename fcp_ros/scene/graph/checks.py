# SPDX-License-Identifier: Apache-2.0
"""Checks of a scene graph: ids, numbers, references, no cycle of parents or holders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from fcp_ros.foundation.wording import find_control
from fcp_ros.scene.graph.elements import (
    FARTHEST,
    Provenance,
    RelationKey,
    SceneError,
    SceneNode,
    SceneRelation,
)

UNIT_TOLERANCE = 1e-2
"""Greatest deviation of a quaternion's length from 1: it admits rounding, not a wrong order."""

CASE_NOTE = "ids that differ in case only, which PDDL and some file systems take for the same: "
"""Beginning of the note on such ids."""

MOST_ATTRIBUTES = 1_000  # Greatest number of attributes of a node

LONGEST_TEXT = 65_536
"""Greatest number of characters of all texts of a node: id, category, attributes with names."""

LONGEST_NUMBER = 1 << 1024
"""Bound of whole numbers among attributes: beyond it they are no floats either."""

MOST_CORNERS = 2_000  # Greatest number of corners of an outline

_PLAIN_VALUES = frozenset((bool, int, str))
_HOLDING = ("on", "inside")
_METRIC = frozenset(("the position", "the size", "the height", "the polygon"))
_SHOWN = 5
_SHOWN_CHARACTERS = 40


def check_nodes(nodes: Mapping[str, SceneNode]) -> None:
    """Raise SceneError unless the nodes of a whole graph are valid."""
    for key, node in nodes.items():
        if key != node.id:
            raise SceneError(f"stored under {key!r}, but its id is {node.id!r}", element=key)
        check_node(node, nodes)
    check_hierarchy(nodes, nodes)


def check_node(node: SceneNode, nodes: Mapping[str, SceneNode]) -> None:
    """Raise SceneError unless a node is valid by itself and its parents are in the graph."""
    if not node.id or node.id != node.id.strip():
        raise SceneError(
            f"the node id {node.id!r} is empty or has space around it",
            advice="Give every node a non-empty id.",
        )
    if control := find_control(node.id):
        raise _build_control_error(f"the node id {node.id!a}", control)
    if not node.category:
        raise SceneError(
            "the category is empty",
            element=node.id,
            advice='Write a label such as "table", or "unknown".',
        )
    if node.attributes or len(node.id) + len(node.category) > LONGEST_TEXT:
        _check_texts(node)
    if not _add_up_numbers(node) <= FARTHEST:
        _check_numbers(node)
    if node.size is not None and min(node.size) < 0.0:
        raise SceneError(
            f"the size {node.size} has a negative extent",
            element=node.id,
            advice="Sizes are full extents in metres; leave an unknown size out.",
        )
    if node.height is not None and node.height <= 0.0:
        raise SceneError(f"the height {node.height} is not above 0", element=node.id)
    if node.polygon:
        _check_corners(node)
    if node.pose is not None:
        x, y, z, w = node.pose.orientation
        if abs(math.sqrt(x * x + y * y + z * z + w * w) - 1.0) > UNIT_TOLERANCE:
            raise SceneError(
                f"the orientation {node.pose.orientation} is no unit quaternion",
                element=node.id,
                advice="Write it as x, y, z, w with length 1.",
            )
    for parent in node.parents:
        if parent not in nodes:
            raise SceneError(
                f"its parent {parent!r} is not in the graph",
                element=node.id,
                advice="Add that node or remove the reference.",
            )


def _build_control_error(what: str, control: str) -> SceneError:
    return SceneError(
        f"{what} holds the control character {control}",
        advice="Names are shown in lines of text and sent in messages: leave it out.",
    )


def check_hierarchy(nodes: Mapping[str, SceneNode], starts: Iterable[str]) -> None:
    """Raise SceneError if parents lead from one of the starts into a cycle.

    If the graph had no cycle before, only nodes that are new or have new parents need to be starts.
    """
    cycle = find_cycle(lambda id_: nodes[id_].parents, starts)
    if cycle:
        raise SceneError(
            f"its parents lead back to itself ({' > '.join((*cycle, cycle[0]))})",
            element=cycle[0],
            advice="Remove one of these parent references.",
        )


def check_holders(relations: Iterable[SceneRelation]) -> None:
    """Raise SceneError if given relations put something on or inside itself, however indirectly."""
    holders: dict[str, list[str]] = {}
    for relation in relations:
        if _is_given_place(relation):
            holders.setdefault(relation.elements[0], []).append(relation.elements[1])
    _refuse_holding_cycle(find_cycle(lambda id_: holders.get(id_, ()), holders))


def check_new_holders(
    added: Iterable[SceneRelation], relations_of: Callable[[str], Iterable[SceneRelation]]
) -> None:
    """Check as ``check_holders`` in time of a change's size; ``added`` is new in a right graph."""

    def find_holders(id_: str) -> list[str]:
        return [
            relation.elements[1]
            for relation in relations_of(id_)
            if _is_given_place(relation) and relation.elements[0] == id_
        ]

    items = [relation.elements[0] for relation in added if _is_given_place(relation)]
    _refuse_holding_cycle(find_cycle(find_holders, items))


def _is_given_place(relation: SceneRelation) -> bool:
    return (
        relation.provenance is Provenance.GIVEN
        and relation.name in _HOLDING
        and len(relation.elements) == 2
    )


def _refuse_holding_cycle(cycle: tuple[str, ...]) -> None:
    if cycle:
        raise SceneError(
            f"it lies on or in itself ({' > '.join((*cycle, cycle[0]))})",
            element=cycle[0],
            advice="Remove or correct one of these relations on and inside.",
        )


def find_cycle(above: Callable[[str], Iterable[str]], starts: Iterable[str]) -> tuple[str, ...]:
    """Find a cycle that the starts lead to, depth first and without recursion; () without one."""
    finished: set[str] = set()
    for start in starts:
        if start in finished:
            continue
        if finished.issuperset(above(start)):
            finished.add(start)
            continue
        path: dict[str, None] = {start: None}
        stack = [iter(above(start))]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
                finished.add(path.popitem()[0])
            elif following in path:
                return tuple(path)[list(path).index(following) :]
            elif following not in finished:
                path[following] = None
                stack.append(iter(above(following)))
    return ()


def check_relation(relation: SceneRelation, nodes: Mapping[str, SceneNode]) -> None:
    """Raise SceneError unless a relation is valid and its elements are in the graph."""
    if not relation.name or not relation.elements:
        raise SceneError("a relation needs a name and elements", element=str(relation))
    if control := find_control(relation.name):
        raise _build_control_error(f"the name of the relation {relation.name!a}", control)
    for element in relation.elements:
        if element not in nodes:
            raise SceneError(
                f"the relation names {element!r}, which is not in the graph",
                element=str(relation),
                advice="Add that node or remove the relation.",
            )
    if not 0.0 <= relation.confidence <= 1.0:
        raise SceneError(
            f"the confidence {relation.confidence} is outside [0, 1]", element=str(relation)
        )


def index_relations(relations: Iterable[SceneRelation]) -> dict[RelationKey, SceneRelation]:
    """Index relations by key; raises SceneError if one is given twice."""
    table: dict[RelationKey, SceneRelation] = {}
    for relation in relations:
        key = relation.key
        if key in table:
            raise SceneError(
                "the relation is given twice",
                element=str(relation),
                advice="Remove one of the two.",
            )
        table[key] = relation
    return table


def note_case_variants(notes: Iterable[str], ids: Iterable[str]) -> tuple[str, ...]:
    """Return notes with the one on ids that differ in case only, if there are any."""
    spellings: dict[str, list[str]] = {}
    for id_ in ids:
        spellings.setdefault(id_.casefold(), []).append(id_)
    others = tuple([note for note in notes if not note.startswith(CASE_NOTE)])
    variants = sorted((key, sorted(names)) for key, names in spellings.items() if len(names) > 1)
    if not variants:
        return others
    shown = ", ".join("/".join(names) for _, names in variants[:_SHOWN])
    more = f" and {len(variants) - _SHOWN} more" if len(variants) > _SHOWN else ""
    return (*others, f"{CASE_NOTE}{shown}{more}")


def _add_up_numbers(node: SceneNode) -> float:
    """Add up the absolute values of a node's numbers: below a bound, every one of them is."""
    total = abs(node.height or 0.0)
    if node.pose is not None:
        x, y, z = node.pose.position
        a, b, c, d = node.pose.orientation
        total += abs(x) + abs(y) + abs(z) + abs(a) + abs(b) + abs(c) + abs(d)
    if node.size is not None:
        x, y, z = node.size
        total += abs(x) + abs(y) + abs(z)
    for x, y in node.polygon:
        total += abs(x) + abs(y)
    for name, value in node.attributes.items():
        if isinstance(value, float):
            total += abs(value)
        elif type(value) not in _PLAIN_VALUES:
            _check_value(node, name, value)
    return total


def _check_corners(node: SceneNode) -> None:
    if len(node.polygon) < 3:
        raise SceneError("the polygon has fewer than 3 corners", element=node.id)
    if len(node.polygon) > MOST_CORNERS:
        raise SceneError(
            f"the polygon has {len(node.polygon):,} corners, more than {MOST_CORNERS:,}",
            element=node.id,
            advice="Leave out corners on straight walls.",
        )


def _check_texts(node: SceneNode) -> None:
    """Raise SceneError if a node has more attributes or longer texts than any real one."""
    name = node.id if len(node.id) <= _SHOWN_CHARACTERS else f"{node.id[:_SHOWN_CHARACTERS]}..."
    if len(node.attributes) > MOST_ATTRIBUTES:
        raise SceneError(
            f"it has {len(node.attributes):,} attributes, more than {MOST_ATTRIBUTES:,}",
            element=name,
            advice="Leave out what no domain asks for.",
        )
    length = len(node.id) + len(node.category)
    for key, value in node.attributes.items():
        if control := find_control(key):
            raise _build_control_error(f"the name of the attribute {key!a}", control)
        length += len(key) + (len(value) if isinstance(value, str) else 0)
        if type(value) is int and not -LONGEST_NUMBER < value < LONGEST_NUMBER:
            raise SceneError(
                f"the attribute {key[:_SHOWN_CHARACTERS]} has {value.bit_length():,} bits",
                element=name,
                advice="Write it as text.",
            )
    if length > LONGEST_TEXT:
        raise SceneError(
            f"its id, category and attributes have {length:,} characters, more than "
            f"{LONGEST_TEXT:,}",
            element=name,
            advice="Leave out long texts, or refer to a file.",
        )


def _check_value(node: SceneNode, name: str, value: object) -> None:
    if not isinstance(value, bool | int | float | str):
        raise SceneError(
            f"the attribute {name} is a {type(value).__name__}",
            element=node.id,
            advice="Attributes are true or false, numbers or text.",
        )


def _check_numbers(node: SceneNode) -> None:
    for what, numbers in _iterate_numbers(node):
        if not all(math.isfinite(number) for number in numbers):
            raise SceneError(
                f"{what} holds a number that is not finite ({numbers})",
                element=node.id,
                advice="Leave out what is unknown instead of writing NaN or infinity.",
            )
        if what in _METRIC and max(map(abs, numbers)) > FARTHEST:
            raise SceneError(
                f"{what} holds a number beyond {FARTHEST:,.0f} m ({numbers})",
                element=node.id,
                advice="Numbers are metres: correct it, or leave out what is unknown.",
            )


def _iterate_numbers(node: SceneNode) -> Iterator[tuple[str, tuple[float, ...]]]:
    if node.pose is not None:
        yield "the position", node.pose.position
        yield "the orientation", node.pose.orientation
    if node.size is not None:
        yield "the size", node.size
    if node.height is not None:
        yield "the height", (node.height,)
    if node.polygon:
        yield "the polygon", tuple(number for corner in node.polygon for number in corner)
    for name, value in node.attributes.items():
        if isinstance(value, float):
            yield f"the attribute {name}", (value,)
