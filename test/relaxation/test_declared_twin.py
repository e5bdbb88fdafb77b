# SPDX-License-Identifier: Apache-2.0
"""The best relaxation, beside trying all that the domain declares; order constraints included.

Unlike in test_lattice_twin.py, the choices are listed without the engine (declared_choices.py).
"""

import pytest
from declared_choices import EPSILON, LABELS, Order, Setting, Wish
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from small_house import DOMAIN, ITEMS, SURFACES, Given, build
from test_lattice_twin import list_smaller

from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, PlanStatus, plan
from fcp_ros.planning.model.memberships import MembershipMemory
from fcp_ros.relaxation.plan_goal import plan_goal

MOST_NODES = 60
WISHES = tuple(
    [Wish("on", item, surface) for item in LABELS for surface in SURFACES]
    + [Wish("holding", item) for item in LABELS]
)
HARD = ("not on(mug_1, shelf_1)", "never at(robot_1, hall_1)", "not holding(robot_1, book_1)")


@pytest.fixture(scope="module")
def domain():
    return parse_domain(DOMAIN)


def find_best(setting, domain, state, source, options):
    """Try every combination; None if there are too many."""
    memory, session = MembershipMemory(source), PlanningSession(domain)
    nodes = list(setting.list_combinations())
    if len(nodes) > MOST_NODES:
        return None
    enough, served = set(), {}
    for node, chosen, text in nodes:
        degree = setting.find_degree(chosen)
        kept = [c for c in chosen[: len(setting.wishes)] if not c.is_dropped]
        if degree <= EPSILON or not text:
            continue
        goal = check_goal(parse_expression(text), domain, state, text)
        result = plan(
            PlanningRequest(domain, state, goal, options.with_alpha(0.0), memory, session=session)
        )
        assert result.status in (PlanStatus.SOLVED_OPTIMALLY, PlanStatus.UNSOLVABLE_PROVEN), text
        if not result.status.solved:
            continue
        membership = setting.compose([degree, result.best_membership])
        if membership < setting.alpha - EPSILON:
            continue
        enough.add(node)
        if serves(result, state, [c.brings for c in kept if c.brings]):
            served[node] = membership
    justified = [
        membership
        for node, membership in served.items()
        if not any(smaller in enough for smaller in list_smaller(node))
    ]
    return max(justified, default=0.0)


def serves(result, state, wanted):
    """Return True if a plan brings about one of the facts."""
    before, after = (set(list_facts(one)) for one in (state, result.verification.final))
    return any(
        relation == fact[0] and item in fact and (not surface or surface in fact)
        for relation, item, surface in wanted
        for fact in after - before
    )


def list_facts(state):
    for relation in ("on", "holding"):
        for legs in state.tuples(relation).values():
            yield (relation, *map(state.name_of, legs))


@st.composite
def draw_goals(draw):
    wishes = tuple(draw(st.lists(st.sampled_from(WISHES), min_size=1, max_size=3, unique=True)))
    hard = tuple(draw(st.lists(st.sampled_from(HARD), max_size=1)))
    order = None
    if len(wishes) > 1 and draw(st.booleans()):
        order = Order(draw(st.sampled_from(("before", "first"))), *wishes[:2])
    return wishes, hard, order


@settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
@given(
    goal=draw_goals(),
    places=st.tuples(*(st.sampled_from(SURFACES) for _ in ITEMS)),
    two_rooms=st.booleans(),
    seed=st.integers(0, 6),
    alpha=st.sampled_from((0.2, 0.5, 0.7)),
    tnorm=st.sampled_from(("lukasiewicz", "product", "goedel")),
)
def test_the_best_relaxation_is_that_of_trying_all_that_is_declared(
    domain, goal, places, two_rooms, seed, alpha, tnorm
):
    wishes, hard, order = goal
    state = build(domain, places, two_rooms=two_rooms)
    texts = [*(wish.text for wish in wishes), *([order.text] if order else []), *hard]
    text = " and ".join(f"({one})" for one in texts)
    options = PlanningOptions(alpha=alpha, tnorm=tnorm, improve_time=60.0)
    source = Given(seed)

    def degree_of(item, label):
        return source.find_degree("suitable_substitute", item, label)

    initial = frozenset(f"on({item}, {place})" for item, place in zip(ITEMS, places, strict=True))
    compose = tnorm_by_name(tnorm).compose_all
    setting = Setting(wishes, order, hard, initial, degree_of, alpha, compose)
    result = plan_goal(PlanningRequest(domain, state, text, options, source))
    strict = PlanningOptions(alpha=alpha, tnorm=tnorm, allow_relaxation=False)
    assume(not plan_goal(PlanningRequest(domain, state, text, strict, Given(seed))).status.solved)
    best = find_best(setting, domain, state, Given(seed), options)
    assume(best is not None)
    if best == 0.0:
        assert result.status in (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert result.best_membership == pytest.approx(best, abs=1e-6)
