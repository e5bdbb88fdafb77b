# SPDX-License-Identifier: Apache-2.0
"""The planner has the grounder look again at what a plan rests on, over the wire."""

from __future__ import annotations

import pytest
from tuned_encoder import save_tuned_minilm

from fcp_ros.client import Element, predicate_query
from fcp_ros.msg import PlanStatus

ROBOT = "careful"
GOAL = 'on(?x, couch_1) and serves_as(?x, "leafing through on a train")'
"""Words that nobody judged, so that a model has to."""


@pytest.fixture(scope="module")
def careful(live, tmp_path_factory):
    """Scene graph, grounder with a tuned encoder, and planner; a client."""
    folder = tmp_path_factory.mktemp("careful")
    tuned = save_tuned_minilm(folder / "minilm.safetensors")
    with live(
        folder,
        {"grounder": {"model": "minilm", "tuned": str(tuned)}},
        nodes=("scene_graph", "grounder", "task_planner"),
        namespace=ROBOT,
        offers=("make_plan",),
    ) as (_, client):
        yield client


def test_a_plan_rests_on_degrees_of_the_tuned_encoder(careful):
    result = careful.plan(GOAL, alpha=0.05, time_limit=60.0)
    assert result.status.code == PlanStatus.SOLVED_OPTIMALLY, result.status.message
    sources = {one.query.predicate: one.membership.source for one in result.plan.goal_judgements}
    assert sources["serves_as"] == "tuned"
    others = [
        one.membership.source
        for candidate in result.candidates
        if not candidate.chosen
        for one in candidate.judgements
    ]
    assert "embedding" in others  # all else is judged in passing


def test_what_nobody_asks_to_confirm_is_judged_in_passing(careful):
    query = predicate_query("serves_as", item=Element("j", "jug"), purpose="rinsing a paintbrush")
    (answer,) = careful.judge(query).memberships
    assert answer.source == "embedding"
