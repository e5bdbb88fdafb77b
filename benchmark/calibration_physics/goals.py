# SPDX-License-Identifier: Apache-2.0
"""Household goals that leave a choice of what to fetch and where to put it, tried in physics.

Each is planned with prior degrees, with calibrated ones and without any, and each plan is carried
out once in the same world: the same sizes, masses, frictions and errors of the robot.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from benchmark.calibration_physics.trials import (
    CATEGORIES,
    IMPERFECT,
    ROBOT,
    SIZE_SPREAD,
    SUPPORTS,
    is_steady,
    name_of,
)
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain
from fcp_ros.execution.physics import PhysicsWorld
from fcp_ros.execution.physics.materials import read_materials
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.grounder import Grounder
from fcp_ros.grounding.judgement_cache import JudgementCache
from fcp_ros.grounding.stated import TableOracle
from fcp_ros.planning import MembershipSource, PlanningOptions, PlanningRequest, plan
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

ROWS = ("ignored", "prior", "calibrated")
"""The degrees that plans are made with."""
CHOICES = (2, 3, 4)  # How many things would do
STANDS = ((1.3, 3.9), (3.3, 3.9))
APART = 0.32  # m from the middle of a stand to a thing on it
ROOM = ((0, 0), (6, 0), (6, 5), (0, 5))
ALL_PLANS = PlanningOptions(alpha=0.0, allow_relaxation=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A goal's plan with one kind of degrees, carried out."""

    goal: int
    row: str
    item: str
    support: str
    membership: float
    succeeded: bool
    why: str  # it failed


@dataclass(frozen=True, slots=True)
class HouseholdGoal:
    """One of these things on one of these supports."""

    number: int
    items: tuple[str, ...]  # categories
    supports: tuple[str, ...]  # categories
    seed: int

    @property
    def text(self) -> str:
        return " or ".join(
            f"on({name_of(item)}, {name_of(support)})"
            for item in self.items
            for support in self.supports
        )


def draw_goals(count: int, seed: int = 0) -> Iterator[HouseholdGoal]:
    for number in range(count):
        random = np.random.default_rng((seed, 2, number))
        items = random.choice(CATEGORIES, int(random.choice(CHOICES)), replace=False)
        firm, soft = random.choice(SUPPORTS[:2]), random.choice(SUPPORTS[2:])
        yield HouseholdGoal(
            number, tuple(map(str, items)), (str(firm), str(soft)), int(random.integers(2**31))
        )


def furnish(goal: HouseholdGoal) -> SceneGraph:
    """Make a kitchen with the things on two stands, and the supports on either side."""
    random = np.random.default_rng(goal.seed)
    table = read_materials()
    nodes = [
        SceneNode("room", Layer.ROOM, "kitchen", polygon=ROOM, height=2.5),
        SceneNode(ROBOT, Layer.AGENT, "robot", pose=Pose.at(2.5, 2.0, 0.0)),
    ]
    relations = [SceneRelation("at", (ROBOT, "room"))]
    for number, (x, y) in enumerate(STANDS):
        pose = Pose.at(x, y, 0.375)
        nodes.append(
            SceneNode(f"stand_{number}", Layer.OBJECT, "table", pose=pose, size=(1.2, 0.7, 0.75))
        )
        relations.append(SceneRelation("in_room", (f"stand_{number}", "room")))
    for x, category in zip((0.6, 5.2), goal.supports, strict=True):
        size = table.find(category, None).size
        pose = Pose.at(x, 1.4, size[2] / 2.0, math.pi / 2.0)
        nodes.append(SceneNode(name_of(category), Layer.OBJECT, category, pose=pose, size=size))
        relations.append(SceneRelation("in_room", (name_of(category), "room")))
    for number, category in enumerate(goal.items):
        scale = float(np.exp(random.normal(0.0, SIZE_SPREAD)))
        length, width, height = (scale * one for one in table.find(category, None).size)
        x, y = STANDS[number % 2]
        x += (APART if number < 2 else -APART) + float(random.uniform(-0.05, 0.05))
        y -= 0.1 + float(random.uniform(-0.05, 0.05))
        pose = Pose.at(x, y, 0.75 + height / 2.0, float(random.uniform(-math.pi, math.pi)))
        name = name_of(category)
        nodes.append(
            SceneNode(name, Layer.OBJECT, category, pose=pose, size=(length, width, height))
        )
        relations.append(SceneRelation("on", (name, f"stand_{number % 2}")))
    return SceneGraph.of(nodes, relations)


