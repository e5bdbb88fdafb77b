# SPDX-License-Identifier: Apache-2.0
"""What calibration makes of the outcomes of the trials, against held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.calibration_physics.trials import CATEGORIES, ROBOT, SUPPORTS, Trial, name_of
from benchmark.tables import Line, Part, Verdict
from fcp_ros.cset import Instance
from fcp_ros.grounding.grounder import Grounder
from fcp_ros.grounding.judgement import JudgementRequest
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

SEEN = (0, 10, 100, 1000)
TOGETHER = 10
BINS = 10
DRAWS = 200  # of outcomes, for the error by chance
MOST_ERRORS = {10: 0.05, 100: 0.03, 1000: 0.03}
"""Expected calibration error after these outcomes of a predicate (issues 32 and 34)."""
JUDGED_FROM = 500  # outcomes of "1,000" that were learnt, some 17 of each category


@dataclass(frozen=True, slots=True)
class Observation:
    """One outcome of one predicate."""

    request: JudgementRequest
    success: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Degrees against the held-out outcomes, after some outcomes were learnt."""

    seen: int
    degrees: np.ndarray
    outcomes: np.ndarray

    @property
    def error(self) -> float:
        return expected_error(self.degrees, self.outcomes)

    @property
    def brier(self) -> float:
        return float(np.mean((self.degrees - self.outcomes) ** 2))

    @property
    def chance(self) -> float:
        """The error that degrees have which are exactly right, with this many outcomes."""
        random = np.random.default_rng(0)
        size = (DRAWS, len(self.degrees))
        drawn = (random.random(size) < self.degrees).astype(float)
        return float(np.mean([expected_error(self.degrees, row) for row in drawn]))


def list_things() -> SceneGraph:
    """All categories and supports in one room, to ask about them."""
    room = SceneNode("room", Layer.ROOM, "kitchen", polygon=((0, 0), (9, 0), (9, 9), (0, 9)))
    nodes = [
        SceneNode(name_of(label), Layer.OBJECT, label, pose=Pose.at(1.0, 1.0, 1.0), size=(0.1,) * 3)
        for label in (*CATEGORIES, *SUPPORTS)
    ]
    robot = SceneNode(ROBOT, Layer.AGENT, "robot")
    return SceneGraph.of([room, robot, *nodes], [SceneRelation("at", (ROBOT, "room"))])


def observe(
    predicate: str, trials: Sequence[Trial], grounder: Grounder, instance: Instance
) -> list[Observation]:
    """List the outcomes of a predicate in the trials."""
    found = []
    for trial in trials:
        item = name_of(trial.category)
        arguments = (ROBOT, item) if predicate == "can_grasp" else (name_of(trial.support), item)
        success = trial.picked if predicate == "can_grasp" else trial.steady
        if success is not None:
            found.append(Observation(grounder.request(predicate, arguments, instance), success))
    return found


def learn(grounder: Grounder, observations: Sequence[Observation]) -> list[Comparison]:
    """Compare degrees with held-out outcomes, as more and more of the others are seen."""
    # Every second outcome is held out: both halves have all categories.
    learnt, held_out = observations[::2], observations[1::2]
    found, done = [], 0
    for seen in SEEN:
        record(grounder, learnt[done:seen], done)
        done = min(seen, len(learnt))
        degrees = [one.degree for one in grounder.judge([o.request for o in held_out])]
        outcomes = [float(one.success) for one in held_out]
        found.append(Comparison(done, np.array(degrees), np.array(outcomes)))
        if seen >= len(learnt):
            break
    return found


def record(grounder: Grounder, observations: Sequence[Observation], first: int = 0) -> None:
    """Let the calibrator see outcomes, the first of which is at `first` s.

    Those of `TOGETHER` rest on degrees that were judged before them all, as those of a plan do.
    """
    for start in range(0, len(observations), TOGETHER):
        together = observations[start : start + TOGETHER]
        judged = grounder.judge([one.request for one in together])
        evidence = [
            grounder.make_evidence(
                one.request,
                float(one.success),
                stamp=float(first + start + number),
                membership=membership,
            )
            for number, (one, membership) in enumerate(zip(together, judged, strict=True))
        ]
        grounder.calibration.record_all([one for one in evidence if one is not None])


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


def show_learning(name: str, found: Sequence[Comparison]) -> Part:
    lines = [
        Line(
            name,
            "calibrated" if one.seen else "prior",
            {
                "outcomes seen": one.seen,
                "ECE": one.error,
                "by chance": one.chance,
                "Brier": one.brier,
                "mean degree": float(one.degrees.mean()),
                "frequency": float(one.outcomes.mean()),
            },
        )
        for one in found
    ]
    first, last = found[0], found[-1]
    better = Verdict(
        f"{name}: ECE after outcomes below that before",
        f"{last.error:.3f}",
        f"below {first.error:.3f}",
        last.error < first.error,
    )
    small = [
        Verdict(
            f"{name}: ECE after {one.seen} outcomes",
            f"{one.error:.3f}",
            f"at most {MOST_ERRORS[seen]:g}",
            one.error <= MOST_ERRORS[seen] if one.seen >= min(seen, JUDGED_FROM) else None,
        )
        for seen, one in zip(SEEN[1:], found[1:], strict=False)
    ]
    return Part(name, lines, [better, *small])


def expected_error(degrees: np.ndarray, outcomes: np.ndarray) -> float:
    """Expected calibration error: |degree - frequency| of ten bins, weighted by their sizes."""
    bins = np.minimum((degrees * BINS).astype(int), BINS - 1)
    total = 0.0
    for number in range(BINS):
        inside = bins == number
        if inside.any():
            total += inside.sum() * abs(degrees[inside].mean() - outcomes[inside].mean())
    return float(total / len(degrees))
