# SPDX-License-Identifier: Apache-2.0
"""The grounder node: judging, learning from outcomes, resetting, and keeping what was learned."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from grasping import GRASP, ask_grasp
from grasping import pick_outcome as outcome

from fcp_ros.client import Element, predicate_query
from fcp_ros.msg import ActionOutcome, GroundingInfo, OutcomeCode, PlanStep, RequestError
from fcp_ros.nodes.conversions.judgement import request_from_ros
from fcp_ros.nodes.grounder.learner import request_from_context
from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.srv import GetCalibration, RecordOutcomes

MUG = Element("mug_1", "mug", {"name": "mug_1"})


@pytest.fixture
def learner(live, tmp_path, probe):
    """A grounder of its own, to be taught; (stack, client, publisher of outcomes)."""
    with live(tmp_path, nodes=("grounder",), namespace="learner") as (stack, client):
        yield stack, client, probe.publisher(ActionOutcome, "learner/outcomes")


def evidence(stack):
    return stack.nodes["grounder"].diagnose().values["evidence"]


# --- judging ------------------------------------------------------------------------------------


def test_batch_in_order(client):
    drink = [
        predicate_query("serves_as", item=Element(f"{c}_1", c), purpose="drinking")
        for c in ("tin mug", "fork", "tin mug")
    ]
    response = client.judge(*drink, GRASP)
    assert response.success, response.message
    mug, fork, again, held = response.memberships
    assert mug.degree == again.degree > fork.degree
    assert mug.source == "embedding"
    assert fork.source == "judged"
    assert held.source == "table"
    assert held.prior == pytest.approx(0.97)
    assert client.judge().success, "an empty batch has an empty answer"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (predicate_query("serve_as", item=MUG, purpose="drinking"), "did you mean serves_as"),
        (predicate_query("serves_as", purpose="drinking"), "item, purpose"),
        (predicate_query("serves_as", item=Element("mug_1", ""), purpose="drinking"), "category"),
        (predicate_query(""), "names no predicate"),
    ],
)
def test_bad_queries_are_answered(client, query, words):
    response = client.judge(query)
    assert not response.success
    assert words in response.message
    assert not response.memberships


def test_time_limit_of_a_judgement(stack, client, until):
    """A busy model is not waited for beyond the limit."""
    release = threading.Event()
    worker = stack.nodes["grounder"].workers["grounder"]
    job = worker.submit(lambda _token: release.wait(30.0))
    try:
        response = client.judge(GRASP, time_limit=0.05)
    finally:
        release.set()
    assert not response.success
    assert "0.05 s" in response.message
    assert job.wait(30.0)
    until(lambda: worker.load == 0, "an idle worker")
    assert client.judge(GRASP).success


def test_callers_at_the_same_time_get_their_own_answers(stack, client, until):
    """Whoever asks while the model works waits for its turn; an error is only its own caller's."""
    node = stack.nodes["grounder"]
    release = threading.Event()
    job = node.workers["grounder"].submit(lambda _token: release.wait(30.0))
    drink = predicate_query("serves_as", item=Element("jug_1", "tin jug"), purpose="drinking")
    wrong = predicate_query("serve_as", item=MUG, purpose="drinking")
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(client.judge, query) for query in (drink, wrong, GRASP)]
        until(lambda: node.diagnose().values["requests"] == 4, "three callers that wait")
        release.set()
        responses = [call.result(30.0) for call in calls]
    assert job.wait(30.0)
    assert [answer.success for answer in responses] == [True, False, True]
    assert responses[0].memberships[0].source == "embedding"
    assert responses[2].memberships[0].source == "table"
    values = node.diagnose().values
    assert values["requests"] == 0
    assert 0.0 <= float(values["cache_hit_rate"]) <= 1.0


def test_info_is_latched(probe, stack):
    inbox = probe.listen(GroundingInfo, "grounding_info", latched=True)
    info = inbox.wait()
    assert info.domain == "household"
    assert "serves_as" in info.predicates
    assert info.default_oracle == "embedding"
    assert info.model
    inbox.close()


# --- learning -----------------------------------------------------------------------------------


def test_outcomes_move_degrees(learner, until):
    stack, client, outcomes = learner
    before = client.judge(GRASP).memberships[0].degree
    for _ in range(3):
        outcomes.publish(outcome(OutcomeCode.EXECUTION_FAILED, GRASP))
    until(lambda: evidence(stack) == 3, "three pieces of evidence")
    after = client.judge(GRASP).memberships[0]
    assert after.degree < before - 0.3
    assert after.prior == before
    assert after.evidence_count == 3
    cup = client.judge(ask_grasp(Element("cup_1", "cup"))).memberships[0]
    assert before - 0.15 < cup.degree < before == cup.prior  # the model is doubted a little
    entry = client.calibration().entries[0]
    assert (entry.predicate, entry.evidence_count, entry.mean_quality) == ("can_grasp", 3, 0.0)
    assert entry.degree == pytest.approx(after.degree)
    assert entry.prior == pytest.approx(before)
    assert entry.last_outcome.sec > 0
    assert entry.context == request_from_ros(GRASP).context_key


