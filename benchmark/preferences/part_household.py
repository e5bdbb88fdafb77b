# SPDX-License-Identifier: Apache-2.0
"""Parts of the preferences benchmark: a house with wishes, and more goals than the battery allows.

Both through the front door, in one process with its kernels loaded. Seconds are by the clock, from
the request to when the plan was told.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmark.planning.household import Household, Kind, Receptacle, household
from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN
from benchmark.planning.vague import CountingSource
from benchmark.tables import Line, Part, Verdict, limit, milliseconds
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, load_domain, parse_domain, parse_expression
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.planning import (
    MembershipSource,
    PlanningOptions,
    PlanningRequest,
    PlanningResult,
    PlanningSession,
    Progress,
    plan,
)
from fcp_ros.scene import load_scene

LIGHT, HEAVY = 1, 9
"""Range of the weights before they are scaled."""
SIZE, QUICK_SIZE = (1_000, 200), (100, 40)
"""Things and receptacles."""
WISHES, QUICK_WISHES = (10, 20, 50), (10,)
FIRST_SECONDS, PROOF_SECONDS = 0.2, 10.0
PARTS, QUICK_PARTS = 100, 20
BATTERY, AMPLE = 3.5, 100.0
"""Budget of battery for each part of the goal, which takes about twice as much; and what there is.
"""
SHARE_REACHED = 0.4
"""Of the parts, at least: the budget is for about half of them."""
SECONDS = 10.0


@dataclass(frozen=True)
class Wish:
    """An item that should stand somewhere: preferred with a weight in [0, 1]."""

    item: str
    place: Receptacle
    weight: float

    @property
    def condition(self) -> str:
        """The wish in the words of the domain."""
        relation = "inside" if self.place.kind is Kind.CONTAINER else "on"
        return f"{relation}({self.item}, {self.place.name})"


def make_wishes(
    house: Household, number: int, seed: int = 1, total: float = 0.99
) -> tuple[Wish, ...]:
    """Make wishes of which half conflict: pairs that want one item in two places.

    Args:
        house: the items of its goal are not wished for.
        number: of wishes.
        seed: the same seed gives the same wishes.
        total: of their weights.
    """
    generator = random.Random(f"wishes/{number}/{seed}")
    pairs = number // 4
    taken = {item for item, _ in house.goal}
    free = [item for item in house.items if item.name not in taken]
    items = generator.sample(free, number - pairs)
    drawn: list[tuple[str, Receptacle, int]] = []
    for index, item in enumerate(items):
        others = [place for place in house.receptacles if place.name != item.place]
        for place in generator.sample(others, 2 if index < pairs else 1):
            drawn.append((item.name, place, generator.randint(LIGHT, HEAVY)))
    scale = total / sum(weight for _, _, weight in drawn)
    return tuple(Wish(item, place, round(scale * weight, 4)) for item, place, weight in drawn)


def least_loss(wishes: tuple[Wish, ...]) -> float:
    """The loss of the best plan: of each pair that wants the same item, the lighter wish."""
    heaviest: dict[str, float] = {}
    for wish in wishes:
        heaviest[wish.item] = max(wish.weight, heaviest.get(wish.item, 0.0))
    return sum(wish.weight for wish in wishes) - sum(heaviest.values())


def write_goal(house: Household, wishes: tuple[Wish, ...]) -> str:
    """The goal of a house, and its wishes as preferences."""
    return " and ".join((house.goal_text(), *_write_preferences(wishes)))


def _write_preferences(wishes: tuple[Wish, ...]) -> Iterator[str]:
    for number, wish in enumerate(wishes):
        yield f"prefer {wish.weight:.4f} as wish_{number}: {wish.condition}"


def with_battery(domain: str, amount: float) -> str:
    """The text of the benchmark's domain, in which each step takes 1 of a battery."""
    executor = "    executor:"
    assert executor in domain
    used = domain.replace(executor, f"    uses: {{battery: 1}}\n{executor}")
    bounds = f"initial: {amount:g}, minimum: 0, maximum: {amount:g}"
    return f"{used}\nresources:\n  battery: {{{bounds}}}\n"


@dataclass(frozen=True)
class Improved:
    """A result, and how it came about.

    Attributes:
        result: the planner's.
        first, best: seconds to the first plan and to the best one; None without one.
        plans: number of plans, each better than the one before.
    """

    result: PlanningResult
    first: float | None
    best: float | None
    plans: int


