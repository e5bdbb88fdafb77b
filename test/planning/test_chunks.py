# SPDX-License-Identifier: Apache-2.0
"""Chunks behind plan(): shown in the plan, judged as a whole, checked by the verifier."""

from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import Chunk, Parameter
from fcp_ros.planning import (
    PlanningOptions,
    PlanningRequest,
    PlanStatus,
    Switches,
    plan,
    verify,
)

FETCH = Chunk(
    "fetch",
    tuple(
        Parameter(name, kind)
        for name, kind in [
            ("robot", "robot"),
            ("item", "item"),
            ("support", "support"),
            ("room", "room"),
            ("target", "support"),
        ]
    ),
    (
        ("pick", ("robot", "item", "support", "room")),
        ("place", ("robot", "item", "target", "room")),
    ),
)
WHOLE = replace(FETCH, graded=(Atom("stable", (Variable("target"), Variable("item"))),))
GOAL = "on(mug_1, desk)"


@pytest.fixture
def solve(house, state, degrees, house_facts, home):
    """Plans with chunks in the house, where a desk stands beside the table."""
    elements = {n: home.type_of(home.id_of(n)) for n in home.names()} | {"desk": "support"}
    facts = [*house_facts, "in_room(desk, kitchen)"]

    def run(chunk, given=None, **options):
        domain = replace(house, chunks={chunk.name: chunk})
        instance = state(domain, elements, facts)
        goal = check_goal(parse_expression(GOAL), domain, instance, GOAL)
        result = plan(
            PlanningRequest(domain, instance, goal, PlanningOptions(**options), degrees(given))
        )
        return result, (domain, instance, goal)

    return run


def test_a_chunk_is_shown_in_the_plan_and_judged_by_its_steps(solve):
    result, _ = solve(FETCH, {"can_grasp(bot, mug_1)": 0.9, "stable(desk, mug_1)": 0.8})
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert [step.rule for step in result.plan.steps] == ["pick", "place"]
    assert result.plan.membership == pytest.approx(0.7)


def test_a_chunk_that_is_judged_as_a_whole_counts_once(solve, degrees):
    given = {"can_grasp(bot, mug_1)": 0.6, "stable(desk, mug_1)": 0.8}
    result, (domain, instance, goal) = solve(WHOLE, given)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert [step.chunk for step in result.plan.steps] == ["fetch", "fetch"]
    assert [step.degree for step in result.plan.steps] == [0.8, 1.0]
    assert result.plan.membership == pytest.approx(0.8)
    assert result.verification.ok
    # Without its label the first step is judged for itself, and the claim is wrong.
    bare = replace(result.plan, steps=tuple(replace(step, chunk="") for step in result.plan.steps))
    assert not verify(domain, instance, bare, goal, degrees(given), alpha=0.5).ok
    half = replace(
        result.plan, steps=(result.plan.steps[0], replace(result.plan.steps[1], chunk=""))
    )
    verdict = verify(domain, instance, half, goal, degrees(given), alpha=0.5)
    assert any("is no fetch" in problem for problem in verdict.problems)


def test_chunks_can_be_switched_off(solve):
    given = {"can_grasp(bot, mug_1)": 0.6, "stable(desk, mug_1)": 0.8}
    result, _ = solve(WHOLE, given, alpha=0.3, switches=Switches(chunks=False))
    assert [step.chunk for step in result.plan.steps] == ["", ""]
    assert result.plan.membership == pytest.approx(0.4)
