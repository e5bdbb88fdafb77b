# SPDX-License-Identifier: Apache-2.0
"""Goals that contradict themselves, or ask for too much: each has a status and a sentence."""

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal.ground_goal import MAX_PREFERENCES


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
