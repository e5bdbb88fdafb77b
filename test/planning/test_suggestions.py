# SPDX-License-Identifier: Apache-2.0
"""Plans that somebody suggests: verified, judged and cut like any other; else there is a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from fcp_ros.cset import Instance
from fcp_ros.domain import Expression, check_goal, parse_expression, to_text
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, PlanStatus, plan
from fcp_ros.planning.model.plan import Suggestion
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.worlds import remove_asking


@dataclass
class ScriptedSuggester:
    """Suggests the same steps for each goal; notes the goals."""

    steps: tuple[tuple[str, tuple[str, ...]], ...] | None
    goals: list[str] = field(default_factory=list)

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Callable[[], None]
    ) -> Suggestion:
        check()
        assert 0.0 < seconds <= 20.0
        self.goals.append(to_text(goal))
        return Suggestion(self.steps, "tidy", ("Policy other was not used: it sleeps.",))


@pytest.fixture
def suggest(house, home, degrees):
    """Plans with a suggester: suggest(steps, goal, degrees, options...)."""

    def run(steps, text="on(mug_1, shelf)", given=None, **options):
        suggester = ScriptedSuggester(steps)
        session = PlanningSession(house, suggester=suggester)
        goal = check_goal(parse_expression(text), house, home, text)
        settings = PlanningOptions(**{"time_limit": 20.0, **options})
        return plan(
            PlanningRequest(house, home, goal, settings, degrees(given), session=session)
        ), suggester

    return run


def find_steps(suggest, text="on(mug_1, shelf)", given=None):
    """Return the steps of the plan that is searched."""
    result, _ = suggest(None, text, given)
    return tuple((s.rule, tuple(e for _, e in s.arguments)) for s in result.plan.steps)


def test_a_suggested_plan_is_verified_and_handed_out(suggest):
    steps = find_steps(suggest)
    result, suggester = suggest(steps)
    assert suggester.goals == ["on(mug_1, shelf)"]
    assert result.policy == "tidy"
    assert result.policy_notes == ("Policy other was not used: it sleeps.",)
    assert result.status.solved
    assert result.verification.ok
    assert result.plan.schedule is not None
    assert result.expansions == 0
    assert "tidy made this plan" in result.message


def test_without_a_suggestion_there_is_a_search(suggest):
    result, _ = suggest(None)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.policy == ""
    assert result.policy_notes == ("Policy other was not used: it sleeps.",)


def test_a_caller_may_search_in_any_case(house, home, degrees, suggest):
    suggester = ScriptedSuggester(find_steps(suggest))
    goal = check_goal(parse_expression("on(mug_1, shelf)"), house, home, "on(mug_1, shelf)")
    session = PlanningSession(house, suggester=suggester)
    options = PlanningOptions(time_limit=20.0)
    result = plan(
        PlanningRequest(
            house, home, goal, options, degrees(), session=session, take_suggestions=False
        )
    )
    assert result.policy == ""
    assert suggester.goals == []


def test_policies_are_asked_about_the_goal_as_stated_only(house, home, degrees):
    suggester = ScriptedSuggester(None)
    plan_goal(
        PlanningRequest(
            house,
            home,
            "on(mug_1, shelf) and inside(mug_1, crate)",
            PlanningOptions(time_limit=5.0, allow_relaxation=True),
            degrees(),
            session=PlanningSession(house, suggester=suggester),
        )
    )
    assert len(suggester.goals) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda steps: steps[:-1], "The verifier refused the plan"),
        (lambda steps: steps[1:], "The verifier refused the plan"),
        (lambda steps: (("fly", ("bot",)), *steps), "fly, which may not be planned with here"),
    ],
)
def test_a_wrong_suggestion_is_refused_with_the_reason(suggest, change, words):
    result, _ = suggest(change(find_steps(suggest)))
    assert result.policy == ""
    assert words in result.policy_notes[-1]
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.verification.ok


def test_a_suggested_plan_counts_only_if_it_reaches_alpha(suggest):
    goal = "on(mug_1, shelf)"
    steps = find_steps(suggest, goal)
    graded = {"can_grasp(bot, mug_1)": 0.6}
    low, _ = suggest(steps, goal, graded, alpha=0.5)
    assert low.policy == "tidy"
    membership = low.plan.membership
    assert membership < 1.0
    high, _ = suggest(steps, goal, graded, alpha=0.99)
    assert high.policy == ""
    assert f"membership {membership:.2f}, below alpha 0.99" in high.policy_notes[-1]


def test_the_part_of_a_session_has_the_suggester_too(house):
    suggester = ScriptedSuggester(None)
    session = PlanningSession(house, suggester=suggester)
    assert session.restrict(remove_asking).suggester is suggester
    fewer = dict(list(house.rules.items())[1:])

    def leave_out(domain):
        return type(domain)(**{**vars(domain), "rules": fewer})

    part = PlanningSession(house, suggester=suggester).restrict(leave_out)
    assert part.domain.rules == fewer
    assert part.suggester is suggester
