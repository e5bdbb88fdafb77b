# SPDX-License-Identifier: Apache-2.0
"""The report of a demonstration: episodes, each from the goal to the last outcome.

The values are plain, and come from live nodes or from the library. Pictures and pages are made from
them alone, so a recorded report can be drawn again.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.planning import PlanningResult
from fcp_ros.report.plain_json import to_plain, to_plain_result
from fcp_ros.scene import SceneGraph


@dataclass(frozen=True)
class StepOutcome:
    """The end of one dispatched step.

    Attributes:
        index: position of the step in its plan, from 0.
        step: the action with its arguments, as text.
        duration: seconds it took.
        quality: measured quality in [0, 1], or None.
    """

    index: int
    step: str
    outcome: OutcomeCode
    duration: float
    quality: float | None
    message: str


@dataclass(frozen=True)
class CalibratedDegree:
    """One degree before and after calibration by outcomes; all degrees in [0, 1]."""

    predicate: str
    context: str
    before: float
    after: float
    evidence_count: int


@dataclass(frozen=True)
class SpokenWords:
    """Some words of an instruction, and their meaning.

    Attributes:
        text: the words, or what stands between two of them.
        role: their part in the reading, such as "thing"; "" for what stands between words.
        meaning: what they were taken for; may be empty.
        degree: how sure that is, in [0, 1].
    """

    text: str
    role: str = ""
    meaning: str = ""
    degree: float = 1.0


@dataclass(frozen=True)
class UnderstoodInstruction:
    """An instruction in words as it was understood.

    Attributes:
        status: the way in which its reading ended, such as "read".
        message: a sentence for a person.
        words: their texts together are the instruction; empty without a reading.
        paraphrase: the goal as an English sentence; "" without a reading.
        degree: how well the reading fits the words, in [0, 1].
        question: what had to be asked; may be empty.
        choices: the answers to choose from.
    """

    instruction: str
    status: str
    message: str
    words: tuple[SpokenWords, ...] = ()
    paraphrase: str = ""
    degree: float = 0.0
    question: str = ""
    choices: tuple[str, ...] = ()
    reader: str = ""


@dataclass(frozen=True)
class Episode:
    """One request with its plan and its outcomes.

    Attributes:
        number: its place in the run, such as "4a".
        story: one or two sentences about what this episode shows.
        goal: the goal expression as asked, or as an instruction was understood.
        alpha: least acceptable membership, in [0, 1].
        outcomes: steps that were dispatched, in order; empty if nothing was executed.
        replans: number of times the goal was replanned.
        calibration: degrees that changed, before and after.
        expectation: the expected result, in words.
        as_expected: True if the result is the expected one.
        understood: the instruction in words; None if a goal expression was asked for.
        policy: the general policy that made the plan; None if it was searched.
    """

    number: str
    title: str
    story: str
    goal: str
    alpha: float
    result: PlanningResult
    scene: SceneGraph
    outcomes: tuple[StepOutcome, ...]
    replans: int
    calibration: tuple[CalibratedDegree, ...]
    expectation: str
    as_expected: bool
    verdict: str
    understood: UnderstoodInstruction | None = None
    policy: GeneralPolicy | None = None


@dataclass(frozen=True)
class DemoReport:
    """A whole run.

    Attributes:
        scene: path or name of the scene.
        domain: name and version of the domain.
        environment: versions worth knowing, as (name, version).
        created: local time of the run, ISO 8601.
        episodes: in the order in which they happened.
    """

    title: str
    scene: str
    domain: str
    oracle: str
    environment: tuple[tuple[str, str], ...]
    created: str
    episodes: tuple[Episode, ...]

    @property
    def as_expected(self) -> bool:
        """True if every episode ended as expected."""
        return all(episode.as_expected for episode in self.episodes)


def write_json(report: DemoReport, path: Path) -> Path:
    """Write the report without scenes and policies (files of their own); return the path."""
    plain = to_plain(dataclasses.replace(report, episodes=()))
    plain["as_expected"] = report.as_expected
    plain["episodes"] = [_to_plain_episode(episode) for episode in report.episodes]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plain, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return path


def _to_plain_episode(episode: Episode) -> dict[str, Any]:
    plain = {
        field.name: to_plain(getattr(episode, field.name))
        for field in dataclasses.fields(episode)
        if field.name not in ("scene", "result", "policy")
    }
    plain["result"] = to_plain_result(episode.result)
    return plain
