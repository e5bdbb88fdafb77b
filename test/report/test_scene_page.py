# SPDX-License-Identifier: Apache-2.0
"""The page of a scene: complete in itself, safe whatever names a file holds, small."""

import json
import re
from html.parser import HTMLParser

import pytest

from fcp_ros.binding.label_types import TypeChoice, TypeReason
from fcp_ros.report.drawing import figure as palette
from fcp_ros.report.drawing.floor_plan import MOST_NAMES, draw_floor_plan
from fcp_ros.report.scene_page import render_scene_page
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation, load_scene

BAD = ("<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", '"><svg onload=a()>',
       "<!--", "a & b", "$\\frac{$", "{{ 7 * 7 }}", "x'\\")  # fmt: skip


class Page(HTMLParser):
    """The elements and attributes of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and not self.scripts[-1]:
            self.scripts[-1] = data
        else:
            self.texts.append(data)


def page_of(graph: SceneGraph, typing: dict[str, TypeChoice] | None = None) -> Page:
    return Page(render_scene_page(graph, typing or {}, "household"))


@pytest.fixture(scope="module")
def house(repository):  # type: ignore[no-untyped-def]
    return load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")


def test_the_house_is_all_there(house: SceneGraph) -> None:
    page = page_of(house, {"mug_1": TypeChoice("cup", 0.4, TypeReason.SIMILAR, "glass")})
    data = json.loads(page.scripts[0])
    nodes = {node[0]: node for node in data["nodes"]}
    assert set(nodes) == {node.id for node in house.nodes.values() if node.pose is not None}
    mug = house.nodes["mug_1"]
    assert mug.pose is not None
    assert nodes["mug_1"][1:3] == ["mug", "cup"]
    assert nodes["mug_1"][4:7] == pytest.approx(mug.pose.position, abs=1e-3)
    assert nodes["mug_1"][10:14] == pytest.approx(mug.pose.orientation, abs=1e-4)
    assert nodes["mug_1"][14] == "mug 1"
    assert len(data["rooms"]) == 2
    order = list(nodes)
    ends = [end for one in data["relations"] if one["name"] in ("on", "on the floor")
            for end in one["ends"]]  # fmt: skip
    pairs = {(order[a], order[b]) for a, b in zip(ends[::2], ends[1::2], strict=True)}
    assert pairs == {relation.elements for relation in house.relations_named("on")}
    assert "like glass" in page.texts


def test_lines_that_nearly_everything_has_are_off(house: SceneGraph) -> None:
    """Those to the floors, which form a star, and those to the rooms."""
    data = json.loads(page_of(house).scripts[0])
    order = [node[0] for node in data["nodes"]]
    shown = {one["name"]: one["on"] for one in data["relations"]}
    assert shown == {"on": True, "inside": True, "on the floor": False, "in_room": False,
                     "at": False, "connected": False}  # fmt: skip
    lines = {one["name"]: [order[end] for end in one["ends"]] for one in data["relations"]}
    floors = {"kitchen_1_floor", "living_room_1_floor"}
    assert not floors & set(lines["on"])
    assert set(lines["on the floor"][1::2]) == floors
    assert len(lines["connected"]) == 4, "each line once: room, door, room"


def test_labels_without_a_name_are_words(house: SceneGraph) -> None:
    nodes = [
        SceneNode(id_, Layer.OBJECT, label, Pose.at(at, 0, 0), (1.0, 1.0, 1.0))
        for at, (id_, label) in enumerate(
            [("O1", "label_5"), ("O2", "17"), ("O3", "chair"), ("4", "unknown")]
        )
    ]
    page = page_of(SceneGraph.of(nodes))
    data = json.loads(page.scripts[0])
    shown = [(node[1], node[14]) for node in data["nodes"]]
    assert shown == [
        ("number 5, without a name", "thing O1"),
        ("number 17, without a name", "thing O2"),
        ("chair", "chair O3"),
        ("unknown", "thing 4"),
    ]
    assert "number 5, without a name" in page.texts
    assert "thing O1" in [text.strip() for text in page.texts], "also in the plan"


def test_rooms_of_unknown_height_hold_their_things() -> None:
    """The floor is below the things, the walls end above them."""
    corners = ((0, 0), (5, 0), (5, 4), (0, 4))
    room = SceneNode("hall", Layer.ROOM, "hall", Pose.at(2, 2, 0), polygon=corners)
    mast = SceneNode("mast", Layer.OBJECT, "mast", Pose.at(2, 2, 3), (0.1, 0.1, 6.0))
    graph = SceneGraph.of([room, mast], [SceneRelation("in_room", ("mast", "hall"))])
    (drawn,) = json.loads(page_of(graph).scripts[0])["rooms"]
    assert (drawn["low"], drawn["high"]) == (0.0, 6.0)


@pytest.mark.parametrize(
    ("label", "size", "dashed"),
    [("door", (0.1, 0.9, 2.0), False), ("door", (0.0, 0.9, 2.0), False), ("door", None, False),
     ("opening", (0.0, 2.0, 2.0), True), ("passage", (0.4, 2.0, 2.0), True)],
)  # fmt: skip
def test_doors_are_drawn_in_the_plan(label: str, size: tuple[float, ...], dashed: bool) -> None:
    corners = ((0, 0), (5, 0), (5, 4), (0, 4))
    room = SceneNode("hall", Layer.ROOM, "hall", Pose.at(2, 2, 0), polygon=corners)
    without = draw_floor_plan(SceneGraph.of([room]), (), "p")
    door = SceneNode("door_1", Layer.OBJECT, label, Pose.at(0, 2, 0), size)
    drawn = draw_floor_plan(SceneGraph.of([room, door]), (), "p")
    assert palette.GOOD not in without
    assert palette.GOOD in drawn
    assert palette.ITEM not in drawn, "a door is no thing among things"
    assert bool(re.search(rf"stroke-dasharray[^>]*{palette.GOOD}", drawn)) == dashed


def test_nothing_is_fetched(house: SceneGraph) -> None:
    text = render_scene_page(house, {}, "household")
    page = Page(text)
    policy = next(a["content"] for t, a in page.tags if "http-equiv" in a)
    assert policy is not None and policy.startswith("default-src 'none'")  # noqa: PT018
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        href = attributes.get("href") or attributes.get("xlink:href") or "#"
        assert href.startswith("#")
    assert "url(http" not in text
    assert "@import" not in text


@pytest.mark.parametrize("name", BAD)
def test_names_from_files_stay_text(name: str) -> None:
    room = SceneNode(name, Layer.ROOM, name, Pose.at(0, 0, 1), polygon=((0, 0), (1, 0), (0, 1)))
    thing = SceneNode("t", Layer.OBJECT, name, Pose.at(0.1, 0.1, 0), attributes={name: name})
    relation = SceneRelation(name, ("t", name))
    graph = SceneGraph.of([room, thing], [relation], source=name, frame_id=name, notes=[name])
    plain = page_of(SceneGraph.of([room_like(room), thing_like(thing)], source="a/s"))
    page = page_of(graph, {"t": TypeChoice(name, 1.0, TypeReason.OVERRIDE, name)})
    assert len(page.scripts) == 2
    kinds = {tag for tag, _ in plain.tags} | {"ul", "li", "svg"}
    assert {tag for tag, _ in page.tags} <= kinds
    events = [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    assert events == []
    data = json.loads(page.scripts[0])
    assert data["nodes"][0][:2] == [name, name]
    assert name in [one["name"] for one in data["relations"]]
    assert any(text == name for text in page.texts)  # shown as it is, in a table


def room_like(room: SceneNode) -> SceneNode:
    return SceneNode("r", Layer.ROOM, "room", room.pose, polygon=room.polygon)


def thing_like(thing: SceneNode) -> SceneNode:
    return SceneNode("t", Layer.OBJECT, "thing", thing.pose)


def test_ten_thousand_boxes_make_a_small_page() -> None:
    nodes = [
        SceneNode(f"box_{i}", Layer.OBJECT, "box", Pose.at(i % 100, i // 100, 0.2), (0.4, 0.4, 0.4))
        for i in range(10_000)
    ]
    text = render_scene_page(SceneGraph.of(nodes), {}, "household")
    assert len(text) < 2_000_000
    assert "No plan from above" in text
    assert "<svg" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_what_has_no_place_is_counted() -> None:
    graph = SceneGraph.of(
        [SceneNode("a", Layer.OBJECT, "mug", Pose.at(0, 0, 0)), SceneNode("b", Layer.OBJECT, "mug")]
    )
    text = render_scene_page(graph, {}, "household")
    assert "Not drawn, for want of a position: 1 of 2 nodes" in text


def test_a_crowded_plan_names_rooms_only() -> None:
    room = SceneNode("hall", Layer.ROOM, "hall", Pose.at(5, 5, 1), polygon=((0, 0), (9, 0), (9, 9)))

    def plan(count: int) -> str:
        things = [
            SceneNode(f"mug_{i}", Layer.OBJECT, "mug", Pose.at(i % 20 / 2, i // 20 / 2, 0))
            for i in range(count)
        ]
        return draw_floor_plan(SceneGraph.of([room, *things]), (), "p")

    few, many = plan(MOST_NAMES), plan(MOST_NAMES + 1)
    assert "mug 7" in few
    assert "mug 7" not in many
    assert "hall" in many
