# SPDX-License-Identifier: Apache-2.0
"""The page of a scene: complete in itself, safe whatever names a file holds, small."""

import re
from html.parser import HTMLParser

import pytest

from fcp_ros.binding.label_types import TypeChoice, TypeReason
from fcp_ros.report import figure as palette
from fcp_ros.report.floor_plan import MOST_NAMES, draw_floor_plan
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
    assert "like glass" in page.texts
    assert {"kitchen 1", "fridge 1", "mug 1"} <= {text.strip() for text in page.texts}
    assert page.scripts == []


def test_labels_without_a_name_are_words(house: SceneGraph) -> None:
    nodes = [
        SceneNode(id_, Layer.OBJECT, label, Pose.at(at, 0, 0), (1.0, 1.0, 1.0))
        for at, (id_, label) in enumerate(
            [("O1", "label_5"), ("O2", "17"), ("O3", "chair"), ("4", "unknown")]
        )
    ]
    page = page_of(SceneGraph.of(nodes))
    assert "number 5, without a name" in page.texts
    assert "thing O1" in [text.strip() for text in page.texts], "also in the plan"


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
    assert page.scripts == []
    kinds = {tag for tag, _ in plain.tags} | {"ul", "li", "svg"}
    assert {tag for tag, _ in page.tags} <= kinds
    events = [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    assert events == []
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
    assert "<svg" not in text


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
