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


def test_a_crisp_goal_is_reached_by_the_shortest_plan(ask):
    result = ask("on(mug_1, shelf)")
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert steps(result) == [
        "pick(bot, mug_1, table, kitchen)",
        "go(bot, kitchen, hall, door_1)",
        "place(bot, mug_1, shelf, hall)",
    ]
    assert result.verification is not None
    assert result.verification.ok
    assert result.plan.membership == 1.0
    assert result.plan.resources_after == {"battery": 96.0}


def test_closed_things_are_opened_before_the_hand_is_full(ask, house_facts):
    result = ask("on(milk, shelf)", facts=[*house_facts, "closed(door_1)", "in_room(door_1, hall)"])
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN  # the door is worked from the hall only
    result = ask(
        "on(milk, shelf)", facts=[*house_facts, "closed(door_1)", "in_room(door_1, kitchen)"]
    )
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    names = [step.rule for step in result.plan.steps]
    assert sorted(names) == ["go", "open", "open", "place", "take_out"]
    assert names.index("take_out") > 1


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


def test_a_worse_step_is_avoided_by_a_detour(ask):
    given = {"stable(shelf, mug_1)": 0.5}
    result = ask("not on(mug_1, table)", given)
    assert steps(result) == ["pick(bot, mug_1, table, kitchen)"]
    result = ask("on(mug_1, ?s) and not on(mug_1, table)", given)
    assert result.plan.membership == 1.0
    assert result.plan.binding == (("s", "tv"),)


def test_equal_candidates_take_the_nearer_one(ask, house_facts):
    facts = [fact.replace("at(bot, kitchen)", "at(bot, hall)") for fact in house_facts]
    result = ask('on(?x, tv) and is_a(?x, "mug")', facts=facts)
    assert steps(result) == ["pick(bot, mug_2, shelf, hall)", "place(bot, mug_2, tv, hall)"]


def test_a_goal_that_holds_needs_no_step(ask):
    result = ask("on(mug_1, table) and not closed(door_1)")
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.plan.steps == ()
    assert "holds already" in result.message


def test_no_step_is_superfluous(ask):
    result = ask("on(mug_1, shelf) and on(milk, table) and on(book, shelf) and at(bot, kitchen)")
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    # open, take_out, place for the milk; pick, go, place, go for each of the others
    assert len(result.plan.steps) == 3 + 2 * 4


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


def test_a_functional_leg_keeps_the_hand_from_taking_two(ask):
    # `pick` does not ask for an empty hand: only `functional: [robot]` of `holding` does.
    result = ask("holding(bot, mug_1) and holding(bot, book)")
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    result = ask("on(mug_1, shelf) and on(book, shelf)")
    held = 0
    for step in result.plan.steps:
        held += {"pick": 1, "place": -1}.get(step.rule, 0)
        assert held <= 1


def test_a_constraint_forbids_what_it_names(ask):
    result = ask("on(milk, tv)")
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert ask("on(mug_1, tv)").status is PlanStatus.SOLVED_OPTIMALLY


def test_a_constraint_that_is_broken_already_does_not_stop_everything(ask, house_facts):
    facts = [*(f for f in house_facts if "milk" not in f), "on(milk, tv)"]
    assert ask("on(mug_1, shelf)", facts=facts).status is PlanStatus.SOLVED_OPTIMALLY
    assert ask("on(milk, shelf)", facts=facts).status is PlanStatus.SOLVED_OPTIMALLY


def test_existential_negation_what_carries_something_is_unloaded_first(ask, house_facts):
    elements = {"tray": "tray"}
    facts = [
        *(f for f in house_facts if f != "on(mug_1, table)"),
        "on(tray, table)",
        "on(mug_1, tray)",
        "in_room(tray, kitchen)",
    ]
    result = ask("on(tray, shelf)", elements=elements, facts=facts)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert steps(result)[0] == "pick(bot, mug_1, tray, kitchen)"


def test_a_short_battery_makes_a_worse_choice_the_best_one(ask):
    given = {"serves_as(mug_2, drinking)": 0.9, "serves_as(mug_1, drinking)": 0.7}
    goal = 'on(?x, table) and is_a(?x, "mug") and serves_as(?x, "drinking")'
    assert ask(goal, given).plan.binding == (("x", "mug_2"),)  # uses 6
    assert ask(goal, given, resources={"battery": 5.0}).plan.binding == (("x", "mug_1"),)


def test_a_battery_that_is_used_up_exactly(ask):
    result = ask("on(mug_1, shelf) and on(mug_2, table)", resources={"battery": 8.0})
    assert result.status is PlanStatus.SOLVED_OPTIMALLY  # 2 + 1 + 1 + 2 + 1 + 1, either order
    assert result.plan.resources_after["battery"] == pytest.approx(0.0)
    result = ask("on(mug_1, shelf) and on(mug_2, table)", resources={"battery": 7.0})
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN


# --- goals


# --- the paper's figures


@pytest.mark.parametrize(("count", "expected"), [(4, 0.2), (5, 0.0), (6, 0.0)])
def test_degradation_of_the_paper(ask, count, expected):
    # An item for each step of degree 0.8, on shelves that cost nothing.
    elements = {f"item_{i}": "item" for i in range(count)}
    facts = ["at(bot, kitchen)", "in_room(table, kitchen)", "in_room(shelf, kitchen)"]
    facts += [f"on(item_{i}, table)" for i in range(count)]
    given = {f"can_grasp(bot, item_{i})": 0.8 for i in range(count)}
    goal = " and ".join(f"on(item_{i}, shelf)" for i in range(count))
    result = ask(goal, given, elements=elements, facts=facts, alpha=0.0)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.plan.membership == pytest.approx(expected)
    refused = ask(goal, given, elements=elements, facts=facts, alpha=0.3)
    assert refused.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert refused.plan is None
    assert refused.best_membership == pytest.approx(expected)


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


def test_alpha_is_reached_within_the_tolerance(ask):
    given = {"can_grasp(bot, mug_1)": 0.9, "stable(shelf, mug_1)": 0.8}
    assert ask("on(mug_1, shelf)", given, alpha=0.7).status is PlanStatus.SOLVED_OPTIMALLY
    assert ask("on(mug_1, shelf)", given, alpha=0.71).status is PlanStatus.UNSOLVABLE_AT_ALPHA


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
