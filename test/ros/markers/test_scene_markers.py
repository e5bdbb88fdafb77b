# SPDX-License-Identifier: Apache-2.0
"""The markers: what each thing looks like, what is sent when something changes, RViz's view."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from visualization_msgs.msg import Marker, MarkerArray

from fcp_ros.msg import (
    Argument,
    ExecutionState,
    Plan,
    PlanStep,
    SceneGraph,
    SceneGraphUpdate,
)
from fcp_ros.nodes.conversions.scene import delta_to_ros
from fcp_ros.nodes.scene_graph.marker_parts import PARTS, RELATIONS, Drawing, View, draw_parts
from fcp_ros.nodes.scene_graph.markers import MarkerBoard, RunningSteps
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.package_files import find_scene
from fcp_ros.scene import Layer, Pose, Provenance, SceneDelta, SceneNode, SceneRelation, load_scene
from fcp_ros.scene import SceneGraph as Graph

STEPS = (
    ("robot_1", "fridge_1", "kitchen_1"),
    ("robot_1", "milk_1", "fridge_1", "kitchen_1"),
    ("robot_1", "kitchen_1", "living_room_1", "door_1"),
    ("robot_1", "milk_1", "table_1", "living_room_1"),
)


@pytest.fixture(scope="module")
def house() -> Graph:
    return load_scene(str(find_scene("twin_house_furnished")))


def shown(graph: Graph, steps=(), parts=tuple(PARTS), relations=RELATIONS, doing=()) -> dict:
    """(namespace, key) -> marker of all that would be shown."""
    drawings = list(draw_parts(View(graph, steps, doing, frozenset(relations)), parts))
    markers = {(d.namespace, d.key): d.make() for d in drawings}
    assert len(markers) == len(drawings), "one marker for one thing"
    return markers


class Viewer:
    """What RViz makes of the messages: the markers that are there."""

    def __init__(self) -> None:
        self.markers: dict[tuple[str, int], Marker] = {}

    def take(self, markers: list[Marker]) -> None:
        for marker in markers:
            if marker.action == Marker.DELETEALL:
                self.markers.clear()
            elif marker.action == Marker.DELETE:
                del self.markers[marker.ns, marker.id]
            else:
                self.markers[marker.ns, marker.id] = marker

    def namespaces(self) -> set[str]:
        return {ns for ns, _ in self.markers}


# --- looks --------------------------------------------------------------------------------------


def test_everything_of_the_house_is_shown(house):
    markers = shown(house, STEPS)
    assert {key for ns, key in markers if ns == "rooms"} == {"kitchen_1", "living_room_1"}
    things = {n.id for n in house.in_layer(Layer.OBJECT) if n.category not in ("floor", "door")}
    assert {key for ns, key in markers if ns == "boxes"} == things
    assert {key for ns, key in markers if ns == "labels/things"} == things | {"door_1"}
    assert markers["labels/things", "mug_1"].text == "mug_1"
    assert {key for ns, key in markers if ns == "labels/robots"} == {"robot_1", "person_1"}
    named = {name for part in PARTS.values() for name in part.split(", ")}
    for namespace, _ in markers:
        assert namespace in named or namespace.startswith("relations/")


def test_a_box_has_size_and_turn(house):
    table = house.nodes["table_1"]
    marker = shown(house)["boxes", "table_1"]
    assert (marker.type, marker.scale.x, marker.scale.z) == (Marker.CUBE, 1.4, 0.75)
    assert marker.pose.orientation.z == pytest.approx(table.pose.orientation[2])
    assert abs(marker.pose.orientation.z) > 0.1, "the table is turned"
    table = replace(table, parents=())
    unknown = Graph.of([replace(table, size=None)])
    assert shown(unknown)["boxes", "table_1"].type == Marker.SPHERE
    flat = Graph.of([replace(table, size=(1.0, 1.0, 0.0))])
    assert shown(flat)["boxes", "table_1"].scale.z > 0.0


def test_floors_fill_their_rooms(house):
    marker = shown(house)["floors", "kitchen_1"]
    assert marker.type == Marker.TRIANGLE_LIST
    assert len(marker.points) == 6, "two triangles"
    assert {point.z for point in marker.points} == {0.0}


def test_labels_say_what_it_is_where_the_id_does_not(house):
    hydra = replace(house.nodes["mug_1"], id="O12", category="CoffeeMug", parents=())
    graph = Graph.of(
        [hydra, replace(hydra, id="coffee_mug_2"), replace(hydra, id="O13", category="unknown")]
    )
    texts = {marker.text for (ns, _), marker in shown(graph).items() if ns == "labels/things"}
    assert texts == {"O12 coffee mug", "coffee_mug_2", "O13"}


@pytest.mark.parametrize(
    "name", ["<b>mug</b>", "</script>", "a \"quoted\" 'mug'", "&amp; $x$ {{7}}", "%s\\n"]
)
def test_markup_in_names_is_text(house, name):
    """As the name is, and as a message carries it: RViz's texts know no markup."""
    mug = replace(house.nodes["mug_1"], id=name, category="mug", parents=())
    room = replace(house.nodes["kitchen_1"], id=f"room {name}", category="room", parents=())
    markers = shown(Graph.of([mug, room]))
    sent = MarkerArray(markers=list(markers.values()))
    read = deserialize_message(serialize_message(sent), MarkerArray).markers
    texts = {marker.text for marker in read if marker.type == Marker.TEXT_VIEW_FACING}
    assert texts == {name if "mug" in name else f"{name} mug", f"room {name}"}


