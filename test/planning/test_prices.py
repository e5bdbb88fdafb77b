# SPDX-License-Identifier: Apache-2.0
"""What became of each preference, and the price of keeping one that was given up."""

from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.planning import (
    Measure,
    Optimise,
    Phase,
    PlanningOptions,
    PlanningRequest,
    PlanStatus,
    plan,
    planner,
    strategy,
)
from fcp_ros.planning.model.result import PriceKind
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.planner import PRICED

QUIET = "prefer 0.1 as fetch: on(mug_1, shelf) and prefer 0.3 as quiet: always at(bot, kitchen)"


def find_price(result):
    (given_up,) = result.given_up
    return given_up.price


def test_a_price_is_the_loss_of_the_best_plan_that_keeps_it(ask):
    result = ask(QUIET, explain=True)
    price = find_price(result)
    assert result.given_up[0].name == "fetch"
    assert price.kind is PriceKind.KNOWN
    assert price.membership == pytest.approx(0.2)
    assert (price.more, price.measure) == (3, Measure.STEPS)
    assert str(price) == "0.20 of the membership and 3 steps"
    assert [(one.name, one.degree) for one in result.kept_preferences] == [("quiet", 1.0)]


def test_nothing_is_looked_for_unless_it_is_asked_for(ask):
    result = ask(QUIET)
    assert find_price(result) is None
    assert Phase.EXPLAIN.value not in result.timings


def test_no_plan_keeps_it(ask):
    price = find_price(ask("on(mug_1, shelf) and prefer 0.1: never at(bot, hall)", explain=True))
    assert price.kind is PriceKind.IMPOSSIBLE
    assert str(price) == "impossible: no plan keeps it together with the rest of the goal."


def test_it_is_broken_before_the_first_step(ask):
    price = find_price(ask("on(mug_1, shelf) and prefer 0.1: never closed(crate)", explain=True))
    assert price.kind is PriceKind.IMPOSSIBLE
    reason = "it is broken before the first step: closed(crate) holds initially."
    assert str(price) == f"impossible: {reason}"


def test_no_plan_that_keeps_it_reaches_alpha(ask):
    given = {"can_grasp(bot, mug_1)": 0.3}
    price = find_price(ask("prefer 0.1: on(mug_1, shelf)", given, explain=True))
    assert price.kind is PriceKind.BELOW_ALPHA
    assert price.membership == pytest.approx(0.6)
    assert "alpha 0.5" in str(price)


def test_below_alpha_the_preferences_given_up_are_named(ask):
    goal = "on(mug_1, shelf) and prefer 0.6 as calm: never at(bot, hall)"
    result = ask(goal)
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert result.message.endswith("It gives up calm: never at(bot, hall) (weight 0.6).")


def test_a_price_is_a_cost_where_costs_are_minimised(ask):
    goal = "prefer cost 1: on(mug_1, shelf)"
    price = find_price(ask(goal, explain=True, optimise=Optimise.COST))
    assert (price.kind, price.more, price.measure) == (PriceKind.KNOWN, 2, Measure.COST)
    assert str(price) == "cost 2"


def test_a_graded_preference_is_kept_to_a_degree(ask):
    goal = 'on(mug_1, shelf) and prefer 0.5 as fit: serves_as(mug_1, "drinking")'
    result = ask(goal, {"serves_as(mug_1, drinking)": 0.4})
    (kept,) = result.kept_preferences
    assert (kept.name, kept.weight) == ("fit", 0.5)
    assert kept.degree == pytest.approx(0.4)


def test_the_dearest_of_many_are_looked_into(ask):
    goal = " and ".join(
        f"prefer {n / 1000} as p{n}: never at(bot, kitchen)" for n in range(1, PRICED + 3)
    )
    kinds = {one.name: one.price.kind for one in ask(goal, explain=True).given_up}
    unknown = [name for name, kind in kinds.items() if kind is PriceKind.UNKNOWN]
    assert unknown == ["p1", "p2"]
    assert set(kinds.values()) == {PriceKind.UNKNOWN, PriceKind.IMPOSSIBLE}


def test_without_time_a_price_is_not_guessed(ask, monkeypatch):
    monkeypatch.setattr(Watch, "time_left", property(lambda _: 0.0))
    result = ask(QUIET, explain=True)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert find_price(result).kind is PriceKind.UNKNOWN


def test_a_better_plan_that_keeps_it_is_not_hidden(ask, monkeypatch):
    """The first plan is taken, and its price is compared with that of a better one."""
    answers = []

    def solve(*args):
        answer = strategy.solve_request(*args)
        answers.append(improve(answer) if answers else answer)
        return answers[-1]

    monkeypatch.setattr(planner, "solve_request", solve)
    price = find_price(ask(QUIET, explain=True))
    assert price.kind is PriceKind.AT_MOST
    assert str(price).startswith("nothing: a plan that keeps it is better")


def improve(answer):
    result, cut = answer
    return replace(result, best=replace(result.best, membership=1.0)), cut


@pytest.fixture
def explain(house, home):
    """Plans QUIET with an explanation; a source and callbacks can be given."""
    goal = check_goal(parse_expression(QUIET), house, home, QUIET)
    options = PlanningOptions(explain=True, time_limit=20.0)

    def run(source, **callbacks):
        return plan(PlanningRequest(house, home, goal, options, source, **callbacks))

    return run


def test_cancelling_ends_the_explanation_but_not_the_plan(explain, degrees):
    phases = []
    result = explain(
        degrees(),
        cancelled=lambda: Phase.EXPLAIN in phases,
        progress=lambda progress: phases.append(progress.phase),
    )
    assert result.status is PlanStatus.CANCELLED
    assert result.plan is not None
    assert find_price(result).kind is PriceKind.UNKNOWN


def test_a_source_that_fails_costs_the_price_only(explain, degrees):
    class Failing(degrees):
        def judge(self, requests):
            if any(request.predicate == "can_grasp" for request in requests):
                raise GroundingError(GroundingCode.MODEL_FAILED, "The model is gone.")
            return super().judge(requests)

    result = explain(Failing())
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert str(find_price(result)) == "unknown: The model is gone."


def test_progress_tells_of_the_plan_that_is_handed_out(explain, degrees):
    seen = []
    result = explain(degrees(), progress=seen.append)
    best = [one.best for one in seen if one.best is not None]
    assert {one.membership for one in best} == {result.plan.membership}