def improve(
    domain: Domain,
    state: Instance,
    goal: Expression,
    options: PlanningOptions,
    source: MembershipSource | None = None,
) -> Improved:
    """Plan, and note when each better plan is told.

    Args:
        domain: the domain.
        state: the initial state.
        goal: the goal.
        options: of the request.
        source: judges graded predicates; by default all of them hold.
    """
    session = PlanningSession(domain)
    session.prepare()
    told: list[Progress] = []

    def note(progress: Progress) -> None:
        if progress.best is not None and (not told or told[-1].best != progress.best):
            told.append(progress)

    judge = source or CountingSource()
    result = plan(
        PlanningRequest(domain, state, goal, options, judge, progress=note, session=session)
    )
    times = [progress.elapsed for progress in told] or [None]
    return Improved(result, times[0], times[-1], len(told))


def state_of(house: Household, domain: Domain) -> Instance:
    """The state of a house, through its scene graph."""
    with tempfile.TemporaryDirectory(prefix="preferences-") as name:
        file = Path(name) / "scene.json"
        write_scene(house, file)
        return scene_to_instance(load_scene(file), domain.schema, domain.mapping).instance


def load_kernels() -> None:
    """Plan for a small house, so that what follows finds everything loaded."""
    house = household(20, 10, 1)
    domain = load_domain(HOUSEHOLD_DOMAIN)
    goal = parse_expression(write_goal(house, make_wishes(house, 4)))
    improve(domain, state_of(house, domain), goal, PlanningOptions(alpha=0.0, time_limit=3.0))


def household_part(quick: bool) -> Part:
    """Plan for a house with wishes of which half conflict, until it is proven or time is up."""
    load_kernels()
    domain = load_domain(HOUSEHOLD_DOMAIN)
    lines, verdicts = [], []
    options = PlanningOptions(
        alpha=0.0, time_limit=PROOF_SECONDS, improve_time=PROOF_SECONDS, keep=False
    )
    things, receptacles = QUICK_SIZE if quick else SIZE
    house = household(things, receptacles, 1)
    state = state_of(house, domain)
    for number in QUICK_WISHES if quick else WISHES:
        wishes = make_wishes(house, number)
        goal = parse_expression(write_goal(house, wishes))
        found = improve(domain, state, goal, options)
        task = f"{things:,} things, {number} wishes"
        lines.append(Line(task, "ours", {**_figures(found), "best": 1.0 - least_loss(wishes)}))
        proven = "membership" in {measure.value for measure in found.result.optimal_in}
        seconds = found.result.timings["total"] if proven else None
        verdicts.append(_in_time(f"{task}: first plan", found.first, FIRST_SECONDS))
        verdicts.append(_in_time(f"{task}: proven the best", seconds, PROOF_SECONDS))
    return Part("household", lines, verdicts)


def oversubscription_part(quick: bool) -> Part:
    """Plan for as many parts of a goal as a budget of battery allows."""
    load_kernels()
    parts = QUICK_PARTS if quick else PARTS
    house = household(3 * parts, max(20, parts * 6 // 10), parts)
    text = HOUSEHOLD_DOMAIN.read_text(encoding="utf-8")
    domain = parse_domain(with_battery(text, AMPLE * parts), HOUSEHOLD_DOMAIN.name)
    options = PlanningOptions(
        alpha=0.0,
        time_limit=SECONDS,
        improve_time=SECONDS,
        keep=False,
        budgets={"battery": BATTERY * parts},
    )
    found = improve(domain, state_of(house, domain), parse_expression(house.goal_text()), options)
    left_out = parts if found.result.plan is None else len(found.result.plan.left_out)
    reached, wanted = parts - left_out, SHARE_REACHED * parts
    task = f"{parts} parts, battery {BATTERY * parts:g}"
    figures = {**_figures(found), "reached": reached}
    verdicts = [
        Verdict(f"{task}: parts", str(reached), f"at least {wanted:g}", reached >= wanted),
    ]
    return Part("oversubscription", [Line(task, "ours", figures)], verdicts)


def _figures(found: Improved) -> Mapping[str, float | int | str | None]:
    result = found.result
    return {
        "status": result.status.name,
        "membership": result.best_membership,
        "first ms": milliseconds(found.first),
        "best ms": milliseconds(found.best),
        "total s": result.timings["total"],
        "compile": milliseconds(result.timings.get("compile")),
        "plans": found.plans,
        "steps": None if result.plan is None else len(result.plan.steps),
        "given up": len(result.given_up),
        "expansions": result.expansions,
    }


def _in_time(what: str, seconds: float | None, goal: float) -> Verdict:
    """A goal in seconds that is missed if there is no value."""
    if seconds is None:
        return Verdict(what, f"not in {SECONDS:g} s", f"at most {goal:g} s", False)
    return limit(what, seconds, goal, "s")
