# SPDX-License-Identifier: Apache-2.0
"""The best of many alternatives: where it is looked for first changes nothing about it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions, PlanningSession
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.formula import find_wanted
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.judging.ranking import AlternativeRanking, RoundResult, search_alternatives
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.settings import Criterion, Objective, SearchOutcome
from fcp_ros.planning.task.task import Conditions

GOAL = 'on(?x, shelf) and serves_as(?x, "drinking")'
ITEMS = ("mug_1", "mug_2", "book", "milk", "cup_1", "cup_2")


@pytest.fixture
def cupboard(house, state):
    """Six things on a table; one of them is on the shelf already."""
    elements = {"kitchen": "room", "bot": "robot", "table": "support", "shelf": "support"}
    elements |= dict.fromkeys(ITEMS, "item")
    facts = ["at(bot, kitchen)", "in_room(table, kitchen)", "in_room(shelf, kitchen)"]
    facts += [f"on({item}, table)" for item in ITEMS[1:]]
    return state(house, elements, [*facts, f"on({ITEMS[0]}, shelf)"])


def search(task, objective, known):
    report = Portfolio(task, objective, incumbent=known).run(10**6)
    proven = report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)
    return RoundResult(report.best, report.bound, proven)


def encoded(domain, instance, judge, tnorm):
    goal = check_goal(parse_expression(GOAL), domain, instance, GOAL)
    watch = Watch(PlanningOptions())
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
    compiler = PlanningSession(domain).compiler
    task = compiler.task(instance, find_wanted(formula), Breadth.FULL, watch)
    alternatives = find_alternatives(formula, judge.find_degree, tnorm, task, watch)
    return encode(task, Conditions(task), alternatives, EncodeOptions(), watch)


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_it_is_the_best_of_all(degrees, house, cupboard, tnorm, data):
    """Some degrees are known, some are not; with and without a plan that is known."""
    degree = st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95, 1.0])
    source = degrees(
        {f"serves_as({i}, drinking)": data.draw(degree) for i in ITEMS}
        | {f"can_grasp(bot, {i})": data.draw(degree) for i in ITEMS}
        | {f"stable(shelf, {i})": data.draw(degree) for i in ITEMS}
    )
    judge = Judge(house, cupboard, source)
    atoms = [("serves_as", (i, "drinking")) for i in ITEMS]
    atoms += [("can_grasp", ("bot", i)) for i in ITEMS]
    atoms += [("stable", ("shelf", i)) for i in ITEMS]
    judge.judge(data.draw(st.lists(st.sampled_from(atoms), unique=True)))
    encoding = encoded(house, cupboard, judge, TNORMS[tnorm])
    task = encoding.with_losses(judge.find_degree, TNORMS[tnorm])
    finishes = [o for o, action in enumerate(encoding.actions) if action.finishes]
    candidates = AlternativeRanking(encoding.flat, finishes, TNORMS[tnorm].composition)
    candidates.learn(task)
    objective = Objective((Criterion.LOSS, Criterion.COST), TNORMS[tnorm].composition)
    expected = search(task, objective, None)
    found = search_alternatives(task, candidates, objective, None, search)
    assert found.proven
    assert expected.proven
    assert found.plan.loss == pytest.approx(expected.plan.loss, abs=1e-9)
    assert found.bound <= found.plan.loss + 1e-9
    again = search_alternatives(task, candidates, objective, found.plan, search)
    assert again.proven
    assert again.plan.loss == found.plan.loss
    # No bound is above what a plan of that alternative really costs.
    assert candidates.bound[found.plan.operators[-1]] <= found.plan.loss + 1e-9


def test_alternatives_that_can_not_be_better_are_not_contenders(degrees, house, cupboard):
    tnorm = TNORMS["lukasiewicz"]
    judge = Judge(house, cupboard, degrees({f"serves_as({i}, drinking)": 0.5 for i in ITEMS[2:]}))
    judge.judge(("serves_as", (item, "drinking")) for item in ITEMS)
    encoding = encoded(house, cupboard, judge, tnorm)
    task = encoding.with_losses(judge.find_degree, tnorm)
    finishes = [o for o, action in enumerate(encoding.actions) if action.finishes]
    candidates = AlternativeRanking(encoding.flat, finishes, tnorm.composition)
    candidates.learn(task)
    elements = [
        dict(encoding.alternatives[encoding.actions[o].alternative].binding)["x"]
        for o in candidates.list_contenders(0.4)
    ]
    assert elements == ["mug_1", "mug_2"], "the one that is there comes first"
    assert len(candidates.list_contenders(0.6)) == len(ITEMS)
    asked = list(
        candidates.list_questions(
            [],
            0.4,
            lambda o: [a for a in encoding.graded[o] if judge.find_degree(a) is None],
            number=1,
            asked=6,
        )
    )
    assert asked == [("stable", ("shelf", "mug_2"))], "it alone is open, from its end"
