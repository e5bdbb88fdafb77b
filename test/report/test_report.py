# SPDX-License-Identifier: Apache-2.0
"""Pictures and pages of a real plan on the furnished twin house."""

import base64
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import check_goal, load_domain, parse_expression
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.grounding import GroundingOptions, make_grounder
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan, verify
from fcp_ros.planning.model.result import (
    ExploredRelaxation,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    PriceKind,
    Relaxation,
    RelaxationOutcome,
    RequirementTrace,
)
from fcp_ros.planning.schedule import schedule_steps
from fcp_ros.report.console import render_result
from fcp_ros.report.demo_report import (
    CalibratedDegree,
    DemoReport,
    Episode,
    SpokenWords,
    StepOutcome,
    UnderstoodInstruction,
    render_page,
    write_json,
)
from fcp_ros.report.floor_plan import draw_floor_plan
from fcp_ros.report.plain_json import read_plan, to_plain, to_plain_result
from fcp_ros.report.timeline import draw_timeline
from fcp_ros.scene import SceneDelta, load_scene
from fcp_ros.scene.graph.delta import apply_delta
from fcp_ros.scene.shapes.route import trace_routes

GOAL = "on(mug_1, counter_1)"


@pytest.fixture(scope="module")
def domain(repository):
    return load_domain(repository / "config/domains/household.yaml")


@pytest.fixture(scope="module")
def scene(repository):
    return load_scene(repository / "config/scenes/twin_house_furnished.json")


@pytest.fixture(scope="module")
def state(domain, scene):
    return scene_to_instance(scene, domain.schema, domain.mapping).instance


@pytest.fixture(scope="module")
def grounder(domain):
    return make_grounder(domain, GroundingOptions())


@pytest.fixture(scope="module")
def result(domain, state, grounder):
    goal = check_goal(parse_expression(GOAL), domain, state)
    return plan(PlanningRequest(domain, state, goal, PlanningOptions(), grounder))


@pytest.fixture(scope="module")
def report(scene, result):
    outcomes = tuple(
        StepOutcome(i, str(step), OutcomeCode.SUCCEEDED, 0.5, None, "done")
        for i, step in enumerate(result.plan.steps)
    )
    learned = CalibratedDegree("can_grasp", "mug <1>", 0.97, 0.55, 3)
    episode = Episode(
        "1",
        "A title",
        "A story with <tags>.",
        GOAL,
        0.5,
        result,
        scene,
        outcomes,
        0,
        (learned,),
        "planned",
        True,
        "It worked.",
    )
    return DemoReport(
        "Demonstration",
        "twin house",
        "household",
        "embedding",
        (("ROS", "jazzy"),),
        "2026-01-01",
        (episode,),
    )


def test_pictures_of_the_world_are_in_the_page_and_not_in_the_json(report, tmp_path):
    assert "data:image" not in render_page(report)
    (episode,) = report.episodes
    frames = tuple(b"picture %d" % n for n, _ in enumerate(episode.outcomes))
    report = replace(report, episodes=(replace(episode, frames=frames),))
    page = render_page(report)
    for frame in frames:
        assert f"data:image/webp;base64,{base64.b64encode(frame).decode()}" in page
    (plain,) = json.loads(write_json(report, tmp_path / "demo.json").read_text())["episodes"]
    assert "frames" not in plain


def test_route_goes_through_the_door_to_the_things(scene, result):
    named = [[name for _, name in step.arguments] for step in result.plan.steps]
    (route,) = trace_routes(scene, named)
    door, table = scene.nodes["door_1"].pose, scene.nodes["table_1"].pose
    points = [(stop.x, stop.y) for stop in route]
    assert door.position[:2] in points
    assert table.position[:2] in points
    acted = sorted(index for stop in route for index in stop.steps)
    assert acted == list(range(len(result.plan.steps)))


def test_each_robot_has_a_route_of_its_own(scene):
    first = scene.nodes["robot_1"]
    x, y, z = scene.nodes["table_1"].pose.position
    second = replace(first, id="robot_2", pose=replace(first.pose, position=(x + 1.0, y, z)))
    both = apply_delta(scene, SceneDelta(scene.sequence + 1, (second,)))
    steps = [("robot_1", "counter_1"), ("robot_2", "table_1"), ("robot_1", "fridge_1")]
    one, two = trace_routes(both, steps)
    assert [stop.steps for stop in one] == [(), (0,), (2,)]
    assert [stop.steps for stop in two] == [(), (1,)]
    assert (one[0].x, one[0].y) == first.pose.position[:2]
    assert (two[0].x, two[0].y) == (x + 1.0, y)


