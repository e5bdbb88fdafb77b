# SPDX-License-Identifier: Apache-2.0
"""Goals with counts, preferences and constraints, without their variables."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal import ground_goal as module
from fcp_ros.planning.goal import grounding
from fcp_ros.planning.goal.formula import FALSE, TRUE
from fcp_ros.planning.goal.ground_goal import MAX_PREFERENCES, ground_goal
from fcp_ros.planning.goal.grounding import ConditionGrounding
from fcp_ros.planning.model.watch import Interrupted, Watch


@pytest.fixture
def ground(house, home):
    """Grounds a goal in the house."""

    def run(text):
        goal = check_goal(parse_expression(text), house, home, text)
        watch = Watch(PlanningOptions())
        return ground_goal(goal, infer_types(goal, house), house, home, watch)

    return run


def test_a_condition_is_plain(ground):
    assert ground("on(mug_1, shelf)").is_plain
    assert not ground("prefer 0.5: on(mug_1, shelf)").is_plain
    assert not ground("never on(mug_1, shelf)").is_plain


def test_what_is_static_is_settled(ground):
    found = ground("forall ?x: cup (prefer 0.1: is_a(?x, cup) and always is_a(?x, cup))")
    assert found.is_plain
    assert found.formula == TRUE
    assert ground("at least 99 ?x: cup (on(?x, shelf))").formula == FALSE
    assert ground("at least 0 ?x: cup (on(?x, shelf))").is_plain
    assert ground("at most 99 ?x: cup (on(?x, shelf))").is_plain


def test_a_constraint_that_is_stated_twice_is_followed_once(ground):
    found = ground("never on(mug_1, shelf) and prefer 0.5: never on(mug_1, shelf)")
    (constraint,) = found.constraints
    assert constraint.hard
    assert len(found.preferences) == 1


def test_preferences_are_one_for_each_element(ground):
    found = ground("forall ?x: cup (prefer 0.25 as shelved: on(?x, shelf))")
    cups = len(found.preferences)
    assert cups > 1
    assert {p.name for p in found.preferences} == {"shelved"}
    shared = ground("as many as possible ?x: cup (on(?x, shelf))")
    assert [p.weight for p in shared.preferences] == [1 / cups] * cups


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("as many as possible ?x: support (in_room(?x, hall) and dirty(?x))", [1 / 2] * 2),
        ("as many as possible ?x: item (not is_a(?x, cup) and on(?x, shelf))", [1 / 2] * 2),
        ("as many as possible ?x: item (initially (on(?x, table)) and on(?x, shelf))", [1 / 2] * 2),
        ("as many as possible ?x: support (in_room(?x, hall))", []),
        ("as many as possible ?x: electronics (dirty(?x) and is_a(?x, cup))", []),
        # One in the kitchen, two in the hall.
        (
            "forall ?r: room (as many as possible ?x: support (in_room(?x, ?r) and dirty(?x)))",
            [1, 1 / 2, 1 / 2],
        ),
        # Labels of the outer elements choose as well: two mugs, and no other cup or item.
        ("forall ?y: mug (as many as possible ?x: support (on(?y, ?x)))", [1 / 3] * 6),
    ],
)
def test_elements_are_chosen_by_what_never_changes(ground, text, weights):
    assert [preference.weight for preference in ground(text).preferences] == weights


def test_very_many_preferences_are_refused_in_a_sentence(ground, monkeypatch):
    monkeypatch.setattr(module, "MAX_PREFERENCES", 1)
    with pytest.raises(Interrupted, match="more than 1 preferences: narrow") as error:
        ground("forall ?x: cup (prefer 0.25: on(?x, shelf))")
    assert error.value.status is PlanStatus.UNSUPPORTED


LITERALS = st.sampled_from(
    [
        "on(?x, ?y)",
        "not on(?x, shelf)",
        "closed(?y)",
        "dirty(?y)",
        "is_a(?x, mug)",
        'not is_a(?x, "book")',
        "in_room(?y, hall)",
        "not in_room(?y, kitchen)",
        "exists ?v: item (on(?v, ?y) and is_a(?v, mug))",
        "forall ?w: support (in_room(?w, hall) or not on(?x, ?w))",
        "initially (on(?x, ?y))",
    ]
)
CONDITIONS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=4,
)
REQUIREMENTS = st.one_of(
    st.builds("prefer 0.01: {}".format, CONDITIONS),
    st.builds("prefer 0.01: always {}".format, CONDITIONS),
    st.builds("prefer 0.01: (sometime {} and {})".format, CONDITIONS, CONDITIONS),
    st.builds("at most once {}".format, CONDITIONS),
    st.builds("prefer 0.01: ({} before {})".format, CONDITIONS, CONDITIONS),
    st.builds("prefer 0.01: ({} after {})".format, CONDITIONS, CONDITIONS),
    st.builds("prefer 0.01: (first {} then {})".format, CONDITIONS, CONDITIONS),
    CONDITIONS,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUIREMENTS)
def test_bindings_that_demand_nothing_are_left_out_and_no_others(ground, requirement):
    text = f"forall ?x: item (forall ?y: support ({requirement}))"
    found = ground(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConditionGrounding, "_is_certain", lambda *_: False)
        assert ground(text) == found


def test_bindings_are_not_gone_through_once_static_facts_settle_them(ground, monkeypatch):
    text = """forall ?x: item, ?y: support, ?z: support
      (prefer 0.01: (not (is_a(?x, "book") and in_room(?y, hall)) or on(?x, ?z)))"""
    monkeypatch.setattr(grounding, "MAX_BINDINGS", 4 + 3 + 2 * 3)
    assert len(ground(text).preferences) == 2 * 3


# --- Goals that contradict themselves, or ask for too much: each has a status and a sentence


def test_preferences_of_one_name_add_up(ask):
    goal = "prefer 0.1 as calm: never at(bot, kitchen) and prefer 0.2 as calm: always at(bot, hall)"
    result = ask(goal)
    assert [one.name for one in result.given_up] == ["calm", "calm"]
    assert result.plan.membership == pytest.approx(0.7)


@pytest.mark.parametrize(
    "goal",
    [
        "prefer -0.1: on(mug_1, shelf)",
        "prefer 1.5: on(mug_1, shelf)",
        "prefer cost -3: on(mug_1, shelf)",
        "prefer nan: on(mug_1, shelf)",
        "prefer cost 1e400: on(mug_1, shelf)",
        "prefer: on(mug_1, shelf)",
        "prefer 0.1: prefer 0.1: on(mug_1, shelf)",
        "not (prefer 0.1: on(mug_1, shelf))",
        'always serves_as(mug_1, "drinking")',
    ],
)
def test_a_fault_is_shown_under_the_text(ask, goal):
    with pytest.raises(ExpressionError) as caught:
        ask(goal)
    assert caught.value.column > 0
    assert str(caught.value).rstrip().endswith("^")


def many_things(state, house, number):
    elements = {"kitchen": "room", "shelf": "support", "bot": "robot"}
    elements |= {f"item_{n}": "item" for n in range(number)}
    facts = ["at(bot, kitchen)", "in_room(shelf, kitchen)"]
    return state(house, elements, facts)


PAIRS = "forall ?x: item, ?y: item (prefer 0.1: (on(?x, shelf) or on(?y, shelf)))"


def test_too_many_preferences_are_refused(house, state, degrees):
    scene = many_things(state, house, 1 + int(MAX_PREFERENCES**0.5))
    result = plan(
        PlanningRequest(house, scene, parse_expression(PAIRS), PlanningOptions(), degrees())
    )
    assert result.status is PlanStatus.UNSUPPORTED
    assert f"more than {MAX_PREFERENCES} preferences" in result.message


@pytest.mark.parametrize(
    "goal",
    [
        PAIRS,
        "forall ?x: item, ?y: item (prefer 0.1: sometime (on(?x, shelf) or on(?y, shelf)))",
        "forall ?x: item, ?y: item (on(?x, shelf) before on(?y, shelf))",
    ],
)
@pytest.mark.parametrize("calls", [1, 3, 10])
def test_cancelling_ends_the_grounding_and_compiling_of_many(house, state, degrees, goal, calls):
    """The caller is asked every few milliseconds; here it says yes after so many times."""
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) >= calls

    scene = many_things(state, house, 100)
    checked = check_goal(parse_expression(goal), house, scene, goal)
    result = plan(
        PlanningRequest(house, scene, checked, PlanningOptions(), degrees(), cancelled=cancelled)
    )
    assert result.status is PlanStatus.CANCELLED
    assert len(asked) == calls
