# SPDX-License-Identifier: Apache-2.0
"""An `exists` whose conditions are relaxed one by one: names, nesting, constraints about it."""

from small_house import DOMAIN, ask, build, kinds

from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.relaxation.requirements import list_requirements, merge_nested

COVER = (
    'exists ?s: surface (is_a(?s, "shelf") and exists ?v: item (is_a(?v, "vase") and on(?v, ?s))'
    " and exists ?c: cup (on(?c, ?s)))"
)
FREE = DOMAIN.replace("drop: {on: 0.25", "drop: {on: 0.0")


def test_a_constraint_about_it_speaks_of_what_is_left():
    goal = f"{COVER} and on(plate_1, shelf_1) and {COVER} before on(plate_1, shelf_1)"
    places = ("table_1", "table_1", "table_1", "safe_1")
    result = ask(goal, domain=FREE, places=places, alpha=0.2)
    assert [one.kind for one in result.relaxations] == ["drop"], result.message
    left = 'exists ?s: surface (is_a(?s, "shelf") and exists ?c: cup (on(?c, ?s)))'
    assert f"{left} before on(plate_1, shelf_1)" in result.goal
    placed = [dict(s.arguments)["item"] for s in result.plan.steps if s.rule == "place"]
    assert placed[-1] == "plate_1"
    assert len(placed) == 2


def test_a_substitute_stands_in_the_constraint_too():
    goal = f"{COVER} and on(plate_1, shelf_1) and {COVER} before on(plate_1, shelf_1)"
    places = ("table_1", "table_1", "table_1", "safe_1")
    result = ask(goal, {("mug_1", "vase"): 0.9}, domain=FREE, places=places, alpha=0.2)
    assert kinds(result) == [("substitution", "mug_1")]
    before = result.goal[: result.goal.index(" before")]
    assert "on(mug_1, ?s)" in before
    placed = [dict(s.arguments)["item"] for s in result.plan.steps if s.rule == "place"]
    assert placed[-1] == "plate_1"


def test_a_name_that_another_part_uses_is_not_taken():
    other = "exists ?s: surface (on(plate_1, ?s)) before on(plate_1, shelf_1)"
    places = ("table_1", "table_1", "table_1", "safe_1")
    result = ask(f"{COVER} and {other}", domain=FREE, places=places, alpha=0.2)
    assert result.status.solved, result.message


def test_nested_kinds_are_one_exists():
    parsed = parse_domain(DOMAIN)
    state = build(parsed)
    goal = (
        'exists ?v: item (is_a(?v, "plate") and exists ?s: surface (is_a(?s, "shelf") and'
        " (on(?v, ?s) and on(mug_1, ?s))))"
    )
    checked = check_goal(parse_expression(goal), parsed, state, goal)
    (item,) = list_requirements(checked, {}, state, parsed).items
    assert [one.name for one in item.variables] == ["v", "s"]
    assert len(item.units) == 2


def test_what_is_more_than_a_kind_stays_nested():
    parsed = parse_domain(DOMAIN)
    state = build(parsed)
    for goal in (
        "exists ?s: surface (on(mug_1, ?s) and exists ?c: cup (on(?c, ?s)))",
        "exists ?s: surface (not exists ?c: thing (same(?c, ?s)) and exists ?c: cup (on(?c, ?s)))",
    ):
        checked = check_goal(parse_expression(goal), parsed, state, goal)
        assert merge_nested(checked, parsed.schema) == checked
