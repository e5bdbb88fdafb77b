# SPDX-License-Identifier: Apache-2.0
"""Verify a plan by replaying it, times and deadlines included.

It is small and obvious on purpose. It knows nothing of the encoded task or of the search. The time
that it takes depends on the plan, not on the size of the state.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.resolution import infer_types, open_goal
from fcp_ros.domain.expressions.structure import split_goal
from fcp_ros.domain.expressions.syntax import And, Expression, to_text
from fcp_ros.domain.expressions.trajectories import round_time
from fcp_ros.domain.model import Domain, Window
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.fuzzy import EPSILON, TNorm, reaches, tnorm_by_name
from fcp_ros.grounding.judgement import JudgementRequest, build_request
from fcp_ros.planning.model.chunks import NotAChunk, find_step_atoms
from fcp_ros.planning.model.ground_step import (
    Agents,
    GroundStep,
    compute_duration,
    find_unknown_budgets,
    measure_uses,
)
from fcp_ros.planning.model.memberships import Judge, MembershipMemory, MembershipSource
from fcp_ros.planning.model.plan import Plan, PlanStep, Schedule
from fcp_ros.planning.model.result import Verdict
from fcp_ros.planning.verification.stepping import Replay, StepRules

TOLERANCE = 1e-6
"""Times that differ by less count as equal (s); messages carry nanoseconds."""


def find_wrong_times(
    domain: Domain, instance: Instance, plan: Plan, deadline: float
) -> Iterator[str]:
    """Yield what is wrong with the times of a plan, one clause each.

    Without a schedule the steps run one after the other, and wait for their windows.
    """
    for number, step in enumerate(plan.steps, start=1):
        rule = domain.rules[step.rule]
        expected = compute_duration(rule, step.elements, instance)
        if not abs(step.duration - expected) <= TOLERANCE:
            yield (
                f"step {number} {step}: its duration is {expected:g} s, "
                f"not {step.duration:g} s as claimed"
            )
    windows = [domain.rules[step.rule].window for step in plan.steps]
    starts: Sequence[float]
    ends: Sequence[float]
    if plan.schedule is None:
        starts, ends = _time_sequence(plan.steps, windows)
    else:
        wrong = list(_find_wrong_schedule(plan.steps, plan.schedule, Agents(domain, instance)))
        if wrong:
            yield from wrong
            return
        starts, ends = plan.schedule.starts, plan.schedule.ends
    for number, (step, window) in enumerate(zip(plan.steps, windows, strict=True)):
        if starts[number] < window.opens - TOLERANCE or ends[number] > window.closes + TOLERANCE:
            yield (
                f"step {number + 1} {step}: it would run from {starts[number]:g} s to "
                f"{ends[number]:g} s, outside its window [{window.opens:g}, {window.closes:g}]"
            )
    end = max(ends, default=0.0)
    if end > deadline + TOLERANCE:
        yield f"it ends after {end:g} s, beyond the deadline of {deadline:g} s"


def find_reached(domain: Domain, plan: Plan, order: Sequence[int]) -> tuple[Fraction, ...]:
    """Find the times (s, rounded) at which the states of a plan are reached: the ends of its steps.

    Args:
        order: of the steps; a state is reached when all steps up to it have ended.
    """
    ends = () if plan.schedule is None else plan.schedule.ends
    if len(ends) != len(plan.steps):
        windows = [domain.rules[step.rule].window for step in plan.steps]
        _, ends = _time_sequence(plan.steps, windows)
    # What is no time is reported by `find_wrong_times`.
    known = (ends[step] if math.isfinite(ends[step]) else 0.0 for step in order)
    return tuple(map(round_time, accumulate(known, max, initial=0.0)))


def sort_steps(times: Sequence[float], plan: Plan) -> list[int]:
    """Sort the steps of a scheduled plan by some of its times; ties as in the schedule."""
    assert plan.schedule is not None
    starts, ends = plan.schedule.starts, plan.schedule.ends
    return sorted(
        range(len(times)), key=lambda step: (times[step], starts[step] + ends[step], step)
    )


def _time_sequence(
    steps: Sequence[PlanStep], windows: Sequence[Window]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    starts: list[float] = []
    ends: list[float] = []
    clock = 0.0
    for step, window in zip(steps, windows, strict=True):
        starts.append(max(clock, window.opens))
        clock = starts[-1] + step.duration
        ends.append(clock)
    return tuple(starts), tuple(ends)


def _find_wrong_schedule(
    steps: Sequence[PlanStep], schedule: Schedule, agents: Agents
) -> Iterator[str]:
    columns = (schedule.starts, schedule.ends, schedule.latest_starts, schedule.agents)
    if any(len(column) != len(steps) for column in columns):
        yield f"the schedule is not one of {len(steps)} steps"
        return
    for number, step in enumerate(steps):
        start, end = schedule.starts[number], schedule.ends[number]
        where = f"step {number + 1} {step}: the schedule"
        if not abs(end - start - step.duration) <= TOLERANCE:
            yield f"{where} ends it after {end - start:g} s; it takes {step.duration:g} s"
        if not schedule.latest_starts[number] >= start - TOLERANCE:
            yield f"{where} has its latest start before its earliest"
        if set(schedule.agents[number]) != set(agents.of(step)):
            yield f"{where} gives it to {', '.join(schedule.agents[number]) or 'nobody'}"
    makespan = max(schedule.ends, default=0.0)
    if not abs(schedule.makespan - makespan) <= TOLERANCE:
        yield f"the schedule ends after {makespan:g} s, not {schedule.makespan:g} s as claimed"
    everyone = range(len(steps))
    for before, after in schedule.order:
        if before not in everyone or after not in everyone:
            yield f"the schedule orders steps {before + 1} and {after + 1}, which do not exist"
        elif schedule.ends[before] > schedule.starts[after] + TOLERANCE:
            yield f"step {after + 1} starts before step {before + 1} has ended, which it waits for"
    steps_of: dict[str, list[int]] = {}
    for number in everyone:
        for agent in dict.fromkeys(schedule.agents[number]):
            steps_of.setdefault(agent, []).append(number)
    for agent, own in sorted(steps_of.items()):
        own.sort(key=lambda number: (schedule.starts[number], schedule.ends[number]))
        longest = own[0]  # of the steps so far, the one that ends last
        for number in own[1:]:
            if _overlap(schedule, longest, number):
                yield f"{agent} has steps {longest + 1} and {number + 1} at once"
            longest = max(longest, number, key=schedule.ends.__getitem__)


def _overlap(schedule: Schedule, one: int, other: int) -> bool:
    begins = max(schedule.starts[one], schedule.starts[other])
    return begins < min(schedule.ends[one], schedule.ends[other]) - TOLERANCE


def find_overruns(domain: Domain, plan: Plan, budgets: Mapping[str, float]) -> Iterator[str]:
    """Yield one clause for each budget that a plan does not keep.

    A schedule must keep them in its own order and in those of its starts and ends.
    """
    unknown = find_unknown_budgets(budgets, domain)
    yield from unknown
    if unknown or not budgets:
        return
    for steps in _list_orders(plan):
        found = measure_uses(steps, plan.end, budgets, domain)
        over = {name: use for name, use in found.items() if use > budgets[name] + TOLERANCE}
        for name, use in over.items():
            yield f"it uses {name} {use:g}, beyond its budget of {budgets[name]:g}"
        if over:
            return


def _list_orders(plan: Plan) -> Iterator[Sequence[PlanStep]]:
    yield plan.steps
    if plan.schedule is not None:
        for times in (plan.schedule.starts, plan.schedule.ends):
            yield [plan.steps[number] for number in sort_steps(times, plan)]


def find_wrong_omissions(
    goal: Expression, plan: Plan, budgets: Mapping[str, float], domain: Domain, instance: Instance
) -> Iterator[str]:
    """Yield what is wrong with the parts of the goal that a plan leaves out, one clause each."""
    if not plan.left_out:
        return
    if not budgets:
        yield "it leaves out parts of the goal, but has no budget to do so for"
    parts = split_goal(goal, infer_types(goal, domain), instance).optional
    optional = {to_text(part) for part in parts}
    for text in plan.left_out:
        if text not in optional:
            yield f"it leaves out {text}, which is no part of the goal that may be left out"
    if len(set(plan.left_out)) != len(plan.left_out):
        yield "it leaves out a part of the goal twice"
    if optional <= set(plan.left_out):
        yield "it leaves out all parts of the goal"


def verify(
    domain: Domain,
    instance: Instance,
    plan: Plan,
    goal: Expression,  # the checked goal that it is meant to reach
    # what degrees are compared with: the answers that a planning request was given, or a live
    # source to judge the plan again
    memberships: MembershipSource,
    *,
    alpha: float,
    resources: Mapping[str, float] | None = None,
    deadline: float = math.inf,
    # how much the plan may use; None takes those that it names itself
    budgets: Mapping[str, float] | None = None,
    # the domain's rules, for a caller that verifies more than once: preparing them takes longer
    # than replaying most plans
    rules: StepRules | None = None,
    check: Check = never_stop,
) -> Verdict:
    """Check everything that a plan claims.

    Returns:
        the verdict; never raises for a wrong plan.
    """
    try:
        tnorm = tnorm_by_name(plan.tnorm)
    except ValueError as error:
        return Verdict(False, (str(error),), (), None)
    rules = StepRules(domain) if rules is None else rules
    verifier = _Verifier(domain, rules, instance, plan, tnorm, memberships, check)
    left = {name: r.initial for name, r in domain.resources.items()} | dict(resources or {})
    # All states stay until the end: the cyclic garbage collector would only search them in vain.
    with pause_garbage_collection():
        kept = plan.budgets if budgets is None else budgets
        return verifier.run(goal, (alpha, plan.alpha), left, deadline, kept)


class _Verifier:
    def __init__(
        self,
        domain: Domain,
        rules: StepRules,
        instance: Instance,
        plan: Plan,
        tnorm: TNorm,
        source: MembershipSource,
        check: Check,
    ) -> None:
        self._domain = domain
        self._replay = Replay(domain, rules, check)
        self._instance = instance
        self._plan = plan
        self._tnorm = tnorm
        self._memory = MembershipMemory(source)
        self._check = check
        self._problems: list[str] = []

    def run(
        self,
        goal: Expression,
        cuts: Sequence[float],
        resources: Mapping[str, float],
        deadline: float,
        budgets: Mapping[str, float],
    ) -> Verdict:
        steps = [(f"step {n} {step}", step) for n, step in enumerate(self._plan.steps, start=1)]
        replayed = self._replay.run(self._instance, steps, resources)
        self._problems.extend(replayed.problems)
        degrees = self._check_steps(steps, replayed.states[:-1])
        memberships = compose_running(degrees, self._tnorm)
        for (where, step), membership in zip(steps, memberships, strict=False):
            self._compare(f"{where}: the membership after it", step.membership_after, membership)
        if not replayed.complete:
            return Verdict(False, tuple(self._problems), memberships, None)
        final = replayed.states[-1]
        wrong = find_wrong_omissions(goal, self._plan, budgets, self._domain, self._instance)
        self._problems.extend(wrong)
        self._check_goal(goal, replayed.states, degrees, cuts)
        self._check_amounts(replayed.left)
        self._problems.extend(find_overruns(self._domain, self._plan, budgets))
        self._check_times(goal, resources, deadline)
        return Verdict(not self._problems, tuple(self._problems), memberships, final)

    # --- degrees

    def _check_steps(
        self, steps: Sequence[tuple[str, PlanStep]], states: Sequence[Instance]
    ) -> list[float]:
        """Find the degrees of the steps that could be done, and compare them with the plan's."""
        taken = [(step, state) for (_, step), state in zip(steps, states, strict=False)]
        found = []
        try:
            judged = judge_steps(self._domain, taken, self._memory, self._check)
        except NotAChunk as error:
            self._problems.append(str(error))
            return []
        for (where, step), degrees in zip(steps, judged, strict=False):
            degree = self._tnorm.compose_all(degrees)
            self._compare(f"{where}: its degree", step.degree, degree)
            if step.judgements and len(step.judgements) != len(degrees):
                self._problems.append(f"{where}: it rests on {len(degrees)} judgements")
            for claim, actual in zip(step.judgements, degrees, strict=False):
                self._compare(f"{where}: {claim.request}", claim.membership.degree, actual)
            executor = self._domain.rules[step.rule].executor
            if step.executor != executor:
                self._problems.append(f"{where}: its executor is {executor}, not {step.executor}")
            found.append(degree)
        return found

    def _check_goal(
        self,
        goal: Expression,
        states: Sequence[Instance],
        degrees: Sequence[float],
        cuts: Sequence[float],
    ) -> None:
        judge = Judge(self._domain, states[-1], self._memory, self._check)
        unknown = sorted(e for _, e in self._plan.binding if not states[-1].has(e))
        if unknown:
            self._problems.append(f"the binding names {', '.join(unknown)}, which do not exist")
            return
        degree = self._value_goal(goal, states, judge, range(len(self._plan.steps)))
        self._compare("the goal's degree", self._plan.goal_degree, degree)
        for claim in self._plan.goal_judgements:
            actual = judge.degree(*claim.atom)
            self._compare(str(claim.request), claim.membership.degree, actual)
        membership = self._tnorm.compose_all([*degrees, degree])
        self._compare("the plan's membership", self._plan.membership, membership)
        for alpha in dict.fromkeys(cuts):
            if not reaches(membership, alpha):
                self._problems.append(f"its membership {membership:.3g} does not reach {alpha:g}")

    def _value_goal(
        self, goal: Expression, states: Sequence[Instance], judge: Judge, order: Sequence[int]
    ) -> float:
        """Find the degree of the goal; `order` is that of the steps that led to the states."""
        reached = find_reached(self._domain, self._plan, order)
        return value_goal(goal, self._plan, states, judge, self._domain, self._tnorm, reached)

    # --- resources, times

    def _check_amounts(self, left: Mapping[str, float]) -> None:
        for name, value in self._plan.resources_after.items():
            self._compare(f"{name} at the end", value, left.get(name, math.nan))

    def _check_times(
        self, goal: Expression, resources: Mapping[str, float], deadline: float
    ) -> None:
        """Check windows and deadline; a schedule must work in the order of its starts and ends."""
        wrong = list(find_wrong_times(self._domain, self._instance, self._plan, deadline))
        self._problems.extend(wrong)
        schedule = self._plan.schedule
        if schedule is None or wrong:
            return
        for what, times in (("starts", schedule.starts), ("ends", schedule.ends)):
            order = sort_steps(times, self._plan)
            if order == sorted(order):
                continue
            steps = [
                (f"in the order of {what}, step {n + 1} {step}", step)
                for n, step in ((n, self._plan.steps[n]) for n in order)
            ]
            replayed = self._replay.run(self._instance, steps, resources)
            self._problems.extend(replayed.problems)
            if replayed.complete:
                judge = Judge(self._domain, replayed.states[-1], self._memory, self._check)
                degree = self._value_goal(goal, replayed.states, judge, order)
                self._compare(
                    f"the goal's degree in the order of {what}", self._plan.goal_degree, degree
                )

    def _compare(self, what: str, claimed: float, actual: float) -> None:
        if not abs(claimed - actual) <= EPSILON:
            self._problems.append(f"{what} is {actual:.6g}, not {claimed:.6g} as claimed")


