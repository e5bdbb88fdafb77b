# SPDX-License-Identifier: Apache-2.0
"""A grounder whose oracle can't answer, or whose degrees miss, serves on and says so."""

from __future__ import annotations

import socket

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.client import Element, FcpClient, predicate_query
from fcp_ros.msg import ActionOutcome, Judgement, OutcomeCode, PlanStep
from fcp_ros.nodes.stack import NodeStack

MUG = Element("mug_1", "tin mug")
DRINK = predicate_query("serves_as", item=MUG, purpose="drinking")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def broken_settings(tmp_path):
    """Settings of oracles that can't answer, by name."""
    pickles = tmp_path / "pickles"
    pickles.mkdir()
    (pickles / "config.json").write_text("{}")
    (pickles / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")
    dead = f"http://127.0.0.1:{free_port()}/v1"
    return {
        "missing": {"oracle": "causal_lm", "model": str(tmp_path / "none")},
        "pickles": {"oracle": "causal_lm", "model": str(pickles)},
        "dead server": {"oracle": "endpoint", "endpoint_url": dead, "endpoint_retries": 0},
    }


@pytest.mark.parametrize(
    ("broken", "words"),
    [("missing", "no model at"), ("pickles", "pickle"), ("dead server", "127.0.0.1")],
)
def test_the_fallback_serves_and_is_named(stack_options, tmp_path, broken, words):
    options = stack_options(
        tmp_path,
        nodes=("grounder",),
        namespace="fallback",
        overrides={"grounder": broken_settings(tmp_path)[broken]},
    )
    with NodeStack(options) as stack, FcpClient(namespace="fallback") as client:
        stack.wait_active()
        response = client.judge(DRINK)
        assert response.success, response.message
        (membership,) = response.memberships
        assert membership.source == "embedding"
        assert membership.degree > 0.7
        assert words in membership.fallback
        diagnosis = stack.nodes["grounder"].diagnose()
        assert diagnosis.level == DiagnosticStatus.WARN
        assert words in diagnosis.message


def test_drift_is_in_the_diagnostics(stack_options, tmp_path, probe, until):
    """A gripper that breaks: after good outcomes come failures, and diagnostics say since when."""
    options = stack_options(tmp_path, nodes=("grounder",), namespace="drifting")
    grasp = predicate_query(
        "can_grasp",
        robot=Element("robot_1", "robot"),
        item=Element("mug_1", "mug", {"name": "mug_1"}),
    )
    with NodeStack(options) as stack, FcpClient(namespace="drifting") as client:
        stack.wait_active()
        node = stack.nodes["grounder"]
        publisher = probe.publisher(ActionOutcome, "drifting/outcomes")

        def observe(code: int, stamp: int) -> None:
            (membership,) = client.judge(grasp).memberships
            count = node.diagnose().values["evidence"]
            judgement = Judgement(query=grasp, membership=membership)
            step = PlanStep(rule="pick", judgements=[judgement])
            message = ActionOutcome(step=step, outcome=OutcomeCode(code=code))
            message.header.stamp.sec = stamp
            publisher.publish(message)
            until(lambda: node.diagnose().values["evidence"] == count + 1, "one more outcome")

        for stamp in range(1, 6):
            observe(OutcomeCode.SUCCEEDED, stamp)
        assert "goes worse" not in node.diagnose().message
        for stamp in range(6, 30):
            observe(OutcomeCode.EXECUTION_FAILED, stamp)
            if "goes worse" in node.diagnose().message:
                break
        assert "can_grasp goes worse than its degrees" in node.diagnose().message
        assert node.diagnose().level == DiagnosticStatus.WARN


def test_without_its_model_the_grounder_answers_what_needs_none(
    stack_options, tmp_path, monkeypatch
):
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "models"))
    options = stack_options(
        tmp_path,
        nodes=("grounder",),
        namespace="modelless",
        overrides={"grounder": {"model": "mpnet", "fallback": ""}},
    )
    grasp = predicate_query(
        "can_grasp",
        robot=Element("robot_1", "robot"),
        item=Element("mug_1", "mug", {"name": "mug_1"}),
    )
    strange = predicate_query(
        "serves_as", item=Element("x_1", "zeppelin"), purpose="drinking tea on a boat"
    )
    with NodeStack(options) as stack, FcpClient(namespace="modelless") as client:
        stack.wait_active()
        assert client.judge(grasp).success
        refused = client.judge(strange)
        assert not refused.success
        assert "`fcp models fetch mpnet`" in refused.message
        diagnosis = stack.nodes["grounder"].diagnose()
        assert diagnosis.level == DiagnosticStatus.WARN
        assert "`fcp models fetch mpnet`" in diagnosis.message
        assert client.judge(grasp).success
