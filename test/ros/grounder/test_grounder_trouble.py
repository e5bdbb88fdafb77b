# SPDX-License-Identifier: Apache-2.0
"""A grounder whose oracle can't answer, or whose degrees miss, serves on and says so."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from grasping import GRASP

from fcp_ros.client import Element, predicate_query
from fcp_ros.msg import ActionOutcome, Judgement, OutcomeCode, PlanStep

MUG = Element("mug_1", "tin mug")
DRINK = predicate_query("serves_as", item=MUG, purpose="drinking")


def test_the_fallback_serves_and_is_named(live, tmp_path):
    """What else may be wrong with an oracle is in grounding/asking/test_fallback.py."""
    with live(
        tmp_path,
        nodes=("grounder",),
        namespace="fallback",
        overrides={"grounder": {"oracle": "causal_lm", "model": str(tmp_path / "none")}},
    ) as (stack, client):
        response = client.judge(DRINK)
        assert response.success, response.message
        (membership,) = response.memberships
        assert membership.source == "embedding"
        assert membership.degree > 0.7
        assert "no model at" in membership.fallback
        diagnosis = stack.nodes["grounder"].diagnose()
        assert diagnosis.level == DiagnosticStatus.WARN
        assert "no model at" in diagnosis.message


def test_drift_is_in_the_diagnostics(live, tmp_path, probe, until):
    """A gripper that breaks: after good outcomes come failures, and diagnostics say since when."""
    with live(tmp_path, nodes=("grounder",), namespace="drifting") as (stack, client):
        node = stack.nodes["grounder"]
        publisher = probe.publisher(ActionOutcome, "drifting/outcomes")

        def observe(code: int, stamp: int) -> None:
            (membership,) = client.judge(GRASP).memberships
            count = node.diagnose().values["evidence"]
            judgement = Judgement(query=GRASP, membership=membership)
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


def test_without_its_model_the_grounder_answers_what_needs_none(live, tmp_path, monkeypatch):
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "models"))
    strange = predicate_query(
        "serves_as", item=Element("x_1", "zeppelin"), purpose="drinking tea on a boat"
    )
    settings = {"grounder": {"model": "mpnet", "fallback": ""}}
    with live(tmp_path, settings, nodes=("grounder",), namespace="modelless") as (stack, client):
        assert client.judge(GRASP).success
        refused = client.judge(strange)
        assert not refused.success
        assert "`fcp models fetch mpnet`" in refused.message
        diagnosis = stack.nodes["grounder"].diagnose()
        assert diagnosis.level == DiagnosticStatus.WARN
        assert "`fcp models fetch mpnet`" in diagnosis.message
        assert client.judge(GRASP).success
