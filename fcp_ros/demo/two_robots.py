# SPDX-License-Identifier: Apache-2.0
"""A second robot in the scene, and something for each of the two to do in its own room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from fcp_ros.cset import Instance
from fcp_ros.demo.stories import (
    FLOOR,
    ITEM,
    ROBOT,
    SOLVED,
    Story,
    Storyteller,
    are_in_same_room,
    find_room,
    find_support,
    quote_name,
    say_name,
)
from fcp_ros.domain import is_a
from fcp_ros.planning.model.request import Optimise
from fcp_ros.scene import Layer, SceneDelta, SceneGraph
from fcp_ros.scene.graph.delta import apply_delta

MOST_ERRANDS = 3  # that are considered in a room
MOST_STORIES = 6  # that are planned to choose one


@dataclass(frozen=True)
class Errand:
    """Something to be brought from a support to another one, if possible in the same room."""

    item: str
    target: str
    room: str


def prepare_two(
    graph: SceneGraph,
    state: Instance,
    teller: Storyteller,
    can_be_done: Callable[[Story], bool],  # tells if one robot has a plan for it: two have, too
) -> tuple[SceneGraph, Story] | None:
    """Add a second robot to a scene, and tell of work for both; None if there is none."""
    robot = min(map(state.name_of, state.elements(ROBOT)), default="")
    if robot not in graph.nodes:
        return None
    for errands in _propose_errands(state, teller, find_room(state, robot)):
        story = _tell_shared(state, teller, errands)
        if can_be_done(story):
            return add_robot(graph, robot, errands[1].room), story
    return None


def _propose_errands(
    state: Instance, teller: Storyteller, home: str
) -> Iterator[tuple[Errand, Errand]]:
    """Propose pairs: something to do in one room, and something in another one."""
    items = sorted(map(state.name_of, state.elements(ITEM)))
    in_room: dict[str, list[str]] = {}
    for item in items:
        in_room.setdefault(find_room(state, find_support(state, item)), []).append(item)
    there = {
        room: list(islice(_list_errands(state, teller, in_room[room], room), MOST_ERRANDS))
        for room in sorted(in_room)
        if room
    }
    others = [errand for room, errands in there.items() if room != home for errand in errands]
    return islice(product(there.get(home, []), others), MOST_STORIES)


def _list_errands(
    state: Instance, teller: Storyteller, items: Sequence[str], room: str
) -> Iterator[Errand]:
    for item in items:
        support = find_support(state, item)
        others = [place for place in teller.rank_supports(state, item) if place != support]
        near = [place for place in others if are_in_same_room(state, place, support)]
        wanted = [place for place in near if not is_a(state, state.id_of(place), FLOOR)]
        if wanted or others:
            yield Errand(item, (wanted or others)[0], room)


def add_robot(graph: SceneGraph, robot: str, room: str) -> SceneGraph:
    """Add another robot of the same kind to a scene, in a room."""
    first = graph.nodes[robot]
    taken = {node.id for node in graph.in_layer(Layer.AGENT)}
    stem = robot.rstrip("0123456789").rstrip("_")
    name = next(name for n in range(2, len(taken) + 3) if (name := f"{stem}_{n}") not in taken)
    pose = graph.nodes[room].pose
    if pose is not None and first.pose is not None:
        x, y, _ = pose.position
        pose = replace(first.pose, position=(x, y, first.pose.position[2]))
    second = replace(first, id=name, parents=(room,), pose=pose)
    return apply_delta(graph, SceneDelta(graph.sequence + 1, (second,)))


def _tell_shared(state: Instance, teller: Storyteller, errands: Sequence[Errand]) -> Story:
    """Tell of work for two robots, in a scene that has them."""
    said = [f"{say_name(state, one.item)} on {say_name(state, one.target)}" for one in errands]
    return Story(
        "7",
        "Two robots",
        f"A second robot is in another room. Put {said[0]}, and {said[1]}, as soon as can be: each "
        "robot takes what is in its room, both at the same time.",
        " and ".join(f"on({quote_name(one.item)}, {quote_name(one.target)})" for one in errands),
        teller.alpha,
        "both robots have a part in the plan, and do it side by side",
        SOLVED,
        relax=False,
        optimise=Optimise.DURATION.value,
        robots=2,
    )
