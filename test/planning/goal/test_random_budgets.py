# SPDX-License-Identifier: Apache-2.0
"""What is left out for a budget, on random tasks, beside a search of all that can be reached."""

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from least_cost import follow_actions, settle
from pddl_interpreter import Interpreter
from random_adl import make_task

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import (
    Atom,
    Conjunction,
    Constant,
    FunctionValue,
    Metric,
    Negation,
)
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.grounding.judgement import Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.result import Measure
from fcp_ros.planning.model.watch import Watch

LIMIT = 1_000


def write_goal(draw, texts, twin):
    """Literals over all atoms, some of them static."""
    atoms = [
        Atom(name, tuple(Constant(bound[leg.name]) for leg in legs))
        for name, legs in texts.domain.predicates.items()
        for bound in twin.bindings(legs)
    ]
    chosen = draw.sample(atoms, min(len(atoms), draw.randint(2, 5)))
    return [Negation(atom) if draw.random() < 0.3 else atom for atom in chosen]


def reach_within(twin, budget, *, costs):
    """Yield each state that can be reached within a budget, with the fewest units to it."""
    ways = settle(twin.initial, follow_actions(twin, costs=costs), zero=Fraction(0))
    within = itertools.takewhile(lambda way: way[0] <= budget, ways)
    for number, way in enumerate(within):
        assume(number < LIMIT)
        yield way


@settings(max_examples=120)
@given(st.integers(0, 100_000), st.integers(0, 6), st.booleans())
def test_as_many_parts_as_possible_are_reached(seed, budget, costs):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    twin = Interpreter(texts)
    parts = write_goal(Random(seed), texts, twin)
    problem = replace(
        texts.problem,
        goal=Conjunction(tuple(parts)),
        metric=Metric(True, FunctionValue("total-cost")),
    )
    task = work_out(replace(texts, problem=problem))
    missed, fewest = min(
        (sum(not twin.holds(part, state, {}) for part in parts), spent)
        for spent, state in reach_within(twin, budget, costs=costs)
    )
    options = PlanningOptions(budgets={"cost" if costs else "steps": float(budget)})
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    goal = check_goal(task.goal, task.domain, task.instance)
    watch = Watch(options)
    ground = ground_goal(goal, {}, task.domain, task.instance, watch, in_parts=True)
    if missed and missed >= ground.parts:  # a single part may not be left out
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, (result.status, result.message)
    assert len(result.plan.left_out) == len(result.given_up) == missed
    if ground.parts:
        assert Measure.PARTS in result.optimal_in
    if not costs:
        assert len(result.plan.steps) == fewest


CORRIDOR = """
domain: corridor
version: "1.0"
types: {spot: [], robot: []}
relations:
  at: {legs: {robot: robot, spot: spot}, functional: [robot]}
  next: {legs: {from: spot, to: spot}, static: true}
  clean: {legs: {spot: spot}}
  charged: {legs: {robot: robot}}
  dock: {legs: {spot: spot}, static: true}
rules:
  go:
    parameters: {robot: robot, from: spot, to: spot}
    when: ['at(robot, from)', 'next(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    uses: {battery: 1}
    duration: 2
    executor: go
  wipe:
    parameters: {robot: robot, spot: spot}
    when: ['at(robot, spot)']
    add: ['clean(spot)']
    graded: ['easy(spot)']
    uses: {battery: 0.5}
    duration: 1
    executor: wipe
  charge:
    parameters: {robot: robot, spot: spot}
    when: ['at(robot, spot)', 'dock(spot)']
    add: ['charged(robot)']
    uses: {battery: -1.5}
    duration: 1
    executor: charge
graded:
  easy:
    parameters: {spot: spot}
    context: {spot: [name]}
    oracle: table
    default_degree: 1.0
resources:
  battery: {initial: 5, minimum: 0, maximum: 6, unit: Wh}
scene: {layers: {room: spot, agent: robot}, unknown: spot}
"""
INITIAL, LOWEST, HIGHEST = 5.0, 0.0, 6.0
DOMAIN = parse_domain(CORRIDOR)
GOAL = parse_expression("forall ?s: spot (clean(?s))")


@dataclass(frozen=True)
class Corridor:
    """Spots in a row, each with a degree; the robot is at `start`, perhaps with a dock."""

    degrees: tuple[float, ...]
    start: int
    dock: int | None
    cleaned: frozenset[int]

    def build(self):
        builder = InstanceBuilder(DOMAIN.schema)
        spots = [builder.add("spot", f"s{n}") for n in range(len(self.degrees))]
        builder.relate("at", builder.add("robot", "bot"), spots[self.start])
        for one, other in itertools.pairwise(spots):
            builder.relate("next", one, other)
            builder.relate("next", other, one)
        for number in self.cleaned:
            builder.relate("clean", spots[number])
        if self.dock is not None:
            builder.relate("dock", spots[self.dock])
        return builder.build()

    def find_best(self, budget, alpha):
        """The most spots that can be clean, and the least loss of doing so."""
        first = (self.start, self.cleaned, INITIAL)
        open_, seen = [first], {first}
        while open_:
            place, done, level = open_.pop()
            moves = [(n, done, level - 1.0) for n in (place - 1, place + 1)]
            moves.append((place, done | {place}, level - 0.5))
            if place == self.dock:
                moves.append((place, done, level + 1.5))
            for state in moves:
                fits = LOWEST <= state[2] <= HIGHEST and INITIAL - state[2] <= budget
                if 0 <= state[0] < len(self.degrees) and fits and state not in seen:
                    seen.add(state)
                    open_.append(state)
        losses = {
            done: sum(1.0 - self.degrees[n] for n in done - self.cleaned) for _, done, _ in seen
        }
        return max(
            (len(done), -loss) for done, loss in losses.items() if loss <= 1.0 - alpha + 1e-9
        )

    def plan(self, **options):
        judge = SimpleNamespace(judge=lambda asked: [self._judge(one) for one in asked])
        settings = PlanningOptions(**{"time_limit": 60.0, "improve_time": 60.0, **options})
        return plan(PlanningRequest(DOMAIN, self.build(), GOAL, settings, judge))

    def _judge(self, request):
        degree = self.degrees[int(request.arguments[0].text[1:])]
        return Membership(degree, degree, source="table")


CORRIDORS = st.integers(2, 5).flatmap(
    lambda size: st.builds(
        Corridor,
        st.tuples(*[st.sampled_from((1.0, 0.95, 0.9, 0.75))] * size),
        st.integers(0, size - 1),
        st.none() | st.integers(0, size - 1),
        st.frozensets(st.integers(0, size - 1), max_size=1),
    )
)
BUDGETS = st.sampled_from((0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 4.0, 5.0, 9.0))


@settings(max_examples=100)
@given(CORRIDORS, BUDGETS, st.sampled_from((0.0, 0.5, 0.85, 0.95)))
def test_a_resource_is_used_no_more_than_its_budget(corridor, budget, alpha):
    most, gain = corridor.find_best(budget, alpha)
    result = corridor.plan(budgets={"battery": budget}, alpha=alpha)
    if not most:
        assert result.status in (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, (result.status, result.message)
    assert len(corridor.degrees) - len(result.plan.left_out) == most
    assert abs(result.plan.membership - (1.0 + gain)) < 1e-6
