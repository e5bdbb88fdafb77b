# SPDX-License-Identifier: Apache-2.0
"""The action generalize: policies found, written, and planned with at once; refusals; ends."""

from __future__ import annotations

from pathlib import Path

import pytest
import slow_learner as slow_learner_program
from carried_parcels import ABSTRACTION, read_tasks
from walking_policy import DOMAIN, PROBLEM

from fcp_ros.abstraction.debugging import learning_child
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.action import Generalize
from fcp_ros.client import GoalState, policy_goal
from fcp_ros.msg import AbstractionFault, PlanStatus, RequestError
from fcp_ros.nodes.conversions.planning import result_from_ros

Result = Generalize.Result
CUPS = "forall ?c: cup (on(?c, counter_1))"
PLAN_LIMIT = 20.0
"""Seconds that a plan may take in a test, on a busy machine."""


@pytest.fixture(scope="module")
def training(tmp_path_factory) -> Path:
    """A folder with tasks and abstractions."""
    folder = tmp_path_factory.mktemp("training")
    read_tasks(folder)  # writes the domain and problems of parcels
    texts = {"lamps.pddl": DOMAIN, "lit.pddl": PROBLEM, "right.yaml": ABSTRACTION}
    texts["wrong.yaml"] = ABSTRACTION.replace("go(to: some(inverse(goal.in), held)); ", "")
    texts["any.pddl"] = PROBLEM.replace("(and (lit b) (lit d))", "(or (lit b) (lit d))")
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def policies(tmp_path_factory) -> Path:
    """The planner's folder of policies, initially empty."""
    return tmp_path_factory.mktemp("policies")


@pytest.fixture(scope="module")
def learner(live, training, policies, repository, ros_environment):
    """Scene graph and planner with folders for tasks and policies."""
    with live(
        policies,
        {
            "task_planner": {
                "grounder_wait": 0.0,
                "policies": str(policies),
                "training_folders": [str(training), str(repository / "config")],
            }
        },
        nodes=("scene_graph", "grounder", "task_planner"),
        namespace="learner",
        offers=("generalize", "make_plan"),
    ) as (stack, client):
        yield stack, client


def list_problems(training: Path) -> list[str]:
    return sorted(f.name for f in training.glob("*.pddl") if f.name not in NOT_PARCELS)


NOT_PARCELS = {"lamps.pddl", "lit.pddl", "any.pddl", "domain.pddl"}


def test_a_policy_is_learned_from_pddl_and_written(learner, policies):
    _, client = learner
    wish = policy_goal("lamps", ["lit.pddl"], domain="lamps.pddl", seed=3)
    pending = client.send_generalize(wish)
    found = pending.result(90.0)
    assert pending.poll() is GoalState.SUCCEEDED
    assert (found.status, found.error.code) == (Result.FOUND, RequestError.NONE), found.message
    file = policies / "lamps.yaml"
    assert (found.policy, found.file) == ("lamps", str(file))
    assert not found.in_use, "the planner plans with another domain"
    assert "another domain" in found.message
    policy = read_policy(file)
    assert policy.name == "lamps"
    assert [one.name for one in found.features] == list(policy.qnp.variables)
    assert [one.name for one in found.actions] == [one.name for one in policy.qnp.actions]
    assert all(one.programs and one.effects for one in found.actions)
    assert (found.rounds, list(found.faults)) == (1, [])
    assert found.seconds > 0.0
    assert not list(policies.glob(".fcp_policy*")), "nothing half-written is left"
    feedback = pending.feedback
    assert feedback.round == 1
    assert feedback.doing


def test_a_policy_for_the_present_scene_makes_the_next_plan(learner):
    """Without any transition of the node in between."""
    stack, client = learner
    before = client.plan(CUPS, time_limit=PLAN_LIMIT)
    assert before.policy == ""
    assert not before.policy_path.features
    wish = policy_goal("cups", goal=CUPS, present_scene=True, abstraction="policies/tidy.yaml")
    found = client.generalize(wish, timeout=90.0)
    assert found.status == Result.FOUND, found.message
    assert found.in_use, found.message
    after = client.plan(CUPS, time_limit=PLAN_LIMIT)
    assert after.policy == "cups", after.policy_notes
    assert after.status.code == PlanStatus.SOLVED_SATISFICING
    path = after.policy_path
    assert sum(move.steps for move in path.moves) == len(after.plan.steps)
    assert {feature.name for feature in path.features} == {f.name for f in found.features}
    left = [feature.name for feature in path.features].index("left")
    assert (path.moves[0].values[left], path.values_after[left]) == (1, 0)
    trace = result_from_ros(after).policy_trace
    assert [move.action for move in trace.moves] == [move.action for move in path.moves]
    assert "cups" in stack.nodes["task_planner"].diagnose().values["policies"]


