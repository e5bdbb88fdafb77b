# SPDX-License-Identifier: Apache-2.0
"""The best relaxation, beside planning every combination of choices: small random tasks."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_house import DOMAIN, ITEMS, SURFACES, Given, build

from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.fuzzy import EPSILON, tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, PlanStatus, plan
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import MembershipMemory
from fcp_ros.relaxation.engine import GoalRelaxation
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.worlds import PlanningWorld

CONJUNCTS = (
    "on(mug_1, table_1)",
    "on(mug_1, safe_1)",
    "on(book_1, shelf_1)",
    "holding(robot_1, mug_1)",
    "holding(robot_1, book_1)",
    "at(robot_1, kitchen_1)",
    "not on(mug_1, shelf_1)",
    "never at(robot_1, hall_1)",
    'on(?x, table_1) and is_a(?x, "vase")',
    'on(?y, shelf_1) and is_a(?y, "mug")',
    "exists ?p: plate (on(?p, safe_1))",
    "at least 2 ?m: mug (on(?m, table_1))",
    "at least 2 ?m: cup (on(?m, shelf_1))",
    "forall ?c: cup (on(?c, table_1))",
    "exists ?s: surface (at least 2 ?p: plate (on(?p, ?s)) and at least 1 ?b: book (on(?b, ?s)))",
    "first holding(robot_1, cup_1) then on(mug_1, safe_1) then on(book_1, table_1)",
)
MOST_NODES = 60


@pytest.fixture(scope="module")
def domain():
    return parse_domain(DOMAIN)


def search_exhaustively(domain, state, goal, options, source):
    """Plan every combination of choices; return the best membership that reaches alpha.

    A combination counts if its plan serves a purpose, and if no smaller set of its changes is
    enough. None if there are too many combinations.
    """
    memory, session = MembershipMemory(source), PlanningSession(domain)

    def make_proofs(of, instance):
        return GoalProofs(PlanningRequest(of.domain, instance, goal, options, memory), of)

    def attempt(wanted, settings, world):
        return plan(
            PlanningRequest(
                world.domain, world.instance, wanted, settings, memory, session=world.session
            )
        )

    here = PlanningWorld(state, session, make_proofs(session, state))
    relaxation = GoalRelaxation(domain, here, goal, options, make_proofs, attempt)
    lists = []
    for stream in relaxation.streams:
        numbers = itertools.takewhile(lambda n, s=stream: s.find(n) is not None, range(99))
        lists.append([stream.find(number) for number in numbers])
    count = 1
    for choices in lists:
        count *= len(choices)
    if count > MOST_NODES:
        return None
    enough, memberships = {}, {}
    for node in itertools.product(*(range(len(choices)) for choices in lists)):
        chosen = [choices[number] for choices, number in zip(lists, node, strict=True)]
        used = [element for choice in chosen for element in choice.uses]
        degree = tnorm_by_name(options.tnorm).compose_all(choice.degree for choice in chosen)
        if not any(node) or degree <= EPSILON or len(set(used)) < len(used):
            continue
        result = attempt(relaxation.assemble(chosen), options, here)
        if result.status.solved:
            enough[node] = True
            if relaxation.serves(result, chosen):
                memberships[node] = result.best_membership
    justified = [
        membership
        for node, membership in memberships.items()
        if not any(smaller in enough for smaller in list_smaller(node))
    ]
    return max(justified, default=0.0)


def list_smaller(node):
    options = [(number, 0) if number else (0,) for number in node]
    return [one for one in itertools.product(*options) if one != node and any(one)]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    chosen=st.lists(st.sampled_from(CONJUNCTS), min_size=1, max_size=3, unique=True),
    places=st.tuples(*(st.sampled_from(SURFACES) for _ in ITEMS)),
    two_rooms=st.booleans(),
    seed=st.integers(0, 6),
    alpha=st.sampled_from((0.2, 0.5, 0.7)),
    tnorm=st.sampled_from(("lukasiewicz", "product", "goedel")),
)
def test_the_best_relaxation_is_that_of_trying_everything(
    domain, chosen, places, two_rooms, seed, alpha, tnorm
):
    state = build(domain, places, two_rooms=two_rooms)
    text = " and ".join(f"({one})" for one in chosen)
    options = PlanningOptions(alpha=alpha, tnorm=tnorm, improve_time=60.0)
    result = plan_goal(PlanningRequest(domain, state, text, options, Given(seed)))
    unrelaxed = PlanningOptions(alpha=alpha, tnorm=tnorm, allow_relaxation=False)
    strict = plan_goal(PlanningRequest(domain, state, text, unrelaxed, Given(seed)))
    if strict.status.solved:
        assert result.relaxations == ()
        assert result.plan.steps == strict.plan.steps
        return
    goal = check_goal(parse_expression(text), domain, state, text)
    best = search_exhaustively(domain, state, goal, options, Given(seed))
    if best is None:
        return
    if best == 0.0:
        assert not result.status.solved
        assert result.status in (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert result.best_membership == pytest.approx(best, abs=1e-6)
    assert result.relaxations
    assert result.plan.steps
    assert result.verification.ok
