# SPDX-License-Identifier: Apache-2.0
"""The planner node: plans by service and by action, feedback, cancel, limits, bad requests."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace

import pytest
from rclpy.parameter import Parameter

from fcp_ros.client import GoalState, is_solved, plan_request
from fcp_ros.msg import Plan, PlanStatus, PlanStep, SceneGraphUpdate
from fcp_ros.nodes.conversions.plan import arguments_to_ros
from fcp_ros.nodes.conversions.planning import result_from_ros
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.nodes.planner import node as planner_node
from fcp_ros.srv import LoadDomain, PlanGoal, ValidatePlan

MUG_TO_COUNTER = "on(mug_1, counter_1)"
TILES_HOME = " and ".join(f"on(tile_{i}, cell_{i})" for i in range(15))
"""Can't be reached, and no planner proves it within a test's time."""


@pytest.fixture(scope="module")
def puzzled(live, tmp_path_factory, tiles):
    """Scene graph and planner under a namespace, without a grounder, on the sliding tiles."""
    with live(
        tmp_path_factory.mktemp("puzzle"),
        {"task_planner": {"grounder_wait": 0.0, "queue_size": 1}},
        nodes=("scene_graph", "task_planner"),
        namespace="puzzle",
        offers=("make_plan",),
        **tiles,
    ) as both:
        yield both


@pytest.fixture(scope="module")
def puzzle(puzzled):
    return puzzled[0]


@pytest.fixture(scope="module")
def puzzler(puzzled):
    return puzzled[1]


def ask(probe, goal, name="plan", **settings):
    request = PlanGoal.Request(request=plan_request(goal, **settings))
    return probe.ask(PlanGoal, name, request).result


def statuses(result):
    return result.status.code, result.status.message


# --- answers ------------------------------------------------------------------------------------


def test_plan_by_service(probe, scene):
    result = ask(probe, MUG_TO_COUNTER, alpha=0.3)
    assert result.status.code == PlanStatus.SOLVED_OPTIMALLY, result.status.message
    assert result.verified
    plan = result.plan
    assert [step.rule for step in plan.steps] == ["navigate", "pick", "navigate", "place"]
    assert plan.goal == MUG_TO_COUNTER
    assert plan.scene_sequence_number == scene.sequence_number
    assert plan.header.frame_id == scene.header.frame_id
    assert plan.header.stamp.sec > 0
    memberships = [step.membership_after for step in plan.steps]
    assert memberships == sorted(memberships, reverse=True)
    assert plan.membership == pytest.approx(result.best_membership)
    assert plan.membership >= plan.alpha == 0.3
    assert {level.name: level.unit for level in plan.resources_after}["battery"]
    assert list(result.timing_stages)
    assert len(result.timing_stages) == len(result.timing_seconds)
    assert result_from_ros(result).plan is not None


def test_plan_by_action_reports_and_is_latched(probe, scene, client):
    pending = client.send_plan(plan_request(MUG_TO_COUNTER, alpha=0.3))
    result = pending.result(30.0).result
    assert is_solved(result)
    assert pending.poll() is GoalState.SUCCEEDED
    assert pending.feedback.phase
    assert pending.feedback.elapsed >= 0.0
    assert pending.feedback.best_steps == len(result.plan.steps)
    assert pending.feedback.best_cost > 0.0
    assert pending.feedback.best_membership == pytest.approx(result.plan.membership)
    assert pending.feedback.membership_bound >= result.plan.membership - 1e-9
    late = probe.listen(Plan, "task_plan", latched=True, depth=1)
    same = bytes(result.plan.id.uuid)
    assert late.wait(lambda plan: bytes(plan.id.uuid) == same).goal == MUG_TO_COUNTER
    late.close()


def test_a_budget_leaves_out_parts_of_the_goal(probe, scene, client):
    goal = f"{MUG_TO_COUNTER} and at(robot_1, living_room_1)"
    pending = client.send_plan(plan_request(goal, budgets={"steps": 1.0}))
    result = pending.result(30.0).result
    assert is_solved(result), result.status.message
    assert list(result.plan.left_out) == [MUG_TO_COUNTER]
    assert [(one.name, one.amount) for one in result.plan.budgets] == [("steps", 1.0)]
    (given_up,) = result.given_up
    assert (given_up.text, given_up.is_part, given_up.weight) == (MUG_TO_COUNTER, True, 0.5)
    assert "parts" in result.optimal_in
    assert pending.feedback.best_left_out == 1
    assert pending.feedback.membership_gap == 0.0
    request = ValidatePlan.Request(plan=result.plan, alpha=0.5)
    assert probe.ask(ValidatePlan, "validate_plan", request).valid
    refused = ask(probe, goal, budgets={"battry": 1.0})
    assert refused.status.code == PlanStatus.INVALID_REQUEST
    assert "did you mean battery?" in refused.status.message


def test_vague_goal_explains_its_candidates(probe, scene):
    result = ask(probe, 'on(?x, couch_1) and serves_as(?x, "reading")', alpha=0.1)
    assert is_solved(result), result.status.message
    assert [item.chosen for item in result.candidates].count(True) == 1
    chosen = next(item for item in result.candidates if item.chosen)
    assert [(b.variable, b.element) for b in chosen.binding] == [
        (b.variable, b.element) for b in result.plan.binding
    ]
    assert all(item.reason for item in result.candidates)
    assert chosen.judgements[0].membership.source == "judged"


def test_unsolvable_at_alpha_and_proven(probe, scene):
    at_alpha = ask(probe, MUG_TO_COUNTER, alpha=0.999)
    assert at_alpha.status.code == PlanStatus.UNSOLVABLE_AT_ALPHA
    assert 0.0 < at_alpha.best_membership < 0.999
    assert not at_alpha.plan.steps
    proven = ask(
        probe,
        "inside(mug_1, fridge_1) and closed(door_1) and at(robot_1, kitchen_1) "
        "and at(robot_1, living_room_1)",
    )
    assert proven.status.code == PlanStatus.UNSOLVABLE_PROVEN, proven.status.message


@pytest.fixture
def parameters(stack):
    """Sets parameters of the planner, which are put back in the end."""
    planner = stack.nodes["task_planner"]
    before: dict[str, object] = {}

    def put(values):
        results = planner.set_parameters([Parameter(n, value=v) for n, v in values.items()])
        assert all(result.successful for result in results), results

    def choose(**values):
        before.update({name: planner.parameters[name] for name in values})
        put(values)

    yield choose
    put(before)


def test_alpha_is_lifted_and_lowered_by_parameters(probe, scene, parameters):
    plain = ask(probe, MUG_TO_COUNTER, alpha=0.6)
    assert plain.alpha_reason == "Alpha is 0.6, as given."
    parameters(criticality=0.5)
    critical = ask(probe, MUG_TO_COUNTER, alpha=0.6)
    assert critical.plan.alpha == pytest.approx(0.8)
    assert "criticality 0.5" in critical.alpha_reason
    assert ask(probe, MUG_TO_COUNTER).plan.alpha == pytest.approx(0.75)
    parameters(criticality=0.0, adaptive_alpha=True, free_length=0, length_factor=0.9)
    adaptive = ask(probe, MUG_TO_COUNTER, alpha=0.9)
    assert adaptive.plan.alpha == pytest.approx(0.9 * 0.9**2)  # it grasps and it sets down
    code, message = statuses(ask(probe, MUG_TO_COUNTER, alpha=1.5))
    assert code == PlanStatus.INVALID_REQUEST, message


def test_the_algorithm_is_a_parameter(probe, scene, parameters):
    best = ask(probe, MUG_TO_COUNTER)
    for algorithm, heuristic in (
        ("astar", "max"),
        ("lazy_greedy", "ff"),
        ("bidirectional", "lm_cut"),
    ):
        parameters(algorithm=algorithm, heuristic=heuristic)
        result = ask(probe, MUG_TO_COUNTER)
        assert is_solved(result), result.status.message
        assert result.plan.membership == pytest.approx(best.plan.membership)


def test_a_result_explains_itself_where_that_is_asked_for(probe, scene):
    assert not ask(probe, MUG_TO_COUNTER).explanation
    lines = list(ask(probe, MUG_TO_COUNTER, explain=True).explanation)
    assert any(line.startswith("pick(") and "of the loss" in line for line in lines)
    assert any("is passed with" in line for line in lines)


# --- bad requests -------------------------------------------------------------------------------


BAD_REQUESTS = (
    ("", {}, "neither a goal"),
    ("on(mug_1 counter_1)", {}, "^"),
    ("inn(mug_1, counter_1)", {}, "inn"),
    ("on(unicorn_1, counter_1)", {}, "unicorn_1"),
    ("on(mug_1)", {}, "on"),
    (MUG_TO_COUNTER, {"alpha": 1.5}, "alpha"),
    (MUG_TO_COUNTER, {"time_limit": -1.0}, "time_limit"),
    (MUG_TO_COUNTER, {"tnorm": "average"}, "average"),
    ("(" * 500, {}, "expression"),
)


def ask_after(probe, goal, *underway):
    request = plan_request(goal, alpha=0.3, relax=False)
    request.underway = list(underway)
    return probe.ask(PlanGoal, "plan", PlanGoal.Request(request=request)).result


def test_a_plan_begins_where_steps_end_that_are_being_done(probe, scene):
    whole = ask(probe, MUG_TO_COUNTER, alpha=0.3).plan.steps
    rest = ask_after(probe, MUG_TO_COUNTER, *whole[:2])
    assert rest.status.code == PlanStatus.SOLVED_OPTIMALLY, rest.status.message
    assert [(step.rule, step.arguments) for step in rest.plan.steps] == [
        (step.rule, step.arguments) for step in whole[2:]
    ]
    nothing = ask_after(probe, MUG_TO_COUNTER, *whole)
    assert (nothing.plan.steps, is_solved(nothing)) == ([], True)


@pytest.mark.parametrize(
    ("rule", "values", "words"),
    [
        ("fly", ("robot_1",), "a step that is underway can't be done here: domain 'household' has"),
        ("pick", ("robot_1", "mug_1"), "takes the parameters"),
        ("navigate", ("robot_1", "kitchen_1", "moon", "door_1"), "underway .* 'moon'"),
        ("", (), "a plan step names no rule"),
    ],
)
def test_steps_underway_that_make_no_sense_are_refused(probe, scene, rule, values, words):
    names = ("robot", "from", "to", "passage")
    pairs = zip(names, values, strict=False)
    step = PlanStep(rule=rule, arguments=arguments_to_ros(pairs))
    status, message = statuses(ask_after(probe, MUG_TO_COUNTER, step))
    assert status == PlanStatus.INVALID_REQUEST
    assert re.search(words, message), message


def test_bad_requests_are_answered(probe, scene):
    for goal, settings, words in BAD_REQUESTS:
        code, message = statuses(ask(probe, goal, **settings))
        assert code == PlanStatus.INVALID_REQUEST, message
        assert words in message


def test_bad_request_aborts_the_action(client, scene):
    pending = client.send_plan(plan_request("on(unicorn_1, counter_1)"))
    result = pending.result(30.0).result
    assert pending.poll() is GoalState.ABORTED
    assert result.status.code == PlanStatus.INVALID_REQUEST


# --- long searches ------------------------------------------------------------------------------


def test_time_limit_holds(probe, puzzle):
    assert is_solved(ask(probe, "on(tile_0, cell_0)", "puzzle/plan"))  # the service is known now
    result = ask(probe, TILES_HOME, "puzzle/plan", alpha=0.0, time_limit=0.5, relax=False)
    assert result.status.code == PlanStatus.TIMEOUT, result.status.message
    assert not is_solved(result)


def test_cancel_is_noticed_at_once(puzzler, puzzle, until):
    pending = puzzler.send_plan(plan_request(TILES_HOME, alpha=0.0, time_limit=120.0))
    until(lambda: pending.feedback and pending.feedback.expansions > 0, "expansions")
    assert pending.poll() is GoalState.ACCEPTED
    pending.cancel()
    result = pending.result(30.0).result  # the search would go on for two minutes
    assert result.status.code == PlanStatus.CANCELLED, result.status.message
    assert pending.poll() is GoalState.CANCELED


def test_queue_is_bounded_and_cancelled_goals_leave_it(puzzler, puzzle, until):
    running = puzzler.send_plan(plan_request(TILES_HOME, alpha=0.0, time_limit=120.0))
    until(lambda: running.feedback is not None, "the first search")
    waiting = puzzler.send_plan(plan_request(TILES_HOME, alpha=0.0, time_limit=120.0))
    until(lambda: puzzle.nodes["task_planner"].diagnose().values["requests"] == 2, "a full queue")
    refused = puzzler.plan(TILES_HOME, time_limit=120.0)
    assert refused.status.code == PlanStatus.BUSY
    assert "busy" in refused.status.message
    waiting.cancel()
    assert waiting.result(30.0).result.status.code == PlanStatus.CANCELLED
    assert running.poll() is GoalState.ACCEPTED
    running.cancel()
    assert running.result(30.0).result.status.code == PlanStatus.CANCELLED


def test_waiting_counts_against_the_time_limit(puzzler, puzzle, until):
    running = puzzler.send_plan(plan_request(TILES_HOME, alpha=0.0, time_limit=120.0))
    until(lambda: running.feedback is not None, "the first search")
    late = puzzler.send_plan(plan_request("on(tile_14, cell_15)", time_limit=0.1))
    until(lambda: puzzle.nodes["task_planner"].diagnose().values["requests"] == 2, "a full queue")
    deadline = time.monotonic() + 0.15
    until(lambda: time.monotonic() > deadline, "the time limit")
    running.cancel()
    result = late.result(30.0).result
    assert result.status.code == PlanStatus.TIMEOUT
    assert "waited" in result.status.message


def test_a_deactivated_planner_ends_its_search(puzzler, puzzle, probe, until):
    from lifecycle_msgs.msg import Transition

    running = puzzler.send_plan(plan_request(TILES_HOME, alpha=0.0, time_limit=120.0))
    until(lambda: running.feedback is not None, "the search")
    assert probe.change_state("puzzle/task_planner", Transition.TRANSITION_DEACTIVATE)
    assert running.result(30.0).result.status.code == PlanStatus.NODE_INACTIVE
    refused = puzzler.plan("on(tile_0, cell_1)")
    assert refused.status.code == PlanStatus.NODE_INACTIVE
    assert "inactive" in refused.status.message
    assert probe.change_state("puzzle/task_planner", Transition.TRANSITION_ACTIVATE)
    assert is_solved(puzzler.plan("on(tile_14, cell_15)", alpha=0.0))


# --- validation and domains ---------------------------------------------------------------------


def test_validate(probe, scene, client):
    plan = client.plan(MUG_TO_COUNTER, alpha=0.3).plan
    fine = client.validate(plan)
    assert (fine.success, fine.valid, list(fine.problems)) == (True, True, [])
    assert list(fine.memberships) == pytest.approx([s.membership_after for s in plan.steps])
    strict = client.validate(plan, alpha=1.0)
    assert strict.success
    assert not strict.valid
    assert strict.problems
    plan.steps = plan.steps[1:]
    broken = client.validate(plan)
    assert not broken.valid
    assert broken.message == broken.problems[0]
    empty = client.validate(Plan())
    assert not empty.success
    assert empty.message
    wrong = probe.ask(ValidatePlan, "validate_plan", ValidatePlan.Request(plan=plan, alpha=7.0))
    assert not wrong.success
    assert "alpha" in wrong.message


def test_load_domain(client, scene):
    assert client.load_domain("tiny").success
    try:
        result = client.plan(MUG_TO_COUNTER, alpha=0.0)
        assert not any(step.rule == "navigate" for step in result.plan.steps)
    finally:
        assert client.load_domain("household").success


def test_a_domain_is_read_while_others_are_answered(client, scene, until, monkeypatch):
    began, go_on = threading.Event(), threading.Event()
    load = planner_node.load_domain

    def read_slowly(address):
        began.set()
        go_on.wait(20.0)
        return load(address)

    monkeypatch.setattr(planner_node, "load_domain", read_slowly)
    answers = []
    reader = threading.Thread(target=lambda: answers.append(client.load_domain("household")))
    reader.start()
    try:
        assert began.wait(10.0)
        assert is_solved(client.plan(MUG_TO_COUNTER, alpha=0.3, timeout=10.0))
        assert not answers
    finally:
        go_on.set()
        reader.join(30.0)
    assert answers[0].success, answers[0].message


def test_load_domain_refuses(probe, client, scene, tmp_path):
    outside = client.load_domain("/etc/passwd")
    assert not outside.success
    assert "domain_folders" in outside.message
    missing = probe.ask(LoadDomain, "load_domain", LoadDomain.Request(path="missing.yaml"))
    assert not missing.success


def test_malformed_domain_lists_its_problems(live, tmp_path, probe):
    (tmp_path / "broken.yaml").write_text("domain: [\n")
    (tmp_path / "wrong.yaml").write_text("domain: x\nversion: '1'\ntypes: {a: [b]}\n")
    with live(
        tmp_path,
        {"task_planner": {"domain_folders": [str(tmp_path)]}},
        nodes=("task_planner",),
        namespace="broken",
    ) as (_, client):
        for name in ("broken.yaml", "wrong.yaml"):
            response = client.load_domain(name)
            assert not response.success
            assert response.problems
            assert all(f"{tmp_path / name}:" in problem for problem in response.problems)


def test_what_changed_of_the_last_plan_is_in_the_diagnostics(probe, stack, scene, client, until):
    updates = probe.publisher(SceneGraphUpdate, "scene_graph_update")
    planner = stack.nodes["task_planner"]
    result = client.plan("on(mug_1, counter_1)", alpha=0.0)
    assert result.plan.steps

    def told() -> str:
        return planner.diagnose().values["changed_elements_of_last_plan"]

    assert told() == ""
    nodes = graph_from_ros(scene).nodes
    changed = [replace(nodes["mug_1"], category="cup"), nodes["vase_1"]]
    number = scene.sequence_number + 1
    updates.publish(SceneGraphUpdate(sequence_number=number, nodes=nodes_to_ros(changed)))
    until(lambda: planner.diagnose().values["scene_sequence_number"] == number, "the change")
    assert told() == "mug_1"