# --- degrees of the steps and the goal of a plan, from the judgements that it rests on


def judge_steps(
    domain: Domain,
    taken: Sequence[tuple[PlanStep, Instance]],
    memory: MembershipMemory,  # the answers; what it does not know is asked for in one go
    check: Check,
) -> list[list[float]]:
    """Return the degree of each graded atom of each step."""
    requests = _requests(domain, taken)
    answers = iter(memory.judge([request for asked in requests for request in asked], check))
    return [[next(answers).degree for _ in asked] for asked in requests]


def value_goal(
    goal: Expression,
    plan: Plan,  # its binding fixes variables, its goal judgements say which atoms count
    states: Sequence[Instance],
    judge: Judge,  # knows the degrees of the last one
    domain: Domain,
    tnorm: TNorm,
    # the time (s, rounded) at which each state is reached, for constraints with times
    reached: Sequence[Fraction] = (),
) -> float:
    """Return the degree of a goal after some states, by the judgements that a plan records of it.

    A graded atom that the plan does not record counts for nothing. So a goal such as `a or b` is
    worth what the plan was made for, and nobody is asked about the rest.
    """
    recorded = {claim.atom for claim in plan.goal_judgements}

    def degree_of(predicate: str, arguments: tuple[str, ...]) -> float | None:
        known = (predicate, arguments) in recorded
        return judge.degree(predicate, arguments) if known else None

    if plan.left_out:
        kept = list_kept(goal, plan.left_out, domain, states[0])
        if not kept:
            return 1.0
        goal = And(kept) if len(kept) > 1 else kept[0]
    body, types = open_goal(goal, domain)
    binding = {name: element for name, element in plan.binding if name in types}
    *before, last = states
    return evaluate(
        body, last, degree_of, tnorm, types=types, binding=binding, before=before, reached=reached
    )