def test_scenes_of_a_domain_are_tasks(learner, policies):
    _, client = learner
    wish = policy_goal(
        "houses", ["twin_house_furnished"], goal=CUPS, abstraction="policies/tidy.yaml"
    )
    found = client.generalize(wish, timeout=90.0)
    assert found.status == Result.FOUND, found.message
    assert read_policy(policies / "houses.yaml").provenance.training == ("twin_house_furnished",)


def test_faults_of_an_abstraction_are_typed_and_the_goal_is_aborted(learner, training, policies):
    _, client = learner
    wish = policy_goal(
        "wrong", list_problems(training), domain="domain.pddl", abstraction="wrong.yaml"
    )
    pending = client.send_generalize(wish)
    found = pending.result(90.0)
    assert pending.poll() is GoalState.ABORTED
    assert found.status == Result.UNREPAIRED, found.message
    assert found.error.code == RequestError.NONE
    fault = found.faults[0]
    assert fault.check == AbstractionFault.HLPRC
    assert fault.kind in (AbstractionFault.WRONG_EFFECT, AbstractionFault.NO_REFINEMENT)
    assert fault.message
    assert fault.task
    assert fault.states
    assert not (policies / "wrong.yaml").exists()
    assert pending.feedback.faults == found.faults or pending.feedback.round == 1


def test_a_goal_that_policies_can_not_deal_with_has_a_status(learner):
    _, client = learner
    found = client.generalize(policy_goal("any", ["any.pddl"], domain="lamps.pddl"), timeout=90.0)
    assert found.status == Result.UNSUPPORTED
    assert "No policy can be learned" in found.message


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": ""}, "no name for a policy"),
        ({"name": "../lamps2"}, "no name for a policy"),
        ({"tasks": []}, "there is no task"),
        ({"tasks": ["lit.pddl"] * 101}, "at most 100"),
        ({"tasks": ["missing.pddl"]}, "is no file"),
        ({"tasks": ["/etc/passwd"]}, "training_folders"),
        ({"domain": "/etc/passwd", "goal": "on(a, b)"}, "training_folders"),
        ({"goal": "lit(b)"}, "a PDDL problem has its own goal"),
        ({"present_scene": True}, "leave present_scene out"),
        ({"domain": "", "tasks": ["twin_house"]}, "scenes have no goal"),
        ({"domain": "", "tasks": ["twin_house"], "goal": "flies(a)"}, "flies"),
        ({"abstraction": "none.yaml"}, "is no file"),
        ({"rounds": 21}, "from 0 to 20"),
    ],
)
def test_what_can_not_be_used_is_refused_with_a_sentence(learner, changes, sentence, policies):
    _, client = learner
    wish = {"name": "refused", "tasks": ["lit.pddl"], "domain": "lamps.pddl", **changes}
    pending = client.send_generalize(policy_goal(**wish))
    found = pending.result(60.0)
    assert pending.poll() is GoalState.ABORTED
    assert found.status == Result.UNKNOWN
    assert found.error.code == RequestError.INVALID_REQUEST
    assert sentence in found.message
    assert not (policies / "refused.yaml").exists()


def test_an_abstraction_and_its_proposer_belong_together(learner):
    _, client = learner
    wish = policy_goal("refused", ["lit.pddl"], domain="lamps.pddl")
    wish.abstraction = "right.yaml"
    assert "belong together" in client.generalize(wish, timeout=60.0).message
    wish.proposer = 7
    assert "proposer is 7" in client.generalize(wish, timeout=60.0).message