def make_sources(domain: Domain, learnt: CalibrationStore) -> dict[str, Grounder]:
    """Make what judges for each row; `learnt` holds the outcomes of the trials."""
    graded = {name: domain.graded[name] for name in ("can_grasp", "stable_enough")}
    same = {name: replace(one, table=(), default_degree=1.0) for name, one in graded.items()}

    def make(predicates: Mapping[str, object], store: CalibrationStore) -> Grounder:
        oracles = {"table": TableOracle()}
        return Grounder(predicates, oracles, "table", JudgementCache(None), store)  # type: ignore[arg-type]

    return {
        "ignored": make(same, CalibrationStore(":memory:")),
        "prior": make(graded, CalibrationStore(":memory:")),
        "calibrated": make(graded, learnt),
    }


def attempt(
    goal: HouseholdGoal, domain: Domain, sources: Mapping[str, MembershipSource]
) -> list[Attempt]:
    """Plan a goal with each kind of degrees, and carry each plan out in a world of its own."""
    graph = furnish(goal)
    instance = scene_to_instance(graph, domain.schema, domain.mapping).instance
    options = replace(ALL_PLANS, seed=goal.seed % 1000)
    found: list[Attempt] = []
    ends: dict[tuple[str, ...], str] = {}
    for row, source in sources.items():
        result = plan(PlanningRequest(domain, instance, goal.text, options, source))
        if result.plan is None:
            raise RuntimeError(f"no plan for {goal.text}: {result.message}")
        steps = result.plan.steps
        key = tuple(map(str, steps))
        if key not in ends:  # worlds repeat by their seeds
            ends[key] = _carry_out(goal, graph, steps)
        last = dict(steps[-1].arguments)
        found.append(
            Attempt(
                goal.number,
                row,
                last["item"],
                last["support"],
                result.plan.membership,
                not ends[key],
                ends[key],
            )
        )
    return found


def _carry_out(goal: HouseholdGoal, graph: SceneGraph, steps: Sequence[PlanStep]) -> str:
    """Return why a plan failed, or ""."""
    world = PhysicsWorld(graph, goal.seed, IMPERFECT)
    for step in steps:
        outcome = world.perform(step)
        if not outcome.succeeded:
            return f"{step}: {outcome.message}"
        if step.rule == "place" and not is_steady(outcome):
            return f"{step}: unsteady"
    return ""


def resume_goals(
    path: Path, count: int, seed: int, domain: Domain, sources: Mapping[str, MembershipSource]
) -> list[Attempt]:
    """Try the goals that a file of JSON lines lacks, and return all attempts."""
    found = read_attempts(path)
    done = {one.goal for one in found}
    with path.open("a", encoding="utf-8") as lines:
        for goal in draw_goals(count, seed):
            if goal.number in done:
                continue
            new = attempt(goal, domain, sources)
            lines.write("".join(json.dumps(asdict(one)) + "\n" for one in new))
            lines.flush()
            found += new
    return [one for one in found if one.goal < count]


def read_attempts(path: Path) -> list[Attempt]:
    if not path.is_file():
        return []
    return [Attempt(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def find_interval(successes: int, count: int) -> tuple[float, float]:
    """Find the 95 % interval of a rate (Wilson, Probable Inference, 1927)."""
    if not count:
        return 0.0, 1.0
    interval = binomtest(successes, count).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)