def list_kept(
    goal: Expression, left_out: Collection[str], domain: Domain, instance: Instance
) -> tuple[Expression, ...]:
    """List the parts of a goal that a plan must reach: all but those that it leaves out."""
    parts = split_goal(goal, infer_types(goal, domain), instance)
    kept = (part for part in parts.optional if to_text(part) not in left_out)
    return (*parts.hard, *kept)


def compose_running(degrees: Iterable[float], tnorm: TNorm) -> tuple[float, ...]:
    """Compose the degrees up to each step.

    Most steps have degree 1, which changes nothing: only the others are composed.
    """
    found: list[float] = []
    counted: list[float] = []
    now = 1.0
    for degree in degrees:
        if degree != 1.0:
            counted.append(degree)
            now = tnorm.compose_all(counted)
        found.append(now)
    return tuple(found)


def _requests(
    domain: Domain, taken: Sequence[tuple[PlanStep, Instance]]
) -> list[list[JudgementRequest]]:
    steps = [GroundStep(domain.rules[step.rule], step.elements) for step, _ in taken]
    graded = find_step_atoms(domain.chunks, steps, [step.chunk for step, _ in taken])
    return [
        [
            build_request(domain.graded[predicate], arguments, state)
            for predicate, arguments, *_ in atoms
        ]
        for atoms, (_, state) in zip(graded, taken, strict=True)
    ]