def test_doors_show_whether_they_are_open(house):
    def look(**attributes):
        door = replace(house.nodes["door_1"], attributes=attributes, parents=())
        return shown(Graph.of([door]))["doors", "door_1"].color

    is_open, is_closed, unknown = look(is_open=True), look(is_open=False), look()
    assert is_open.g > is_open.r
    assert is_closed.r > is_closed.g
    assert unknown.r == unknown.g
    assert is_open.a < is_closed.a


def test_relations_by_origin_and_doubt(house):
    def alpha(provenance, confidence):
        on = SceneRelation("on", ("mug_1", "table_1"), confidence, provenance)
        return shown(replace(house, relations=(on,)))["relations/on", on.elements].color.a

    assert alpha(Provenance.GIVEN, 1.0) == 1.0
    assert alpha(Provenance.GEOMETRIC, 1.0) > alpha(Provenance.INFERRED, 1.0)
    assert alpha(Provenance.GIVEN, 0.9) > alpha(Provenance.GIVEN, 0.2) > 0.0


def test_relations_that_are_shown(house):
    markers = shown(house)
    assert ("relations/inside", ("milk_1", "fridge_1")) in markers
    on = markers["relations/on", ("mug_1", "table_1")]
    start, end = on.points
    assert (start.x, start.y) == (end.x, end.y)
    assert end.z < start.z, "down into the table"
    assert not [key for ns, key in markers if ns == "relations/on" and "floor" in key[1]]
    connected = [key for ns, key in markers if ns == "relations/connected"]
    assert connected == [("kitchen_1", "living_room_1", "door_1")], "both ways are one line"
    through = markers["relations/connected", connected[0]].points[1]
    assert (through.x, through.y) == house.nodes["door_1"].pose.position[:2]
    only = {ns for ns, _ in shown(house, relations=("in_room",)) if ns.startswith("relations")}
    assert only == {"relations/in_room"}


def test_the_way_of_a_plan(house):
    markers = shown(house, STEPS, parts=("plan",))
    legs = [markers[name] for name in sorted(k for k in markers if k[0] == "plan/route")]
    ends = [(leg.points[1].x, leg.points[1].y) for leg in legs]
    places = ("fridge_1", "door_1", "living_room_1", "table_1")
    assert ends == [house.nodes[name].pose.position[:2] for name in places]
    assert [m.text for m in markers.values() if m.text] == ["1, 2", "3", "4"]
    assert not shown(house, (), parts=("plan",))


# --- what is sent -------------------------------------------------------------------------------


def test_only_what_changed_is_sent(house):
    board, viewer = MarkerBoard(), Viewer()
    first, _ = board.show(draw_parts(View(house), PARTS), "map", 1000)
    viewer.take(first)
    assert len(viewer.markers) == len(first) == len(board)
    assert {marker.header.frame_id for marker in first} == {"map"}
    assert board.show(draw_parts(View(house), PARTS), "map", 1000) == ([], "")
    moved = replace(house.nodes["book_1"], pose=Pose.at(1.0, 1.0, 1.0))
    after = replace(house, nodes={**house.nodes, "book_1": moved})
    sent, _ = board.show(draw_parts(View(after), PARTS), "map", 1000)
    assert {marker.ns for marker in sent} == {"boxes", "labels/things", "relations/on"}
    assert len(sent) == 3
    viewer.take(sent)
    assert len(viewer.markers) == len(first), "changed markers keep their ids"
    without = {name: node for name, node in house.nodes.items() if name != "book_1"}
    relations = tuple(r for r in house.relations if "book_1" not in r.elements)
    gone, _ = board.show(
        draw_parts(View(replace(house, nodes=without, relations=relations)), PARTS), "map", 1000
    )
    assert [marker.action for marker in gone] == [Marker.DELETE] * 3
    viewer.take(gone)
    assert len(viewer.markers) == len(first) - 3


