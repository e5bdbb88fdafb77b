# SPDX-License-Identifier: Apache-2.0
"""Statuses, plans and explanations of the planner on a small house."""

from dataclasses import replace

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions


def steps(result):
    return [str(step) for step in result.plan.steps]


# --- plans


def test_the_best_membership_wins_over_the_shortest_plan(ask):
    given = {
        "serves_as(mug_1, drinking)": 0.6,
        "serves_as(mug_2, drinking)": 0.95,
        "serves_as(book, drinking)": 0.1,
        "serves_as(milk, drinking)": 0.3,
    }
    result = ask('on(?x, table) and serves_as(?x, "drinking")', given)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.plan.binding == (("x", "mug_2"),)
    assert result.plan.membership == pytest.approx(0.95)
    assert len(result.plan.steps) == 4
    by_name = {candidate.binding[0][1]: candidate for candidate in result.candidates}
    assert set(by_name) == {"mug_1", "mug_2", "book", "milk"}
    assert [name for name, candidate in by_name.items() if candidate.chosen] == ["mug_2"]
    assert by_name["mug_1"].goal_degree == pytest.approx(0.6)
    assert by_name["mug_1"].judgements[0].membership.source == "table"
    assert "0.60" in by_name["mug_1"].reason


def test_degrees_of_a_fallback_are_said(house, home, degrees):
    """A plan that rests on degrees of a fallback says so, and why, in its message."""

    class Fallback(degrees):
        def judge(self, requests):
            reason = "the server is down"
            return [replace(found, fallback=reason) for found in super().judge(requests)]

    goal = check_goal(parse_expression("on(mug_1, shelf)"), house, home)
    result = plan(PlanningRequest(house, home, goal, PlanningOptions(), Fallback({})))
    assert result.status.solved
    assert "2 of its degrees are a fallback's" in result.message
    assert result.message.endswith("the server is down")
    result = plan(PlanningRequest(house, home, goal, PlanningOptions(), degrees({})))
    assert "fallback" not in result.message


def test_equal_candidates_take_the_nearer_one(ask, house_facts):
    facts = [fact.replace("at(bot, kitchen)", "at(bot, hall)") for fact in house_facts]
    result = ask('on(?x, tv) and is_a(?x, "mug")', facts=facts)
    assert steps(result) == ["pick(bot, mug_2, shelf, hall)", "place(bot, mug_2, tv, hall)"]


def test_a_goal_that_holds_needs_no_step(ask):
    result = ask("on(mug_1, table) and not closed(door_1)")
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.plan.steps == ()
    assert "holds already" in result.message


def test_durations_count_the_distance(house, state, degrees):
    builder_facts = ["at(bot, a)", "connected(a, b, d)"]
    elements = {"a": "room", "b": "room", "bot": "robot", "d": "door"}
    instance = state(house, elements, builder_facts)
    builder = InstanceBuilder.of(instance)
    for name, x in (("a", 0.0), ("b", 3.0)):
        builder.set_attribute(builder.id_of(name), "x", x)
        builder.set_attribute(builder.id_of(name), "y", 4.0 * (name == "b"))
    goal = parse_expression("at(bot, b)")
    result = plan(PlanningRequest(house, builder.build(), goal, PlanningOptions(), degrees()))
    assert result.plan.steps[0].duration == pytest.approx(1 + 2 * 5)


# --- what applicability must not allow


def test_a_constraint_that_is_broken_already_does_not_stop_everything(ask, house_facts):
    facts = [*(f for f in house_facts if "milk" not in f), "on(milk, tv)"]
    assert ask("on(mug_1, shelf)", facts=facts).status is PlanStatus.SOLVED_OPTIMALLY
    assert ask("on(milk, shelf)", facts=facts).status is PlanStatus.SOLVED_OPTIMALLY


# --- goals


# --- the paper's figures


# --- failures