def test_floor_plan_names_every_thing_and_is_well_formed(scene, result):
    svg = draw_floor_plan(scene, result.plan.steps, "p1", ["mug_1"])
    ElementTree.fromstring(svg.replace("&nbsp;", " "))
    for node in scene.nodes.values():
        if node.category not in ("floor", "passage"):
            assert node.id.replace("_", " ") in svg


def test_two_pictures_share_no_ids(scene, result):
    ids = [
        set(re.findall(r'\bid="([^"]+)"', draw_floor_plan(scene, (), prefix)))
        for prefix in ("a", "b")
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_timeline_shows_alpha_and_the_final_membership(result):
    svg = draw_timeline(result.plan, "t1")
    assert f"alpha {result.plan.alpha:.2f}" in svg
    assert f"plan with goal {result.plan.membership:.2f}" in svg


def test_page_is_self_contained_and_escaped(report):
    page = render_page(report)
    assert "<script" not in page
    assert not re.search(r'(src|href)="https?://', page)
    assert "A story with &lt;tags&gt;." in page
    assert "mug &lt;1&gt;" in page
    for step in report.episodes[0].result.plan.steps:
        assert step.rule in page


def test_json_has_every_episode_without_the_scene(report, tmp_path):
    plain = json.loads(write_json(report, tmp_path / "deep" / "demo.json").read_text())
    assert plain["as_expected"] is True
    assert plain["episodes"][0]["result"]["status"] == "SOLVED_OPTIMALLY"
    assert "scene" not in plain["episodes"][0]
    assert plain["episodes"][0]["outcomes"][0]["outcome"] == "SUCCEEDED"


def test_a_plan_survives_json_and_still_verifies(result, domain, state, grounder):
    plan_read = read_plan(json.dumps(to_plain_result(result)))
    assert plan_read == result.plan
    goal = check_goal(parse_expression(plan_read.goal), domain, state)
    assert verify(domain, state, plan_read, goal, grounder, alpha=plan_read.alpha).ok


@pytest.fixture(scope="module")
def scheduled(result, domain, state):
    """The plan with its schedule and, for show, a chunk."""
    steps = tuple(replace(step, chunk="fetch 2") for step in result.plan.steps)
    schedule = schedule_steps(domain, state, steps)
    return replace(result, plan=replace(result.plan, steps=steps, schedule=schedule))


def test_a_schedule_and_chunks_survive_json(scheduled):
    plan_read = read_plan(json.dumps(to_plain_result(scheduled), allow_nan=False))
    assert plan_read == scheduled.plan
    assert plan_read.schedule.makespan == pytest.approx(scheduled.plan.duration)


def test_a_schedule_and_chunks_are_shown(report, scheduled):
    console = Console(width=200, file=io.StringIO())
    console.print(render_result(scheduled))
    text = console.file.getvalue()
    schedule = scheduled.plan.schedule
    for start, end in zip(schedule.starts, schedule.ends, strict=True):
        assert f"{start:.1f} - {end:.1f} s" in text
    assert text.count("[fetch 2]") == len(scheduled.plan.steps)
    assert f"{schedule.makespan:.1f} s" in text.splitlines()[-1]
    episode = replace(report.episodes[0], result=scheduled)
    page = render_page(replace(report, episodes=(episode,)))
    assert f"{schedule.starts[-1]:.1f} - {schedule.ends[-1]:.1f} s" in page
    assert "fetch 2" in page


def test_the_timeline_shows_steps_that_overlap(scheduled):
    plan_ = scheduled.plan
    together = replace(
        plan_.schedule, starts=tuple(0.0 for _ in plan_.steps), ends=tuple(5.0 for _ in plan_.steps)
    )
    svg = draw_timeline(replace(plan_, schedule=together), "t2")
    ElementTree.fromstring(svg.replace("&nbsp;", " "))
    assert svg != draw_timeline(plan_, "t2")


def test_the_timeline_has_a_row_for_each_of_several_robots(scheduled):
    plan_ = scheduled.plan
    count = len(plan_.steps)
    agents = tuple((f"robot_{1 + index % 2}",) for index in range(count))
    shared = replace(plan_, schedule=replace(plan_.schedule, agents=agents))
    svg = draw_timeline(shared, "t3")
    ElementTree.fromstring(svg.replace("&nbsp;", " "))
    for name in ("robot_1", "robot_2"):
        assert svg.count(f">{name}<") == 1
        assert f">{name}<" not in draw_timeline(plan_, "t3"), "one robot has a row for each step"
    both = replace(shared.schedule, agents=(("robot_1", "robot_2"), *agents[1:]))
    step = f">1 {plan_.steps[0].rule}"
    assert svg.count(step) == 1
    assert draw_timeline(replace(shared, schedule=both), "t3").count(step) == 2


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": null}', '{"plan": {"goal": 3}}'])
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 (pydantic's own message for the last case)
        read_plan(text)


def test_values_without_a_plain_form_are_named():
    with pytest.raises(TypeError, match="set_iterator"):
        to_plain(iter({1}))


def test_preferences_are_shown_with_what_became_of_them(result):
    price = KeepingPrice(PriceKind.AT_MOST, 0.2, 3.0)
    told = replace(
        result,
        given_up=(GivenUp("calm", "never at(robot_1, hall)", 0.1, 2.0, price),),
        kept_preferences=(KeptPreference("", "on(mug_1, table_1)", 0.3, 0.0, 0.75),),
    )
    console = Console(width=200, file=io.StringIO())
    console.print(render_result(told))
    lines = console.file.getvalue().splitlines()
    (given_up,) = [line for line in lines if "calm: never" in line]
    assert given_up.rstrip().endswith("at most 0.20 of the membership and 3 steps")
    assert "given up" in given_up
    (kept,) = [line for line in lines if "on(mug_1, table_1)" in line]
    assert kept.split()[-3:] == ["0.3", "kept", "0.75"]


def test_constraints_and_preferences_have_rows_beside_the_timeline(report, result):
    """Filled or hatched, with a mark where that changes: also without colours."""
    count = len(result.plan.steps) + 1
    traces = (
        RequirementTrace("sometime a", "", False, (*[0.0] * (count - 1), 1.0)),
        RequirementTrace("never b", "calm", True, (1.0, *[0.0] * (count - 1))),
        RequirementTrace("c", "", True, (0.75,) * count),
    )
    plain = draw_timeline(result.plan, "p")
    drawn = draw_timeline(result.plan, "p", traces)
    ElementTree.fromstring(drawn)
    assert "sometime a (kept)" in drawn
    assert "prefer calm: never b (given up)" in drawn
    assert "prefer c (kept 0.75)" in drawn
    assert (drawn.count("\N{HEAVY CHECK MARK}"), drawn.count("\N{HEAVY BALLOT X}")) == (1, 1)
    assert "pattern" in drawn
    assert "pattern" not in plain
    price = KeepingPrice(PriceKind.IMPOSSIBLE, reason="no plan keeps it.")
    given_up = (GivenUp("calm", "never <b>", 0.1, 0.0, price),)
    told = replace(result, traces=traces, given_up=given_up)
    episode = replace(report.episodes[0], result=told)
    page = render_page(replace(report, episodes=(episode,)))
    assert "impossible: no plan keeps it." in page
    assert "never &lt;b&gt;" in page
    assert "sometime a (kept)" in page


def test_an_instruction_and_its_relaxations_are_shown(report, result):
    words = (
        SpokenWords("put", "action", "on(?x, counter_1)", 0.9),
        SpokenWords(" "),
        SpokenWords("the <mug>", "thing", "mug <1>"),
    )
    understood = UnderstoodInstruction(
        "put the <mug>", "read", "Read.", words, "The <mug> is on the counter.", 0.9
    )
    substitute = Relaxation("substitution", "teacup", "mug_1", 0.97, "No <teacup> is here.")
    dropped = Relaxation("drop", "a fork", "", 0.5, "No fork is here.")
    told = replace(
        result,
        message="No <teacup> is here. No fork is here. A plan of 4 steps.",
        relaxations=(substitute, dropped),
        refused_relaxations=(replace(substitute, replacement="vase_1", reason="It leaks."),),
        explored=(
            ExploredRelaxation(0, -1, (), 1.0, 0.0, RelaxationOutcome.IMPOSSIBLE),
            ExploredRelaxation(1, 0, ("a <b>",), 0.9, 0.9, RelaxationOutcome.SOLVED),
        ),
        would_take="With a <fork>: 1.00.",
    )
    episode = replace(report.episodes[0], result=told, understood=understood)
    page = render_page(replace(report, episodes=(episode,)))
    assert '<span class="use thing" title="thing: mug &lt;1&gt;, 1.00"><b>the &lt;mug&gt;' in page
    assert "The &lt;mug&gt; is on the counter." in page
    assert page.count("No &lt;teacup&gt; is here.") == 1  # the message does not repeat it
    assert "A plan of 4 steps." in page
    assert "It leaks." in page
    assert "With a &lt;fork&gt;: 1.00." in page
    assert 'class="explored"' in page
    assert "<script" not in page
    plain = render_page(report)
    assert 'class="explored"' not in plain
    assert 'class="said"' not in plain