looks = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 5)), st.integers(0, 2), max_size=8
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(looks, st.sampled_from(["map", "odom"]), st.integers(1, 8)), max_size=6))
def test_who_sees_every_change_sees_the_whole(states):
    """Beside the obvious form: the first so many of everything, drawn anew."""
    board, viewer = MarkerBoard(), Viewer()
    for look, frame, limit in states:
        drawings = [
            Drawing(ns, key, (value,), lambda value=value: Marker(text=str(value)))
            for (ns, key), value in look.items()
        ]
        sent, left_out = board.show(drawings, frame, limit)
        viewer.take(sent)
        wanted = [(d.namespace, str(d.made_of[0])) for d in drawings[:limit]]
        assert sorted((m.ns, m.text) for m in viewer.markers.values()) == sorted(wanted)
        assert left_out == (drawings[limit].namespace if len(drawings) > limit else "")
        late = Viewer()
        late.take(board.repeat_all())
        assert late.markers == viewer.markers


def test_labels_go_first_where_there_are_too_many(house):
    view = View(house, STEPS)
    count = sum(1 for _ in draw_parts(view, PARTS))
    sent, left_out = MarkerBoard().show(draw_parts(view, PARTS), "map", count - 1)
    assert left_out == "labels/things"
    sent, left_out = MarkerBoard().show(draw_parts(view, PARTS), "map", 15)
    assert left_out == "plan/steps" or "plan/steps" in {marker.ns for marker in sent}
    assert len(sent) == 15
    assert MarkerBoard().show(draw_parts(view, PARTS), "map", count)[1] == ""


# --- the node -----------------------------------------------------------------------------------


@pytest.fixture
def node(stack_options, tmp_path):
    options = stack_options(
        tmp_path, {"scene_graph": {"marker_period": 0.05}}, nodes=("scene_graph",), namespace="seen"
    )
    with NodeStack(options) as stack:
        stack.wait_active()
        yield stack.nodes["scene_graph"]


@pytest.fixture
def watch(probe, until):
    """Makes viewers of the topic; what they see is waited for."""
    inboxes = []

    def start():
        inbox = probe.listen(MarkerArray, "seen/scene_markers", latched=True)
        inboxes.append(inbox)

        def see(fits, what):
            def look():
                viewer = Viewer()
                for message in list(inbox.messages):
                    viewer.take(message.markers)
                return viewer if fits(viewer) else None

            return until(look, what)

        return inbox, see

    yield start
    for inbox in inboxes:
        inbox.close()


def test_late_viewers_see_the_whole(node, watch, probe, until):
    first_inbox, see_early = watch()
    early = see_early(lambda v: v.markers, "the scene")
    graphs = probe.listen(SceneGraph, "seen/scene_graph", latched=True)
    sequence = graphs.wait().sequence_number
    updates = probe.publisher(SceneGraphUpdate, "seen/scene_graph_update")
    ball = SceneNode("ball_1", Layer.OBJECT, "ball", pose=Pose.at(1.0, 1.0, 0.1))
    delta = SceneDelta(sequence + 1, upserted=(ball,))
    updates.publish(delta_to_ros(delta, "map", probe.node.get_clock().now().to_msg()))

    def has_ball(viewer):
        return "ball_1" in {marker.text for marker in viewer.markers.values()}

    changed = see_early(has_ball, "the ball")
    assert set(early.markers) < set(changed.markers)
    _, see_late = watch()

    def wholes():
        return sum(m.markers[0].action == Marker.DELETEALL for m in first_inbox.messages)

    until(lambda: wholes() == 2, "everything once more")
    assert see_late(has_ball, "the ball, late").markers == changed.markers
    graphs.close()
    probe.node.destroy_publisher(updates)