def test_below_alpha_reports_the_best_choice_and_hands_out_nothing(ask):
    given = {f"serves_as({name}, drinking)": 0.4 for name in ("mug_1", "book", "milk")}
    given["serves_as(mug_2, drinking)"] = 0.48
    result = ask('on(?x, table) and serves_as(?x, "drinking")', given, alpha=0.9)
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert result.plan is None
    assert result.best_membership == pytest.approx(0.48)
    assert result.candidates[0].chosen
    assert result.candidates[0].binding == (("x", "mug_2"),)
    assert "mug_2" in result.message


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ('on(?x, table) and is_a(?x, "flashlight")', 'Nothing here is a "flashlight".'),
        ("on(mug_1, table) and on(mug_1, shelf)", "at most one on holds for each item"),
        ("in_room(table, hall)", "in_room(table, hall) is never true here"),
        ("on(milk, tv)", "leads to on(milk, tv): dry forbids it (it would be ruined)."),
        ("not at(bot, kitchen) and not at(bot, hall)", "No plan meets both not at(bot, kitchen)"),
    ],
)
def test_impossible_goals_are_proven_so(ask, goal, words):
    result = ask(goal)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert words in result.message
    assert result.plan is None


def test_unreachable_candidates_say_why(ask, house_facts):
    facts = [*(f for f in house_facts if f != "in_room(crate, kitchen)")]
    given = {"serves_as(milk, drinking)": 1.0}
    result = ask('on(?x, shelf) and serves_as(?x, "drinking")', given, facts=facts)
    milk = next(c for c in result.candidates if c.binding == (("x", "milk"),))
    assert not milk.reachable
    assert milk.exact
    assert "on(milk, shelf)" in milk.reason


@pytest.mark.parametrize("options", [{"alpha": 1.01}, {"search": SearchOptions(weight=0.5)}])
def test_settings_out_of_range_are_invalid_requests(ask, options):
    result = ask("on(mug_1, shelf)", **options)
    assert result.status is PlanStatus.INVALID_REQUEST
    assert next(iter(options)) in result.message


@pytest.mark.parametrize("resources", [{"fuel": 1.0}, {"battery": float("nan")}])
def test_unknown_or_undefined_resources_are_invalid_requests(ask, resources):
    result = ask("on(mug_1, shelf)", resources=resources)
    assert result.status is PlanStatus.INVALID_REQUEST
    assert next(iter(resources)) in result.message


def test_an_unchecked_goal_about_unknown_elements_is_an_invalid_request(house, home, degrees):
    goal = Atom("on", (Constant("cup_9"), Constant("table")))
    result = plan(PlanningRequest(house, home, goal, PlanningOptions(), degrees()))
    assert result.status is PlanStatus.INVALID_REQUEST
    assert "cup_9" in result.message


def test_too_many_ways_to_bind_are_unsupported(ask, monkeypatch):
    monkeypatch.setattr("fcp_ros.planning.goal.grounding.MAX_BINDINGS", 2000)
    elements = {f"item_{i}": "item" for i in range(10)}
    names = "abcd"
    variables = ", ".join(f"?{n}: item" for n in names)
    body = " and ".join(f"on(?{n}, shelf)" for n in names)
    result = ask(f"exists {variables} ({body})", elements=elements)
    assert result.status is PlanStatus.UNSUPPORTED
    assert "2000 ways" in result.message


@pytest.mark.parametrize("heuristic", list(Heuristic))
@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_every_algorithm_finds_a_plan_with_every_heuristic(ask, algorithm, heuristic):
    given = {"can_grasp(bot, mug_1)": 0.9, "stable(shelf, mug_1)": 0.8}
    search = SearchOptions(algorithm, heuristic)
    result = ask("on(mug_1, shelf) and on(book, shelf)", given, search=search)
    assert result.status.solved, result.message
    assert result.plan.membership == pytest.approx(0.7)
    assert result.verification.ok
