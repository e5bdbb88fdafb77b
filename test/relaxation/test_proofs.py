# SPDX-License-Identifier: Apache-2.0
"""What is proven of parts of a goal, beside planning for each, and the identity of elements."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_house import DOMAIN, ITEMS, SURFACES, Given, build
from test_lattice_twin import CONJUNCTS

from fcp_ros.domain import check_goal, evaluate, infer_types, parse_domain, parse_expression
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.foundation.input_error import InputError
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, PlanStatus, plan
from fcp_ros.planning.conflicts import GoalProofs

PLACES = ("table_1", "shelf_1", "safe_1", "table_1")
SOURCE = Given(4)


@pytest.fixture(scope="module")
def domain():
    return parse_domain(DOMAIN)


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(st.sampled_from(CONJUNCTS), min_size=1, max_size=6, unique=True),
    places=st.tuples(*(st.sampled_from(SURFACES) for _ in ITEMS)),
)
def test_what_is_out_of_reach_has_no_plan(domain, texts, places):
    state = build(domain, places)
    session, options = PlanningSession(domain), PlanningOptions(alpha=0.0)
    proofs = GoalProofs(PlanningRequest(domain, state, "", options, SOURCE), session)
    goals = [check_goal(parse_expression(text), domain, state) for text in texts]
    types = {}
    for goal in goals:
        types.update(infer_types(goal, domain))
    for number in proofs.find_unreachable(goals, types):
        result = plan(
            PlanningRequest(domain, state, goals[number], options, SOURCE, session=session)
        )
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, texts[number]


def test_several_parts_are_looked_at_together(domain):
    state = build(domain, PLACES)
    request = PlanningRequest(domain, state, "", PlanningOptions(), SOURCE)
    proofs = GoalProofs(request, PlanningSession(domain))
    texts = ["on(mug_1, shelf_1)", "on(mug_1, safe_1)", "holding(robot_1, plate_1)"]
    goals = [check_goal(parse_expression(text), domain, state) for text in texts]
    assert proofs.find_unreachable(goals, {}) == {1, 2}  # the plate is in the safe


def test_a_conflict_names_positions(domain):
    state = build(domain, PLACES)
    request = PlanningRequest(domain, state, "", PlanningOptions(), SOURCE)
    proofs = GoalProofs(request, PlanningSession(domain))
    texts = ["on(cup_1, table_1)", "holding(robot_1, mug_1)", "holding(robot_1, book_1)"]
    goals = [check_goal(parse_expression(text), domain, state) for text in texts]
    assert proofs.find_conflict(goals, {}) == ((1, 2), True)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("same(mug_1, mug_1)", True),
        ("same(mug_1, cup_1)", False),
        ("on(?x, table_1) and on(?y, table_1) and not same(?x, ?y)", True),
        ("on(?x, shelf_1) and on(?y, shelf_1) and not same(?x, ?y)", False),
        ("exists ?x: cup (on(?x, table_1) and not same(?x, mug_1))", False),
        ("at least 2 ?x: item (on(?x, table_1) and not same(?x, plate_1))", True),
    ],
)
def test_identity_is_evaluated_and_planned_alike(domain, text, holds):
    state = build(domain, PLACES)
    goal = check_goal(parse_expression(text), domain, state, text)
    types = infer_types(goal, domain)
    tnorm = tnorm_by_name("lukasiewicz")
    assert evaluate(goal, state, lambda *_: None, tnorm, types=types) == float(holds)
    result = plan(PlanningRequest(domain, state, goal, PlanningOptions(), SOURCE))
    if holds:
        assert result.plan.steps == ()
        assert result.verification.ok
    else:
        assert result.plan is None or result.plan.steps


def test_a_shifted_element_keeps_what_is_true_of_it(domain):
    state = build(domain, PLACES)
    shifted, other = shift_elements(domain, state, [("cup_1", "plate")])
    element = other.id_of("cup_1")
    assert shifted.schema.is_subtype(other.type_of(element), "plate")
    assert shifted.schema.is_subtype(other.type_of(element), "cup")
    assert len(other.tuples("on")) == len(state.tuples("on"))
    assert shift_elements(domain, state, []) == (domain, state)
    assert shift_elements(domain, state, [("cup_1", "item")])[1].type_of(element) == "cup"


@pytest.mark.parametrize("shift", [("cup_9", "plate"), ("cup_1", "plat")])
def test_an_unknown_shift_is_refused(domain, shift):
    state = build(domain, PLACES)
    with pytest.raises(InputError, match="There is no"):
        shift_elements(domain, state, [shift])