def make_running(number: int, progress: float, *agents: str) -> tuple[Plan, ExecutionState]:
    arguments = [Argument(kind=Argument.ELEMENT, value=v) for v in ("robot_1", "mug_1")]
    plan = Plan(steps=[PlanStep(rule="pick", arguments=arguments, agents=agents)])
    plan.id.uuid[0] = number
    state = ExecutionState(state=ExecutionState.EXECUTING, running=[0], progress=[progress])
    state.plan_id = plan.id
    return plan, state


def test_what_an_agent_does_is_what_was_said_last():
    running = RunningSteps()
    (first, doing), (second, later) = make_running(1, 0.0, "a"), make_running(2, 0.5, "a", "b")
    running.take_state(doing)
    assert running.list_doing() == (), "its plan is not known yet"
    running.take_plan(first)
    assert running.list_doing() == (("a", "1: pick(robot_1, mug_1)"),)
    running.take_plan(second)
    running.take_state(later)
    words = "1: pick(robot_1, mug_1) 50%"
    assert running.list_doing() == (("a", words), ("b", words))
    later.running = []
    running.take_state(later)
    assert running.list_doing() == (("a", "1: pick(robot_1, mug_1)"),)
    running.take_state(ExecutionState(state=ExecutionState.IDLE))
    assert running.list_doing() == ()


def test_steps_past_the_end_of_a_plan_and_strangers_are_not_shown(house):
    running = RunningSteps()
    plan, state = make_running(1, 0.5, "unicorn_1", "table_1", "robot_1")
    running.take_plan(plan)
    state.running, state.progress = [0, 7], [0.5, 0.5]
    running.take_state(state)
    markers = shown(house, doing=running.list_doing())
    assert {key for ns, key in markers if ns == "plan/running"} == {"robot_1"}


def test_what_is_being_done_appears_and_goes(node, watch, probe):
    _, see = watch()
    see(lambda v: v.markers, "the scene")
    plans = probe.publisher(Plan, "seen/plan_in_execution", latched=True)
    states = probe.publisher(ExecutionState, "seen/execution_state", latched=True)
    plan, state = make_running(1, 0.25, "robot_1")
    plans.publish(plan)
    states.publish(state)

    def find(viewer):
        return [m.text for m in viewer.markers.values() if m.ns == "plan/running"]

    see(lambda v: find(v) == ["1: pick(robot_1, mug_1) 25%"], "the step")
    state.progress = [0.75]
    states.publish(state)
    see(lambda v: find(v) == ["1: pick(robot_1, mug_1) 75%"], "its progress")
    states.publish(ExecutionState(state=ExecutionState.SUCCEEDED, plan_id=plan.id))
    see(lambda v: not find(v), "nothing")
    for one in (plans, states):
        probe.node.destroy_publisher(one)


def test_parameters_take_effect_at_once(node, watch):
    from rclpy.parameter import Parameter

    _, see = watch()
    see(lambda v: "labels/things" in v.namespaces(), "labels")
    node.set_parameters([Parameter("marker_parts", value=["rooms", "boxes"])])
    see(lambda v: v.namespaces() == {"rooms", "floors", "boxes"}, "rooms and boxes alone")
    node.set_parameters([Parameter("max_markers", value=5)])
    see(lambda v: len(v.markers) == 5, "five markers")
    assert node.diagnose().values["markers_left_out_from"] == "boxes"
    refused = node.set_parameters([Parameter("marker_parts", value=["rooms", "smells"])])[0]
    assert not refused.successful
    assert "smells" in refused.reason


# --- RViz ---------------------------------------------------------------------------------------


def test_rviz_shows_what_the_node_publishes(repository, node, watch):
    _, see = watch()
    see(lambda v: v.markers, "the scene")
    view = yaml.safe_load((repository / "config/rviz/fcp_ros.rviz").read_text())
    manager = view["Visualization Manager"]
    display = next(d for d in manager["Displays"] if d["Class"].endswith("/MarkerArray"))
    topic = display["Topic"]
    assert f"/seen/{topic['Value']}" in dict(node.get_topic_names_and_types())
    assert topic["Durability Policy"] == "Transient Local"
    assert topic["Reliability Policy"] == "Reliable"
    assert manager["Global Options"]["Fixed Frame"] == node.parameters.text("frame_id")
    named = {name for part in PARTS.values() for name in part.split(", ")}
    expected = (named - {"relations/<name>"}) | {f"relations/{name}" for name in RELATIONS}
    assert set(display["Namespaces"]) == expected
