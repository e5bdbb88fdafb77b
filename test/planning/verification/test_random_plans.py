# SPDX-License-Identifier: Apache-2.0
"""The verifier on random plans in random worlds: right ones pass, and every mutated one fails.

What a mutation leaves right by chance (two steps swapped that don't interfere) is told by
`Claims`, which knows nothing of the verifier.
"""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from plan_claims import Claims
from random_walks import Walker, timed
from random_worlds import DEGREES, atom, worlds

from fcp_ros.domain import parse_expression
from fcp_ros.fuzzy import Goedel, Hamacher, Lukasiewicz, Product
from fcp_ros.planning import verify
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.schedule import schedule_steps

TNORMS = (Lukasiewicz(), Product(), Goedel(), Hamacher(2.0))
MANY = settings(
    max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


class Given:
    """One right plan with all around it."""

    def __init__(self, domain, instance, source, claims, goal, plan):
        self.domain, self.instance, self.source = domain, instance, source
        self.claims, self.goal, self.plan = claims, goal, plan

    def verdict(self, plan, **options):
        return verify(
            options.pop("domain", self.domain),
            self.instance,
            plan,
            options.pop("goal", self.goal),
            self.source,
            alpha=options.pop("alpha", 0.0),
            **options,
        )

    @property
    def steps(self):
        return [(s.rule, tuple(name for _, name in s.arguments)) for s in self.plan.steps]


@st.composite
def right_plans(draw, degrees, least=1):
    """A right plan of some steps, scheduled where windows allow it, for what it brings about."""
    domain, instance = draw(worlds())
    domain = draw(timed(domain))
    given_degrees = {
        atom(predicate, names): draw(DEGREES)
        for predicate, names in (("g", ["a1"]), ("g", ["a2"]), ("h", ["a1", "b1"]))
    }
    source = degrees(given_degrees, default=0.95)
    claims = Claims(domain, instance, source, draw(st.sampled_from(TNORMS)))
    rng = random.Random(draw(st.integers(0, 1000)))
    _, walked = Walker(domain).walk(instance, rng, draw(st.integers(least, 6)))
    steps = [(step.rule, tuple(name for _, name in step.arguments)) for step in walked]
    plan = None
    goal = parse_expression(draw(st.sampled_from(["g(a1)", "h(a1, b1) or g(a2)"])))
    while plan is None and len(steps) >= least:
        plan = claims.plan(steps, goal)
        steps = steps[:-1]
    assume(plan is not None and len(plan.steps) >= least)
    schedule = schedule_steps(domain, instance, plan.steps)
    if isinstance(schedule, Schedule) and draw(st.booleans()):
        plan = replace(plan, schedule=schedule)
    return Given(domain, instance, source, claims, goal, plan)


@MANY
@given(data=st.data())
def test_right_plans_pass(degrees, data):
    right = data.draw(right_plans(degrees, least=0))
    plan = right.plan
    verdict = right.verdict(plan, alpha=plan.membership)
    assert verdict.problems == ()
    assert verdict.ok
    assert verdict.memberships == pytest.approx([step.membership_after for step in plan.steps])


# --- claims that are wrong, whatever the plan


def other(value):
    return value + 0.03 if value < 0.5 else value - 0.03


def step_changed(plan, index, **changes):
    steps = list(plan.steps)
    steps[index] = replace(steps[index], **changes)
    return replace(plan, steps=tuple(steps))


def renamed(plan, index, position, element):
    arguments = list(plan.steps[index].arguments)
    arguments[position] = (arguments[position][0], element)
    return step_changed(plan, index, arguments=tuple(arguments))


def judged_otherwise(judged):
    degree = other(judged.membership.degree)
    return replace(judged, membership=replace(judged.membership, degree=degree))


def with_judgements(plan, index, change):
    judgements = plan.steps[index].judgements
    return step_changed(plan, index, judgements=change(judgements)) if judgements else None


def with_goal_judgement(plan, _index):
    first, *rest = plan.goal_judgements
    return replace(plan, goal_judgements=(judged_otherwise(first), *rest))


def of_schedule(change):
    """A mutation of the schedule; None where there is none."""

    def mutated(plan, index):
        if plan.schedule is None:
            return None
        changes = change(plan, plan.schedule, index)
        return (
            None if changes is None else replace(plan, schedule=replace(plan.schedule, **changes))
        )

    return mutated


def changed(column, index, value):
    return (*column[:index], value, *column[index + 1 :])


def all_at_once(plan, schedule, _index):
    """Every step at once, though some share an agent or wait for each other."""
    busy = [agent for agents in schedule.agents for agent in agents]
    if len(set(busy)) == len(busy) and not schedule.order:
        return None
    ends = tuple(step.duration for step in plan.steps)
    nothing = (0.0,) * len(ends)
    return {"starts": nothing, "latest_starts": nothing, "ends": ends, "makespan": max(ends)}


CLAIMS = {
    "a degree": lambda p, i: step_changed(p, i, degree=other(p.steps[i].degree)),
    "a degree that is no number": lambda p, i: step_changed(p, i, degree=math.nan),
    "a membership": lambda p, i: step_changed(
        p, i, membership_after=other(p.steps[i].membership_after)
    ),
    "the membership": lambda p, _: replace(p, membership=other(p.membership)),
    "the goal's degree": lambda p, _: replace(p, goal_degree=other(p.goal_degree)),
    "an alpha that it doesn't reach": lambda p, _: (
        replace(p, alpha=p.membership + 0.01) if p.membership < 0.99 else None
    ),
    "an alpha that is no number": lambda p, _: replace(p, alpha=math.nan),
    "a duration": lambda p, i: replace(
        step_changed(p, i, duration=p.steps[i].duration + 0.5), schedule=None
    ),
    "a duration that is no number": lambda p, i: replace(
        step_changed(p, i, duration=math.nan), schedule=None
    ),
    "an executor": lambda p, i: step_changed(p, i, executor="somebody"),
    "a judgement": lambda p, i: with_judgements(
        p, i, lambda found: (judged_otherwise(found[0]), *found[1:])
    ),
    "a judgement too many": lambda p, i: with_judgements(p, i, lambda found: (*found, found[0])),
    "a judgement of the goal": with_goal_judgement,
    "a resource": lambda p, _: replace(
        p, resources_after={n: v + 1.0 for n, v in p.resources_after.items()}
    ),
    "an unknown resource": lambda p, _: replace(p, resources_after={"luck": 1.0}),
    "an unknown t-norm": lambda p, _: replace(p, tnorm="drastic"),
    "a binding to nothing": lambda p, _: replace(p, binding=(("x", "nobody"),)),
    "an unknown rule": lambda p, i: step_changed(p, i, rule="fly"),
    "no arguments": lambda p, i: step_changed(p, i, arguments=()),
    "other parameters": lambda p, i: step_changed(
        p, i, arguments=tuple((f"{n}_", e) for n, e in p.steps[i].arguments)
    ),
    "an unknown element": lambda p, i: renamed(p, i, 0, "nobody"),
    "an element of another type": lambda p, i: renamed(p, i, 0, "b1"),
    "a schedule of other steps": of_schedule(lambda _p, s, _i: {"starts": s.starts[1:]}),
    "a start before the plan": of_schedule(
        lambda p, s, i: {
            "starts": changed(s.starts, i, -1.0),
            "ends": changed(s.ends, i, p.steps[i].duration - 1.0),
            "makespan": max(changed(s.ends, i, p.steps[i].duration - 1.0)),
        }
    ),
    "a start that is no number": of_schedule(
        lambda _p, s, i: {"starts": changed(s.starts, i, math.nan)}
    ),
    "an end": of_schedule(lambda _p, s, i: {"ends": changed(s.ends, i, s.ends[i] + 0.5)}),
    "a latest start": of_schedule(
        lambda _p, s, i: {"latest_starts": changed(s.latest_starts, i, s.starts[i] - 0.5)}
    ),
    "a makespan": of_schedule(lambda _p, s, _i: {"makespan": s.makespan + 0.5}),
    "an agent": of_schedule(lambda _p, s, i: {"agents": changed(s.agents, i, ("nobody",))}),
    "an order of steps that aren't there": of_schedule(
        lambda p, s, _i: {"order": (*s.order, (0, len(p.steps)))}
    ),
    "everything at once": of_schedule(all_at_once),
}


@MANY
@given(data=st.data())
def test_wrong_claims_are_found(degrees, data):
    right = data.draw(right_plans(degrees))
    index = data.draw(st.integers(0, len(right.plan.steps) - 1))
    for name, mutation in CLAIMS.items():
        mutated = mutation(right.plan, index)
        if mutated is not None:
            verdict = right.verdict(mutated)
            assert not verdict.ok, name
            assert verdict.problems, name
            assert all(len(problem) > 10 for problem in verdict.problems)


# --- what is asked of a plan from outside


@MANY
@given(data=st.data())
def test_limits_are_kept(degrees, data):
    right = data.draw(right_plans(degrees))
    plan = right.plan
    end = (
        plan.schedule.makespan if plan.schedule else sum(step.duration for step in plan.steps) + 99
    )
    assert right.verdict(plan, deadline=end).ok
    assert "deadline" in right.verdict(plan, deadline=0.4).problems[-1]
    assert not right.verdict(plan, alpha=min(1.0, plan.membership + 1e-6)).ok or (
        plan.membership >= 1.0
    )
    rules = {
        name: replace(rule, window=replace(rule.window, closes=0.4))
        for name, rule in right.domain.rules.items()
    }
    closed = right.verdict(plan, domain=replace(right.domain, rules=rules))
    assert "outside its window" in closed.problems[-1]
    empty = right.verdict(plan, resources={"fuel": -100.0})
    if any(right.domain.rules[step.rule].uses.get("fuel") for step in plan.steps):
        assert "fuel would be" in " ".join(empty.problems)


# --- steps that are wrong, or right by chance


def without(steps, index, _names):
    return [*steps[:index], *steps[index + 1 :]]


def twice(steps, index, _names):
    return [*steps[: index + 1], *steps[index:]]


def swapped(steps, index, _names):
    index = min(index, len(steps) - 2)
    return [*steps[:index], steps[index + 1], steps[index], *steps[index + 2 :]]


def elsewhere(steps, index, names):
    rule, arguments = steps[index]
    place = names % len(arguments)
    kinds = (("a1", "a2"), ("b1", "b2"))
    others = next(kind for kind in kinds if arguments[place] in kind)
    moved = others[1 - others.index(arguments[place])]
    new = (*arguments[:place], moved, *arguments[place + 1 :])
    return [*steps[:index], (rule, new), *steps[index + 1 :]]


def backwards(steps, _index, _names):
    return steps[::-1]


@MANY
@given(data=st.data())
def test_other_steps_are_right_only_where_they_can_be_done(degrees, data):
    right = data.draw(right_plans(degrees, least=2))
    index = data.draw(st.integers(0, len(right.plan.steps) - 1))
    place = data.draw(st.integers(0, 5))
    for mutation in (without, twice, swapped, elsewhere, backwards):
        steps = mutation(right.steps, index, place)
        claimed = right.claims.plan(steps, right.goal)
        if claimed is not None:
            assert right.verdict(claimed).problems == ()
        else:
            wrong = replace(right.plan, steps=as_claimed(right, steps), schedule=None)
            assert not right.verdict(wrong).ok


def as_claimed(right, steps):
    """Plan steps that say of themselves what those of the right plan say."""
    known = {(s.rule, tuple(e for _, e in s.arguments)): s for s in right.plan.steps}
    made = []
    for name, arguments in steps:
        rule = right.domain.rules[name]
        bound = tuple(zip(rule.parameter_names, arguments, strict=True))
        new = PlanStep(name, bound, 1.0, 1.0, rule.duration.base, rule.executor)
        made.append(known.get((name, arguments), new))
    return tuple(made)
