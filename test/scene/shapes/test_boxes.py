# SPDX-License-Identifier: Apache-2.0
"""Boxes as arrays: yaw, tilt, bounds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.graph.roles import HoldingRole, find_holding_role, is_often_mounted
from fcp_ros.scene.shapes.boxes import AT_ONCE, EDGE, Boxes, build_boxes, fit_upright_box
from fcp_ros.scene.shapes.polygons import box_corners, find_floor_levels
from fcp_ros.scene.shapes.route import trace_routes


def node(pose: Pose | None, size: tuple[float, float, float] | None) -> SceneNode:
    return SceneNode("a", Layer.OBJECT, "thing", pose=pose, size=size)


@pytest.mark.parametrize("yaw", [0.0, 0.5, -2.4, math.pi])
def test_yaw(yaw: float) -> None:
    boxes = build_boxes([node(Pose.at(1, 2, 3, yaw), (2.0, 1.0, 0.5))])
    first = np.array([0])
    assert boxes.cos[0] == pytest.approx(math.cos(yaw))
    assert boxes.sin[0] == pytest.approx(math.sin(yaw))
    assert (boxes.bottom(first)[0], boxes.top(first)[0]) == (2.75, 3.25)
    assert (boxes.footprint(first)[0], boxes.volume(first)[0]) == (2.0, 1.0)


def test_a_tilted_box_counts_as_the_upright_box_around_it() -> None:
    lying = Pose((0, 0, 0), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)))
    boxes = build_boxes(
        [node(lying, (0.1, 0.1, 0.4)), node(Pose.at(0, 0, 0, 0.5), (0.1, 0.1, 0.4))]
    )
    assert np.allclose(boxes.half[0], (0.05, 0.2, 0.05))
    assert np.allclose(boxes.half[1], (0.05, 0.05, 0.2))


def test_upside_down_and_on_its_side() -> None:
    turned = [Pose((0, 0, 0), turn) for turn in ((1.0, 0, 0, 0), (0.5, 0.5, 0.5, 0.5))]
    boxes = build_boxes([node(pose, (1.0, 2.0, 3.0)) for pose in turned])
    assert np.allclose(boxes.half, [(0.5, 1.0, 1.5), (1.5, 0.5, 1.0)])


def test_bounds_hold_the_corners_far_away_too() -> None:
    for x in (0.0, 1e6, -1e12):
        boxes = build_boxes([node(Pose.at(x, 0, 0, math.pi / 4), (2.0, 2.0, 1.0))])
        low, high = boxes.bounds()
        assert low[0, 0] <= x - math.sqrt(2)
        assert high[0, 0] >= x + math.sqrt(2)


def make_boxes(places: list[tuple[tuple[float, float, float], float, float]]) -> Boxes:
    nodes = (node(Pose.at(*at, yaw=width), (width, depth, 0.5)) for at, width, depth in places)
    return build_boxes(replace(one, id=f"b{number}") for number, one in enumerate(nodes))


step = st.integers(-6, 6).map(lambda number: number * 0.5) | st.sampled_from([1e6, -1e7, 1e-9])
extent = st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e6])
boxes_of_all_sizes = st.lists(st.tuples(st.tuples(step, step, step), extent, extent), max_size=12)


@given(boxes_of_all_sizes.map(make_boxes), st.sampled_from([0.0, 0.25, 1.0]))
def test_pairs_are_those_of_all_with_all(boxes: Boxes, reach: float) -> None:
    low, high = boxes.bounds()
    every = np.arange(len(boxes.ids))
    apart = np.maximum(low[:, None] - high, low - high[:, None]).max(axis=2, initial=-np.inf)
    rise = np.abs(boxes.centre[:, None, 2] - boxes.centre[:, 2])
    rise = rise - (boxes.half[:, None, 2] + boxes.half[:, 2])
    near = {(a, b) for part in boxes.pair_with_near(reach) for a, b in zip(*part, strict=True)}
    must = (apart <= reach) & (rise <= reach) & (every[:, None] != every)
    assert near >= set(zip(*np.nonzero(must), strict=True))
    assert all(rise[a, b] <= reach + EDGE and a != b for a, b in near)
    centre = boxes.centre[:, None, :2]
    holds = ((centre >= low) & (centre <= high)).all(axis=2)
    held = [(a, b) for part in boxes.pair_with_holders() for a, b in zip(*part, strict=True)]
    assert sorted(held) == sorted(zip(*np.nonzero(holds), strict=True))


def test_a_crowd_comes_in_batches() -> None:
    boxes = make_boxes([((0.0, 0.0, 0.0), 1.0, 1.0)] * (3 * AT_ONCE))
    count = len(boxes.ids)
    for pairs, wanted in (
        (boxes.pair_with_holders(), count),
        (boxes.pair_with_near(1.0), count - 1),
    ):
        sizes = [len(a) for a, _ in pairs]
        assert sum(sizes) == count * wanted
        assert max(sizes) <= AT_ONCE * count


def test_nodes_without_a_box_take_no_part() -> None:
    assert build_boxes([node(None, None), node(Pose.at(0, 0, 0), None)]).ids == ()
    assert build_boxes([]).bounds()[0].shape == (0, 2)


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Dining_Table_2", HoldingRole.LEGS),
        ("desks", HoldingRole.LEGS),
        ("cabinet", HoldingRole.PLAIN),
        ("office chair", HoldingRole.SEAT),
        ("BookShelf", HoldingRole.SHELF),
        ("towel rail", HoldingRole.MOUNT),
        ("ceiling lamp", HoldingRole.BUILT_IN),
        ("lamp", HoldingRole.PLAIN),
    ],
)
def test_labels_decide_how_a_box_holds_things(label: str, role: HoldingRole) -> None:
    assert find_holding_role(label) is role


def test_what_is_often_mounted() -> None:
    assert is_often_mounted("Wall_Decor_Photo_3V")
    assert is_often_mounted("window")
    assert not is_often_mounted("sofa")


# --- The upright box of least footprint, against one that tries all turns


COORDINATE = st.floats(-5.0, 5.0).map(lambda number: round(number, 3))
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE), min_size=1, max_size=20)


def least_footprint(points: np.ndarray) -> float:
    """Area (m2) of the smallest rectangle by trying a turn every twentieth of a degree."""
    turns = np.radians(np.arange(0.0, 90.0, 0.05))[:, None]
    x = np.cos(turns) * points[:, 0] + np.sin(turns) * points[:, 1]
    y = np.cos(turns) * points[:, 1] - np.sin(turns) * points[:, 0]
    return float((np.ptp(x, axis=1) * np.ptp(y, axis=1)).min())


@given(POINTS)
def test_nothing_sticks_out_and_no_turn_is_better(points: list[tuple[float, float, float]]) -> None:
    cloud = np.array(points)
    pose, size = fit_upright_box(cloud)
    assert -math.pi / 4 - 1e-9 < pose.yaw <= math.pi / 4 + 1e-9
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    offset = cloud - pose.position
    across = cos * offset[:, 0] + sin * offset[:, 1]
    along = cos * offset[:, 1] - sin * offset[:, 0]
    for distance, extent in zip((across, along, offset[:, 2]), size, strict=True):
        assert np.abs(distance).max() <= extent / 2 + 1e-6
    assert size[0] * size[1] <= least_footprint(cloud) + 1e-6


@pytest.mark.parametrize("degrees", [0.0, 10.0, 30.0, -40.0, 44.0])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_a_turned_box_is_found_again(degrees: float, far: float) -> None:
    from fcp_ros.scene import Pose

    turned = Pose.at(far + 1.0, 2.0, 0.4, yaw=math.radians(degrees))
    corners = box_corners(turned, (1.4, 0.8, 0.75))
    points = np.array([(x, y, z) for x, y in corners for z in (0.025, 0.775)])
    pose, size = fit_upright_box(points)
    assert math.degrees(pose.yaw) == pytest.approx(degrees, abs=0.1)
    assert pose.position == pytest.approx(turned.position, abs=1e-6)
    assert size == pytest.approx((1.4, 0.8, 0.75), abs=1e-6)


def test_strays_are_left_outside() -> None:
    points = np.random.default_rng(0).uniform((-1, -2, 0), (1, 2, 1), (2000, 3))
    points[:4] = [(9, 9, 9), (-9, 9, 5), (9, -9, -9), (-9, -9, 0)]
    assert max(fit_upright_box(points)[1]) > 15.0
    pose, size = fit_upright_box(points, 0.005)
    assert size == pytest.approx((2.0, 4.0, 1.0), abs=0.2)
    assert pose.position == pytest.approx((0.0, 0.0, 0.5), abs=0.1)


@pytest.mark.parametrize(
    ("points", "size"),
    [
        ([(1, 2, 3)], (0, 0, 0)),
        ([(1, 2, 3), (1, 2, 3)], (0, 0, 0)),
        ([(0, 0, 0), (0, 0, 2)], (0, 0, 2)),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], (2, 0, 0)),
    ],
)
def test_flat_things(points: list[tuple[int, int, int]], size: tuple[int, int, int]) -> None:
    assert fit_upright_box(np.array(points, dtype=float))[1] == pytest.approx(size)


# --- How high floors are: what the room says, else its floor node, else its pose


ROOM = SceneNode("hall", Layer.ROOM, "hall", pose=Pose.at(0.0, 0.0, 4.2), height=2.4)
FLOOR = SceneNode(
    "hall_floor", Layer.OBJECT, "floor", pose=Pose.at(0.0, 0.0, 2.9), size=(4.0, 4.0, 0.02)
)
LAMP = SceneNode("lamp", Layer.OBJECT, "lamp", pose=Pose.at(1.0, 1.0, 5.0), size=(0.2, 0.2, 0.2))
IN_ROOM = [SceneRelation("in_room", (thing, "hall")) for thing in ("hall_floor", "lamp")]


def house(room: SceneNode) -> SceneGraph:
    return SceneGraph.of([room, FLOOR, LAMP], IN_ROOM)


def test_the_room_s_own_height_counts_first() -> None:
    assert find_floor_levels(house(ROOM)) == {"hall": pytest.approx(3.0)}


def test_else_the_floor_s_top_and_else_the_pose() -> None:
    low = replace(ROOM, height=None)
    assert find_floor_levels(house(low)) == {"hall": pytest.approx(2.91)}
    assert find_floor_levels(SceneGraph.of([low])) == {"hall": 4.2}
    assert find_floor_levels(SceneGraph.of([replace(ROOM, pose=None)])) == {}


def test_a_route_is_on_the_floor_of_the_storey() -> None:
    ((stop,),) = trace_routes(house(replace(ROOM, height=None)), [["lamp"]])
    assert stop.level == pytest.approx(2.91), "not as high as the lamp hangs"
    assert stop.top == pytest.approx(5.1)
