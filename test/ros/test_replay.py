# SPDX-License-Identifier: Apache-2.0
"""``fcp replay``: what live nodes published is recorded, and planned and calibrated again."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import StoragePlugin, Writer
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.msg import ActionOutcome, Plan, SceneGraph, SceneGraphChange
from fcp_ros.nodes.replay import TOPICS

KINDS = {
    "scene_graph": SceneGraph,
    "scene_changes": SceneGraphChange,
    "task_plan": Plan,
    "outcomes": ActionOutcome,
}
FIRST = "on(mug_1, counter_1)"
SECOND = 'on(?x, table_1) and serves_as(?x, "reading")'


def find_hash(message_type: str) -> str:
    package, _, name = message_type.partition("/")
    description = Path(get_package_share_directory(package)) / f"{name}.json"
    return str(json.loads(description.read_text())["type_hashes"][0]["hash_string"])


def write_bag(folder, messages, *, prefix="/", hashes=None, storage=StoragePlugin.MCAP):
    """Write (topic, message) pairs one second apart, as ros2 bag does."""
    with Writer(folder, version=9, storage_plugin=storage) as writer:
        connections = {
            name: writer.add_connection(
                prefix + name,
                kind,
                msgdef="# as the test wants it",
                rihs01=(hashes or {}).get(name) or find_hash(kind),
            )
            for name, kind in TOPICS.items()
        }
        for second, (name, message) in enumerate(messages, 1):
            writer.write(connections[name], second * 10**9, serialize_message(message))
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)])


@pytest.fixture(scope="module")
def messages(stack, client, probe, until):
    """What the nodes publish while two goals are achieved, in the order of arrival."""
    client.load_scene("twin_house_furnished")
    client.reset_calibration()  # tests of this process may have shared these nodes before
    inboxes, found = {}, []
    for name, kind in KINDS.items():
        latched = name in ("scene_graph", "task_plan")
        inboxes[name] = probe.listen(kind, name, latched=latched)

        def keep(message, name=name):
            found.append((name, message))

        inboxes[name]._subscription.callback = keep
    number = client.scene().sequence_number  # an older graph, still latched, may come first
    until(
        lambda: number in [m.sequence_number for name, m in found if name == "scene_graph"],
        "the scene",
    )
    for node, topic in (("scene_graph", "scene_changes"), ("executive", "outcomes")):
        until(lambda t=topic: probe.node.count_publishers(t), f"{node}'s {topic}")
    done = []
    for goal in (FIRST, SECOND):
        result = client.achieve(goal, alpha=0.3, timeout=60.0)
        assert result.error_code == 0, result.error_msg
        done += result.outcomes
    executed = {bytes(outcome.plan_id.uuid) for outcome in done}

    def keep_ours():
        """Leave out what an earlier test's goal sent late: an outcome, or its latched plan."""
        for name, message in list(found):
            # Equal plans have one id: that of an earlier test was made on an older scene.
            if name == "task_plan" and (
                bytes(message.id.uuid) not in executed or message.scene_sequence_number < number
            ):
                continue
            if name == "outcomes" and bytes(message.plan_id.uuid) not in executed:
                continue
            yield name, message

    def list_lacking():
        counts = {name: count(keep_ours(), name) for name in ("outcomes", "task_plan")}
        wanted = {"outcomes": len(done), "task_plan": len(executed)}
        return {
            name: (counts[name], wanted[name]) for name in counts if counts[name] < wanted[name]
        }

    try:
        until(lambda: not list_lacking(), "outcomes and plans")
    except pytest.fail.Exception as error:
        raise AssertionError(f"received and wanted: {list_lacking()}") from error
    for inbox in inboxes.values():
        inbox.close()
    return list(keep_ours())


@pytest.fixture(scope="module")
def bag(messages, tmp_path_factory):
    return write_bag(tmp_path_factory.mktemp("bags") / "two_goals", messages)


def count(messages, name):
    return sum(topic == name for topic, _ in messages)


def find_graph(messages, plan):
    number = plan.scene_sequence_number
    return next(
        (name, message)
        for name, message in messages
        if name == "scene_graph" and message.sequence_number == number
    )