def test_what_teaches_nothing(learner, until):
    stack, client, outcomes = learner
    for code in (
        OutcomeCode.PRECONDITION_FAILED,
        OutcomeCode.INVALID_ACTION,
        OutcomeCode.CANCELLED,
        OutcomeCode.UNKNOWN,
        99,
    ):
        outcomes.publish(outcome(code, GRASP))
    outcomes.publish(outcome(OutcomeCode.SUCCEEDED, GRASP, quality=2.0))
    outcomes.publish(outcome(OutcomeCode.SUCCEEDED, predicate_query("")))
    outcomes.publish(outcome(OutcomeCode.SUCCEEDED, GRASP, quality=0.25))
    until(lambda: evidence(stack) == 1, "the one piece of evidence")
    assert client.calibration().entries[0].mean_quality == 0.25
    assert "an outcome can't be used" in stack.nodes["grounder"].diagnose().message


NO_OUTCOMES = [
    ({"number": 2**64 - 1}, "outcomes[0].number is 18446744073709551615"),
    ({"step": PlanStep(rule="fly")}, "has no action 'fly'"),
    ({"step": PlanStep(rule="pick\x1b[31m")}, "the control character U+001B"),
]


def test_what_can_not_be_an_outcome_is_refused_and_nothing_recorded(learner, probe):
    stack, _, _ = learner
    good = outcome(OutcomeCode.SUCCEEDED, GRASP)
    for change, words in NO_OUTCOMES:
        bad = outcome(OutcomeCode.SUCCEEDED, GRASP)
        for name, value in change.items():
            setattr(bad, name, value)
        request = RecordOutcomes.Request(outcomes=[bad, good])
        answer = probe.ask(RecordOutcomes, "learner/record_outcomes", request)
        assert (answer.success, answer.error.code) == (False, RequestError.INVALID_REQUEST)
        assert words in answer.message
        assert "\x1b" not in answer.message
        assert answer.recorded == evidence(stack) == 0
    many = RecordOutcomes.Request(outcomes=[good] * 101)
    answer = probe.ask(RecordOutcomes, "learner/record_outcomes", many)
    assert "outcomes has 101 entries: send 100 at most" in answer.message


def test_outcomes_count_while_inactive(learner, probe, until):
    from lifecycle_msgs.msg import Transition

    stack, client, outcomes = learner
    assert probe.change_state("learner/grounder", Transition.TRANSITION_DEACTIVATE)
    outcomes.publish(outcome(OutcomeCode.SUCCEEDED, GRASP))
    until(lambda: evidence(stack) == 1, "the evidence")
    refused = client.judge(GRASP)
    assert not refused.success
    assert "inactive" in refused.message
    assert not client.calibration().success


def test_reset(learner, until, probe):
    stack, client, outcomes = learner
    spoon = ask_grasp(Element("spoon_1", "spoon", {"name": "spoon_1"}))
    for query in (GRASP, spoon):
        outcomes.publish(outcome(OutcomeCode.EXECUTION_FAILED, query))
    until(lambda: evidence(stack) == 2, "the evidence")
    assert len(client.calibration("can_grasp").entries) == 2
    assert not client.calibration("stable_enough").entries
    one = client.reset_calibration("can_grasp", request_from_ros(spoon).context_key)
    assert one.success
    assert len(one.entries) == 1, "the answer shows what was set aside"
    assert [entry.evidence_count for entry in client.calibration().entries] == [1]
    client.reset_calibration()
    assert not client.calibration().entries
    assert client.judge(GRASP).memberships[0].evidence_count == 0
    request = GetCalibration.Request(operation=7)
    assert not probe.ask(GetCalibration, "learner/calibration", request).success


# --- configuration ------------------------------------------------------------------------------


def test_configuration_that_can_not_be(stack_options, tmp_path):
    values = {"grounder": {"samples": 4}}
    options = stack_options(tmp_path, values, nodes=("grounder",), namespace="unconfigured")
    with NodeStack(options) as stack, pytest.raises(StartError, match="odd"):
        stack.wait_active()


# --- parts --------------------------------------------------------------------------------------


def test_context_keys_lead_back_to_requests():
    query = predicate_query("serves_as", item=Element("m", "mug", {"size_x": 0.1}), purpose="tea")
    request = request_from_ros(query)
    back = request_from_context(request.context_key)
    assert back is not None
    assert back.context_key == request.context_key
    for text in ("", "{}", "[]", '{"predicate": "p", "arguments": [1]}', "no json"):
        assert request_from_context(text) is None