def test_a_policy_is_replaced_only_where_that_is_wanted(learner, policies):
    _, client = learner
    old, other = policies / "taken.yaml", policies / "other.yml"
    wish = policy_goal("taken", ["lit.pddl"], domain="lamps.pddl")
    assert client.generalize(wish, timeout=90.0).status == Result.FOUND
    old.write_text(old.read_text() + "# of old\n")
    refused = client.generalize(wish, timeout=60.0)
    assert refused.error.code == RequestError.INVALID_REQUEST
    assert "set replace" in refused.message
    assert old.read_text().endswith("# of old\n")
    wish.replace = True
    assert client.generalize(wish, timeout=90.0).status == Result.FOUND
    assert not old.read_text().endswith("# of old\n")
    old.rename(other)
    refused = client.generalize(wish, timeout=60.0)
    assert "other.yml has a policy taken already" in refused.message
    other.unlink()


def test_without_a_folder_it_is_refused(stack, client):
    found = client.generalize(policy_goal("a", ["twin_house"], goal=CUPS), timeout=60.0)
    assert found.error.code == RequestError.INVALID_REQUEST
    assert "parameter policies" in found.message


@pytest.fixture
def slow_learner(monkeypatch):
    """In the place of the process that learns: a busy one, which ends when it is told to."""
    monkeypatch.setattr(learning_child, "__file__", slow_learner_program.__file__)


def slow_goal(name: str) -> Generalize.Goal:
    return policy_goal(name, ["lit.pddl"], domain="lamps.pddl", time_limit=200.0)


def wait_for_feedback(pending, until):
    until(lambda: pending.feedback is not None or pending.poll().done, "feedback", 60.0)
    assert not pending.poll().done, pending.result(1.0).message


def test_planning_goes_on_and_a_cancelled_goal_ends_as_canceled(
    learner, slow_learner, until, policies
):
    _, client = learner
    pending = client.send_generalize(slow_goal("slow"))
    wait_for_feedback(pending, until)
    for _ in range(3):
        assert client.plan(CUPS, time_limit=PLAN_LIMIT).status.code in (
            PlanStatus.SOLVED_OPTIMALLY,
            PlanStatus.SOLVED_SATISFICING,
        )
    pending.cancel()
    found = pending.result(60.0)  # the learner would go on for two hundred seconds
    assert pending.poll() is GoalState.CANCELED
    assert found.status == Result.CANCELLED
    assert found.error.code == RequestError.NONE
    assert not (policies / "slow.yaml").exists()


def test_a_time_limit_ends_it_with_a_status(learner, slow_learner):
    _, client = learner
    wish = slow_goal("late")
    wish.time_limit.sec, wish.time_limit.nanosec = 1, 0
    pending = client.send_generalize(wish)
    found = pending.result(60.0)
    assert pending.poll() is GoalState.ABORTED
    assert found.status == Result.TIMEOUT
    assert "within 1 s" in found.message


def test_beyond_the_queue_goals_are_busy_and_a_waiting_one_can_be_cancelled(
    learner, slow_learner, until
):
    _, client = learner
    first = client.send_generalize(slow_goal("first"))
    wait_for_feedback(first, until)
    second = client.send_generalize(slow_goal("second"))
    until(lambda: second.poll() is GoalState.ACCEPTED, "the second goal")
    third = client.send_generalize(slow_goal("third"))
    refused = third.result(60.0)
    assert refused.error.code == RequestError.BUSY
    assert third.poll() is GoalState.ABORTED
    second.cancel()
    assert second.result(30.0).status == Result.CANCELLED
    assert second.poll() is GoalState.CANCELED
    assert not first.poll().done
    first.cancel()
    assert first.result(30.0).status == Result.CANCELLED


def test_a_deactivation_ends_it(learner, probe, slow_learner, until):
    _, client = learner
    pending = client.send_generalize(slow_goal("stopped"))
    wait_for_feedback(pending, until)
    assert probe.change_state("/learner/task_planner", 4)
    found = pending.result(30.0)
    assert pending.poll() is GoalState.ABORTED
    assert found.error.code == RequestError.NODE_INACTIVE
    refused = client.generalize(slow_goal("stopped"), timeout=30.0)
    assert refused.error.code == RequestError.NODE_INACTIVE
    assert probe.change_state("/learner/task_planner", 3)