def test_the_same_plans_are_made_again_with_what_was_learned_in_between(bag, messages):
    """The degrees of the second plan had moved by the outcomes of the first: exactly so again."""
    done = run(bag, "--world", "simulated", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert [plan["goal"] for plan in report["plans"]] == [FIRST, SECOND]
    for plan, message in zip(
        report["plans"], (m for name, m in messages if name == "task_plan"), strict=True
    ):
        assert plan["steps"] == len(message.steps) > 0
        assert plan["membership"] == pytest.approx(message.membership)
    outcomes = [message for name, message in messages if name == "outcomes"]
    assert (report["outcomes"], report["simulated"]) == (len(outcomes), 0)
    assert report["evidence"] == sum(len(outcome.step.judgements) for outcome in outcomes) > 0
    assert "can_grasp" in {summary["predicate"] for summary in report["predicates"]}


def test_outcomes_of_simulated_executors_are_no_evidence_in_the_real_world(bag, messages):
    done = run(bag, "--json")
    assert done.exit_code == 1, "the second plan rested on evidence that does not count here"
    report = json.loads(done.stdout)
    assert report["evidence"] == 0
    assert report["simulated"] == count(messages, "outcomes")
    first, second = report["plans"]
    assert first["degree_changes"] == []
    assert {change["atom"].partition("(")[0] for change in second["degree_changes"]} == {
        "can_grasp",
        "stable_enough",
    }
    shown = run(bag).stdout
    assert f"{report['simulated']} of simulated executors are none in the real world" in shown


def test_failures_that_were_recorded_lower_the_degrees_of_later_plans(messages, tmp_path):
    plan = deepcopy(next(message for name, message in messages if name == "task_plan"))
    plan.alpha = 0.1  # an earlier test may have left the planner another level than was asked for
    before = [find_graph(messages, plan)]
    pick = next(
        message
        for name, message in messages
        if name == "outcomes" and message.step.rule == "pick" and message.plan_id == plan.id
    )
    failure = type(pick)(step=pick.step, plan_id=pick.plan_id)
    failure.outcome.code = failure.outcome.EXECUTION_FAILED
    recorded = [*before, ("task_plan", plan), *5 * [("outcomes", failure)], ("task_plan", plan)]
    done = run(write_bag(tmp_path / "failures", recorded), "--json")
    assert done.exit_code == 1, done.output
    first, second = json.loads(done.stdout)["plans"]
    assert first["degree_changes"] == [], first
    assert len(second["degree_changes"]) == 1, second
    (change,) = second["degree_changes"]
    assert change["atom"].startswith("can_grasp(")
    assert change["now"] < change["recorded"] - 0.1
    shown = run(tmp_path / "failures")
    assert "1 of 2 plans are the same" in shown.stdout
    assert f"{change['recorded']:.3f} → {change['now']:.3f}" in shown.stdout


def test_other_steps_are_shown(messages, tmp_path):
    plan = next(message for name, message in messages if name == "task_plan")
    scene = find_graph(messages, plan)
    shorter = type(plan)()
    for field in plan.get_fields_and_field_types():
        setattr(shorter, field, getattr(plan, field))
    shorter.steps = plan.steps[:-1]
    folder = write_bag(tmp_path / "steps", [scene, ("task_plan", shorter)])
    done = run(folder)
    assert done.exit_code == 1
    assert "+ place(robot_1, mug_1" in done.stdout
    done = run(folder, "--namespace", "elsewhere")
    assert done.exit_code == 2
    assert "no topic scene_graph" in done.stderr


def test_a_plan_whose_scene_was_not_recorded_is_no_comparison(messages, tmp_path):
    scene = next(pair for pair in messages if pair[0] == "scene_graph")
    plan = next(pair for pair in messages if pair[0] == "task_plan")
    number, plan[1].scene_sequence_number = plan[1].scene_sequence_number, 10_000
    folder = write_bag(tmp_path / "other", [scene, plan], storage=StoragePlugin.SQLITE3)
    plan[1].scene_sequence_number = number
    done = run(folder)
    assert done.exit_code == 1
    assert "scene graph number 10000, which it was made on, was not recorded" in done.stdout


def test_a_plan_that_arrived_before_its_scene_is_made_again(messages, tmp_path):
    """Two topics have no order between them."""
    plan = next(message for name, message in messages if name == "task_plan")
    folder = write_bag(tmp_path / "early", [("task_plan", plan), find_graph(messages, plan)])
    done = run(folder)
    assert done.exit_code == 0, done.output
    assert "1 of 1 plans are the same" in done.stdout


def test_several_robots_need_a_choice(messages, tmp_path):
    scene = next(pair for pair in messages if pair[0] == "scene_graph")
    folder = tmp_path / "robots"
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for robot in ("r1", "r2"):
            for name, kind in TOPICS.items():
                one = writer.add_connection(
                    f"/{robot}/{name}", kind, msgdef="#", rihs01=find_hash(kind)
                )
                if name == "scene_graph":
                    writer.write(one, 1, serialize_message(scene[1]))
    done = run(folder)
    assert done.exit_code == 2
    assert "/r1" in done.stderr
    assert "/r2" in done.stderr
    done = run(folder, "--namespace", "/r2")
    assert done.exit_code == 0, done.stderr
    assert "0 of 0 plans" in done.stdout


def test_messages_of_another_version_are_refused(messages, tmp_path):
    other = {"outcomes": "RIHS01_" + 64 * "0"}
    done = run(write_bag(tmp_path / "other", messages[:1], hashes=other))
    assert done.exit_code == 2
    assert "/outcomes was recorded with another version of fcp_ros/msg/ActionOutcome" in done.stderr


@pytest.mark.parametrize("content", [None, b"", b"no recording at all" * 100])
def test_files_that_are_no_recording_are_refused(content, tmp_path):
    file = tmp_path / "broken.mcap"
    if content is not None:
        file.write_bytes(content)
    done = run(file)
    assert done.exit_code == 2
    assert "broken.mcap can't be read as a recording" in done.stderr


def test_a_recording_that_was_cut_off_is_refused(bag, tmp_path):
    (file,) = bag.glob("*.mcap")
    cut = tmp_path / "cut.mcap"
    content = file.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    done = run(cut)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
