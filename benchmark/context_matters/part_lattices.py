# SPDX-License-Identifier: Apache-2.0
"""Part of the Context-Matters benchmark: the best of many relaxations, with proof.

Goals of many conjuncts, each for a thing of its own kind on a shelf. Some kinds do not exist, and
spare things stand in for them, one for one, to degrees that are drawn. Exhaustively, every thing is
judged for every kind that is asked for, and every choice of spare things is looked at.
"""

from __future__ import annotations

import itertools
import random
import string
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.context_matters.part_tasks import Details
from benchmark.tables import Figure, Line, Part, Verdict
from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import Domain, parse_domain
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.relaxation.plan_goal import plan_goal

CONJUNCTS, BLOCKED = (10, 30, 100), (1, 2, 3, 4, 5)
SPARE = 3
"""Spare things beyond one for each kind that is missing."""
SHELVES = 4
LOWEST, ALPHA = 0.8, 0.05
TIME_LIMIT = 60.0
DOMAIN = """domain: shelves
version: "1.0"
types: {thing: [], shelf: [thing], robot: [thing], item: [thing]}
relations:
  on: {legs: {item: item, shelf: shelf}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
attributes:
  category: {of: thing, kind: string}
rules:
  take:
    parameters: {robot: robot, item: item, shelf: shelf}
    when: ['on(item, shelf)', 'not holding(robot, ?any)']
    delete: ['on(item, shelf)']
    add: ['holding(robot, item)']
    duration: 5
    executor: take
  put:
    parameters: {robot: robot, item: item, shelf: shelf}
    when: ['holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, shelf)']
    duration: 5
    executor: put
graded:
  suitable_substitute:
    parameters: {item: item, wanted: text}
    rubric:
      question: Somebody asked for {wanted}. How content are they with {item} instead?
      anchors: {0: {means: Not at all.}, 50: {means: Half.}, 100: {means: Wholly.}}
scene: {layers: {agent: robot}, unknown: item}
"""


@dataclass(frozen=True)
class Lattice:
    """A goal of which some parts can only be had by substitutes.

    Attributes:
        goal: in the goal language.
        state: the initial state.
        conjuncts: the number of parts of the goal.
        missing: the kinds of which there is nothing.
        spare: the kinds of the things that nothing else asks for.
        degrees: (kind of the thing, kind that is missing) -> degree.
    """

    goal: str
    state: Instance
    conjuncts: int
    missing: tuple[str, ...]
    spare: tuple[str, ...]
    degrees: dict[tuple[str, str], float]


class DrawnDegrees:
    """A membership source that knows the degrees of a lattice, and counts what it is asked."""

    def __init__(self, lattice: Lattice) -> None:
        self._degrees = lattice.degrees
        self.questions = 0
        self.batches = 0

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """A degree for each request."""
        self.questions += len(requests)
        self.batches += 1
        return [self._judge(request) for request in requests]

    def _judge(self, request: JudgementRequest) -> Membership:
        thing, wanted = (a.category or a.text for a in request.arguments)
        degree = self._degrees.get((thing, wanted), 0.0)
        return Membership(degree, degree, source="drawn")


def make_lattice(domain: Domain, conjuncts: int, blocked: int, seed: int = 1) -> Lattice:
    """Make a goal with that many conjuncts, of which some ask for what there is not."""
    generator = random.Random(f"{conjuncts}/{blocked}/{seed}")
    letters = string.ascii_lowercase
    words = ("".join(pair) + "ry" for pair in itertools.product(letters, letters))
    kinds = [next(words) for _ in range(conjuncts)]
    missing = tuple(generator.sample(kinds, blocked))
    spare = tuple(next(words) for _ in range(blocked + SPARE))
    builder = InstanceBuilder(domain.schema)
    builder.add("robot", "robot_1", {"category": "robot"})
    shelves = [f"shelf_{number}" for number in range(SHELVES)]
    for shelf in shelves:
        builder.add("shelf", shelf, {"category": "shelf"})
    for kind in (*(kind for kind in kinds if kind not in missing), *spare):
        element = builder.add("item", f"{kind}_1", {"category": kind})
        builder.relate("on", element, builder.id_of(shelves[0]))
    parts = (
        f'exists ?x: item (is_a(?x, "{kind}") and on(?x, {generator.choice(shelves[1:])}))'
        for kind in kinds
    )
    degrees = {
        pair: round(generator.uniform(LOWEST, 1.0), 3) for pair in itertools.product(spare, missing)
    }
    return Lattice(" and ".join(parts), builder.build(), conjuncts, missing, spare, degrees)


