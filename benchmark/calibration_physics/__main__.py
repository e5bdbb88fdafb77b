# SPDX-License-Identifier: Apache-2.0
"""What calibration learns from physics: ``python -m benchmark.calibration_physics``.

Random picks and places over 30 categories and 4 supports (``trials.py``). The degrees that the
household domain states for `can_grasp` and `stable_enough` are compared with the frequencies of
held-out trials, before and after the calibrator has seen 10, 100, 1,000 outcomes of the others.
Exits with 1 when a goal is missed. ``--quick``: 240 trials, one minute of CPU; all: ten.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmark.calibration_physics.trials import CATEGORIES, ROBOT, SUPPORTS, Trial, run_trials
from benchmark.tables import Line, Part, Verdict, finish, open_console, show_part
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.grounder import Grounder
from fcp_ros.grounding.judgement import JudgementRequest
from fcp_ros.grounding.judgement_cache import JudgementCache
from fcp_ros.grounding.stated import TableOracle
from fcp_ros.package_files import find_domain
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

PREDICATES = ("can_grasp", "stable_enough")
SEEN = (0, 10, 100, 1000)
BINS = 10
MOST_ERROR = 0.03  # expected calibration error (issue 32), after SEEN_FOR_GOAL outcomes
SEEN_FOR_GOAL = 1000
TRIALS, QUICK_TRIALS = 2000, 240


@dataclass(frozen=True, slots=True)
class Observation:
    """One outcome of one predicate."""

    request: JudgementRequest
    success: bool


def main(
    quick: Annotated[bool, typer.Option("--quick", help="240 trials.")] = False,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = 0,
    trials: Annotated[
        Path | None, typer.Option(help="Read the trials from this file, if it is there; write it.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--json", help="All figures as JSON.")] = None,
) -> None:
    """Run the trials, show tables, and the goals."""
    console = open_console()
    count = QUICK_TRIALS if quick else TRIALS
    found = _load_trials(trials)
    if not found:
        found = []
        with console.status("picks and places"):
            found += run_trials(count, seed)
        if trials is not None:
            trials.write_text(json.dumps([asdict(trial) for trial in found]), encoding="utf-8")
    grounder_domain = load_domain(find_domain("household"))
    predicates = {name: grounder_domain.graded[name] for name in PREDICATES}
    instance = scene_to_instance(
        _list_things(), grounder_domain.schema, grounder_domain.mapping
    ).instance
    parts = [show_trials(found)]
    with tempfile.TemporaryDirectory() as folder:
        for name in PREDICATES:
            lines, verdicts = [], []
            store = CalibrationStore(Path(folder) / f"{name}.sqlite")
            grounder = Grounder(
                predicates, {"table": TableOracle()}, "table", JudgementCache(None), store
            )
            observations = _observe(name, found, grounder, instance)
            lines, verdicts = measure(name, grounder, observations)
            parts.append(Part(name, lines, verdicts))
            grounder.close()
    for part in parts:
        show_part(part, console)
    finish(parts, console, output, trials=len(found), seed=seed)


def _load_trials(path: Path | None) -> list[Trial]:
    if path is None or not path.is_file():
        return []
    return [Trial(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _name(category: str) -> str:
    return f"{category.replace(' ', '_')}_1"


def _list_things() -> SceneGraph:
    """All categories and supports in one room, to ask about them."""
    room = SceneNode("room", Layer.ROOM, "kitchen", polygon=((0, 0), (9, 0), (9, 9), (0, 9)))
    nodes = [
        SceneNode(_name(label), Layer.OBJECT, label, pose=Pose.at(1.0, 1.0, 1.0), size=(0.1,) * 3)
        for label in (*CATEGORIES, *SUPPORTS)
    ]
    robot = SceneNode(ROBOT, Layer.AGENT, "robot")
    return SceneGraph.of([room, robot, *nodes], [SceneRelation("at", (ROBOT, "room"))])


def _observe(
    predicate: str, trials: Sequence[Trial], grounder: Grounder, instance: object
) -> list[Observation]:
    found = []
    for trial in trials:
        item = _name(trial.category)
        arguments = (ROBOT, item) if predicate == "can_grasp" else (_name(trial.support), item)
        success = trial.picked if predicate == "can_grasp" else trial.steady
        if success is not None:
            found.append(Observation(grounder.request(predicate, arguments, instance), success))
    return found


def show_trials(trials: Sequence[Trial]) -> Part:
    lines = []
    for category in CATEGORIES:
        mine = [trial for trial in trials if trial.category == category]
        placed = [trial.steady for trial in mine if trial.steady is not None]
        figures = {
            "trials": len(mine),
            "picked": sum(t.picked for t in mine) / max(1, len(mine)),
            "steady": sum(map(bool, placed)) / len(placed) if placed else None,
        }
        lines.append(Line(category, "physics", figures))
    return Part("trials", lines)


def measure(
    name: str, grounder: Grounder, observations: Sequence[Observation]
) -> tuple[list[Line], list[Verdict]]:
    """Compare degrees with held-out outcomes, as more and more of the others are seen."""
    # Every second outcome is held out: both halves have all categories.
    learnt, held_out = observations[::2], observations[1::2]
    lines, errors, done = [], {}, 0
    for seen in SEEN:
        if seen > len(learnt) and seen != SEEN_FOR_GOAL:
            continue
        for observation in learnt[done:seen]:
            grounder.record(observation.request, float(observation.success), stamp=float(done))
            done += 1
        degrees = np.array([m.degree for m in grounder.judge([o.request for o in held_out])])
        outcomes = np.array([float(o.success) for o in held_out])
        errors[seen] = expected_error(degrees, outcomes)
        figures = {
            "outcomes seen": done,
            "ECE": errors[seen],
            "Brier": float(np.mean((degrees - outcomes) ** 2)),
            "mean degree": float(degrees.mean()),
            "frequency": float(outcomes.mean()),
        }
        lines.append(Line(name, "stated" if not seen else "calibrated", figures))
    last = errors.get(SEEN_FOR_GOAL, errors[max(errors)])
    enough = len(learnt) >= SEEN_FOR_GOAL // 2
    better = Verdict(
        f"{name}: ECE after outcomes below that before",
        f"{last:.3f}",
        f"below {errors[0]:.3f}",
        last < errors[0],
    )
    small = Verdict(
        f"{name}: ECE after {done} outcomes",
        f"{last:.3f}",
        f"at most {MOST_ERROR:g}",
        last <= MOST_ERROR if enough else None,
    )
    return lines, [better, small]


def expected_error(degrees: np.ndarray, outcomes: np.ndarray) -> float:
    """Expected calibration error: |degree - frequency| of ten bins, weighted by their sizes."""
    bins = np.minimum((degrees * BINS).astype(int), BINS - 1)
    total = 0.0
    for number in range(BINS):
        inside = bins == number
        if inside.any():
            total += inside.sum() * abs(degrees[inside].mean() - outcomes[inside].mean())
    return float(total / len(degrees))


if __name__ == "__main__":
    typer.run(main)
