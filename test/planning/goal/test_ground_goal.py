# SPDX-License-Identifier: Apache-2.0
"""Goals with counts, preferences and constraints, without their variables."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal import ground_goal as module
from fcp_ros.planning.goal import grounding
from fcp_ros.planning.goal.formula import FALSE, TRUE
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.goal.grounding import ConditionGrounding
from fcp_ros.planning.model.result import PlanStatus
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