def find_best(lattice: Lattice) -> tuple[float, int]:
    """Find the best membership by looking at every choice; return it with their number.

    Each part of a goal counts alike: a change of one part loses 1 / k of what it lacks.
    """
    best, number = 0.0, 0
    for chosen in itertools.permutations(lattice.spare, len(lattice.missing)):
        number += 1
        loss = sum(
            1.0 - lattice.degrees[pair] for pair in zip(chosen, lattice.missing, strict=True)
        )
        best = max(best, 1.0 - loss / lattice.conjuncts)
    return best, number


def lattices_part(quick: bool) -> tuple[Part, Details]:
    """Relax goals of 10, 30 and 100 conjuncts with 1 to 5 that are blocked."""
    domain = parse_domain(DOMAIN)
    sizes = [(10, 1), (10, 3), (30, 2)] if quick else list(itertools.product(CONJUNCTS, BLOCKED))
    warm = make_lattice(domain, 4, 1, seed=0)
    plan_goal(
        PlanningRequest(
            domain, warm.state, warm.goal, PlanningOptions(alpha=ALPHA), DrawnDegrees(warm)
        )
    )
    lines, details, proven, fewer, slowest = [], [], 0, 0, 0.0
    for conjuncts, blocked in sizes:
        lattice = make_lattice(domain, conjuncts, blocked)
        source = DrawnDegrees(lattice)
        options = PlanningOptions(alpha=ALPHA, time_limit=TIME_LIMIT)
        started = time.perf_counter()
        result = plan_goal(PlanningRequest(domain, lattice.state, lattice.goal, options, source))
        seconds = time.perf_counter() - started
        best, choices = find_best(lattice)
        things = conjuncts - blocked + len(lattice.spare)
        everything = things * conjuncts
        figures = _describe(result, seconds, source, best, choices, everything)
        lines.append(Line(f"{conjuncts} conjuncts, {blocked} blocked", "fcp_ros", figures))
        details.append({"task": lines[-1].task, "message": result.message, **figures})
        optimal = result.status is PlanStatus.SOLVED_OPTIMALLY
        same = result.plan is not None and abs(result.plan.membership - best) < 1e-6
        proven += optimal and same
        fewer += source.questions <= everything
        slowest = max(slowest, seconds)
    verdicts = [
        _count("the best relaxation, with proof", proven, len(sizes)),
        _count("no more judgements than exhaustively", fewer, len(sizes)),
    ]
    notes = [f"time to the best relaxation, the longest: {slowest:.2f} s (there is no goal for it)"]
    return Part("lattices", lines, verdicts, notes), details


def _describe(
    result: PlanningResult,
    seconds: float,
    source: DrawnDegrees,
    best: float,
    choices: int,
    everything: int,
) -> dict[str, Figure]:
    return {
        "status": result.status.name,
        "seconds": seconds,
        "membership": result.plan.membership if result.plan else None,
        "best, exhaustively": best,
        "judgements": source.questions,
        "exhaustively": everything,
        "choices, exhaustively": choices,
        "goals looked at": len(result.explored) or None,
        "expansions": result.expansions,
    }


def _count(what: str, number: int, total: int) -> Verdict:
    return Verdict(what, f"{number} of {total}", f"{total} of {total}", number == total)
