# SPDX-License-Identifier: Apache-2.0
"""The report of a demonstration: episodes, each from the goal to the last outcome; as a page.

The values are plain, and come from live nodes or from the library. Pictures and pages are made from
them alone, so a recorded report can be drawn again.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.language.reading import Interpretation, WordUse
from fcp_ros.planning import PlanningResult
from fcp_ros.report import figure
from fcp_ros.report.explored_goals import remove_reasons
from fcp_ros.report.floor_plan import draw_floor_plan
from fcp_ros.report.plain_json import to_plain, to_plain_result
from fcp_ros.report.plan_page import PolicyPath, draw_policy_path, make_plan_environment
from fcp_ros.report.timeline import draw_timeline
from fcp_ros.scene import SceneGraph


@dataclass(frozen=True)
class StepOutcome:
    """The end of one dispatched step."""

    index: int  # position of the step in its plan, from 0
    step: str  # the action with its arguments, as text
    outcome: OutcomeCode
    duration: float  # seconds it took
    quality: float | None  # measured quality in [0, 1], or None
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
    """Some words of an instruction, and their meaning."""

    text: str  # the words, or what stands between two of them
    role: str = ""  # their part in the reading, such as "thing"; "" for what stands between words
    meaning: str = ""  # what they were taken for; may be empty
    degree: float = 1.0  # how sure that is, in [0, 1]


@dataclass(frozen=True)
class UnderstoodInstruction:
    """An instruction in words as it was understood."""

    instruction: str
    status: str  # the way in which its reading ended, such as "read"
    message: str  # a sentence for a person
    # their texts together are the instruction; empty without a reading
    words: tuple[SpokenWords, ...] = ()
    paraphrase: str = ""  # the goal as an English sentence; "" without a reading
    degree: float = 0.0  # how well the reading fits the words, in [0, 1]
    question: str = ""  # what had to be asked; may be empty
    choices: tuple[str, ...] = ()  # the answers to choose from
    reader: str = ""


def describe_understanding(interpretation: Interpretation) -> UnderstoodInstruction:
    """Describe how an instruction was understood, by its best reading."""
    reading = interpretation.readings[0] if interpretation.readings else None
    text = interpretation.instruction
    return UnderstoodInstruction(
        text,
        interpretation.status.value,
        interpretation.message,
        () if reading is None else tuple(split_instruction(text, reading.words)),
        "" if reading is None else reading.paraphrase,
        0.0 if reading is None else reading.degree,
        interpretation.question,
        interpretation.choices,
        interpretation.reader,
    )


def split_instruction(text: str, words: tuple[WordUse, ...]) -> Iterator[SpokenWords]:
    """Split an instruction at the uses of its words, without overlaps; the rest has no role."""
    done = 0
    for use in sorted(words, key=lambda use: (use.start, -use.end)):
        if use.start < done or use.end <= use.start:
            continue
        if use.start > done:
            yield SpokenWords(text[done : use.start])
        yield SpokenWords(text[use.start : use.end], use.role.value, use.meaning, use.degree)
        done = use.end
    if done < len(text):
        yield SpokenWords(text[done:])


@dataclass(frozen=True)
class Episode:
    """One request with its plan and its outcomes."""

    number: str  # its place in the run, such as "4a"
    title: str
    story: str  # one or two sentences about what this episode shows
    goal: str  # the goal expression as asked, or as an instruction was understood
    alpha: float  # least acceptable membership, in [0, 1]
    result: PlanningResult
    scene: SceneGraph
    # steps that were dispatched, in order; empty if nothing was executed
    outcomes: tuple[StepOutcome, ...]
    replans: int  # number of times the goal was replanned
    calibration: tuple[CalibratedDegree, ...]  # degrees that changed, before and after
    expectation: str  # the expected result, in words
    as_expected: bool  # True if the result is the expected one
    verdict: str
    # the instruction in words; None if a goal expression was asked for
    understood: UnderstoodInstruction | None = None
    # the general policy that made the plan; None if it was searched
    policy: GeneralPolicy | None = None
    # a WebP picture of the world after each of the outcomes; empty if nothing drew it
    frames: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class DemoReport:
    """A whole run."""

    title: str
    scene: str  # path or name of the scene
    domain: str  # name and version of the domain
    oracle: str
    environment: tuple[tuple[str, str], ...]  # versions worth knowing, as (name, version)
    created: str  # local time of the run, ISO 8601
    episodes: tuple[Episode, ...]  # in the order in which they happened

    @property
    def as_expected(self) -> bool:
        return all(episode.as_expected for episode in self.episodes)


def write_json(report: DemoReport, path: Path) -> Path:
    """Write the report without scenes, policies and pictures; return the path."""
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
        if field.name not in ("scene", "result", "policy", "frames")
    }
    plain["result"] = to_plain_result(episode.result)
    return plain


# --- the report as one self-contained HTML page without scripts, fonts or network access


_OUTCOMES = {OutcomeCode.SUCCEEDED: figure.GOOD, OutcomeCode.CANCELLED: figure.MUTED}


@dataclass(frozen=True)
class EpisodeView:
    """An episode with its pictures, for the template; the message is without reasons of changes."""

    episode: Episode
    floor_plan: Markup
    timeline: Markup
    message: str
    path: PolicyPath | None
    executed: dict[str, StepOutcome]
    frames: list[tuple[StepOutcome, str]]  # with a picture of the world after it, as data URI


def render_page(report: DemoReport) -> str:
    environment = make_plan_environment()
    environment.globals["outcome_colour"] = choose_outcome_colour
    views = [_draw_episode(episode) for episode in report.episodes]
    return environment.get_template("report.html.j2").render(report=report, views=views)


def choose_outcome_colour(outcome: OutcomeCode | None) -> str:
    """Choose the colour of a step by its outcome; neutral if it was only planned."""
    if outcome is None:
        return figure.FURNITURE_EDGE
    return _OUTCOMES.get(outcome, figure.ALPHA)


def _draw_episode(episode: Episode) -> EpisodeView:
    result = episode.result
    plan = result.plan
    steps = plan.steps if plan is not None else ()
    chosen = [element for _, element in plan.binding] if plan is not None else []
    return EpisodeView(
        episode=episode,
        # These are SVG that this package drew itself; everything else in the page is escaped.
        floor_plan=Markup(draw_floor_plan(episode.scene, steps, f"plan{episode.number}", chosen)),
        timeline=Markup(
            "" if plan is None else draw_timeline(plan, f"time{episode.number}", result.traces)
        ),
        message=remove_reasons(result),
        path=draw_policy_path(result, episode.policy),
        executed={str(outcome.index): outcome for outcome in episode.outcomes},
        frames=[
            (outcome, f"data:image/webp;base64,{base64.b64encode(frame).decode()}")
            for outcome, frame in zip(episode.outcomes, episode.frames, strict=False)
        ],
    )
