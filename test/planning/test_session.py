# SPDX-License-Identifier: Apache-2.0
"""The memory that requests share: what one of them does never shows in the answer to another."""

import threading
from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan
from fcp_ros.planning.model.request import never_cancel

GOALS = ("on(mug_1, shelf)", "exists ?x: cup (holding(bot, ?x))", "forall ?x: cup (on(?x, shelf))")


class TooLong(Exception):
    pass


def test_a_part_of_the_domain_is_prepared_once(house):
    session = PlanningSession(house)
    entered, awaited = threading.Event(), threading.Event()
    made = []

    def make(domain):
        made.append(replace(domain, name="part"))
        entered.set()
        assert awaited.wait(60.0)
        return made[-1]

    found = []
    thread = threading.Thread(target=lambda: found.append(session.restrict(make)))
    thread.start()
    assert entered.wait(60.0)

    def give_up():
        raise TooLong

    with pytest.raises(TooLong):  # the limits of this request, not of the one that it waits for
        session.restrict(make, give_up)
    second = session.restrict(make, awaited.set)
    thread.join(60.0)
    assert second is found[0]
    assert len(made) == 1


def test_preparing_a_part_of_the_domain_can_be_stopped(house):
    session = PlanningSession(house)

    def give_up():
        raise TooLong

    def make(domain):
        return replace(domain, name="part")

    with pytest.raises(TooLong):
        session.restrict(make, give_up)
    assert session.restrict(make).domain.name == "part"


@pytest.mark.parametrize("outer", GOALS)
@pytest.mark.parametrize("inner", GOALS)
def test_requests_that_interleave_get_the_answers_that_they_get_alone(
    house, home, state, degrees, outer, inner
):
    """In the middle of one request another one of the same session runs from start to end."""
    mine = {"kitchen": "room", "bot": "robot", "table": "support", "shelf": "support"}
    facts = ["at(bot, kitchen)", "in_room(table, kitchen)", "in_room(shelf, kitchen)"]
    other = state(house, {**mine, "mug_1": "cup"}, [*facts, "on(mug_1, table)"])

    def ask(goal, instance, session, cancelled=never_cancel):
        checked = check_goal(parse_expression(goal), house, instance, goal)
        result = plan(
            PlanningRequest(
                house,
                instance,
                checked,
                PlanningOptions(),
                degrees(),
                session=session,
                cancelled=cancelled,
            )
        )
        # Which of equally good plans it is may follow from the session: plans are used again.
        return result.status, len(result.plan.steps), result.plan.membership

    alone = [ask(outer, home, None), ask(inner, other, None)]
    calls = []
    ask(outer, home, None, lambda: bool(calls.append(None)))
    for number in range(min(len(calls), 8)):
        shared = PlanningSession(house)
        asked, within = [], []

        def interrupt(number=number, shared=shared, asked=asked, within=within):
            asked.append(None)
            if len(asked) == number + 1:
                within.append(ask(inner, other, shared))
            return False

        assert [ask(outer, home, shared, interrupt), *within] == alone
