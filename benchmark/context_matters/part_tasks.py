# SPDX-License-Identifier: Apache-2.0
"""Parts of the Context-Matters benchmark: the tasks from the sentence, and impossible variants."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from benchmark.context_matters.answers import (
    Answer,
    GoalReader,
    Setting,
    answer_task,
    describe,
    warm_up,
)
from benchmark.context_matters.instances import SPLITS, HouseTask, read_tasks
from benchmark.context_matters.references import read_references, read_variants
from benchmark.context_matters.scoring import Outcome
from benchmark.tables import Line, Part, limit, share

READING_SECONDS, PLANNING_SECONDS = 0.1, 0.2
FAITHFUL_SHARE = 0.95
QUICK_SCENE = "Parole"
"""The house of which a quick run takes the tasks."""

PUBLISHED = {
    "dining_setup": 90.3,
    "house_cleaning": 97.2,
    "laundry": 75.0,
    "office_setup": 40.6,
    "pc_assembly": 80.6,
}
"""Success of the source (%) by split, by its own scoring, on its own scenes."""
PUBLISHED_NOTE = (
    "published by the source, on its scenes: grounding and planning 72.2 / 73.6 %, planning alone "
    "92.5 / 97.8 %, possibility check 46 to 50 %; DELTA 0 %"
)

Details = list[dict[str, object]]


def tasks_part(setting: Setting, quick: bool, only: str = "") -> tuple[Part, Details]:
    """Answer the instances with scenes, from the sentence."""
    references = read_references()
    tasks = _choose_tasks(quick, only)
    if not tasks:
        return report_nothing("tasks", only)
    warm_up(tasks, setting)
    answers = [answer_task(task, references[task.name], setting) for task in tasks]
    clear = [a for a in answers if not a.reference.doubt]
    doubtful = [a for a in answers if a.reference.doubt]
    valid = [a.valid for a in answers]
    exact = [_relaxes_as_said(a) for a in clear]
    verdicts = [
        share("valid for the formal problem (the source's scoring)", valid, 1.0),
        share("goal-faithful", [a.right for a in clear], FAITHFUL_SHARE),
        share("relaxed exactly where the references say", exact, 1.0),
        limit("reading, the longest", max(a.reading for a in answers), READING_SECONDS, "s"),
        limit("planning, the longest", max(a.planning for a in answers), PLANNING_SECONDS, "s"),
    ]
    notes = [PUBLISHED_NOTE, *_list_outcomes("clear", clear), *_list_outcomes("doubtful", doubtful)]
    notes.append(_count_unchecked(answers))
    lines = _list_lines(answers, PUBLISHED)
    return Part("tasks", lines, verdicts, notes), [describe(a) for a in answers]


def planning_part(setting: Setting, quick: bool, only: str = "") -> tuple[Part, Details]:
    """Plan and relax the references' goals: the tasks without reading them."""
    references = read_references()
    tasks = _choose_tasks(quick, only)
    if not tasks:
        return report_nothing("planning", only)

    def plan_reference(task: HouseTask) -> Answer:
        whole = references[task.name].whole
        assert whole is not None
        given = replace(setting, reader=GoalReader(whole.text))
        return answer_task(task, references[task.name], given)

    for task in tasks[::7]:  # kernels and models get loaded
        plan_reference(task)
    answers = [plan_reference(task) for task in tasks]
    clear = [a for a in answers if not a.reference.doubt]
    verdicts = [
        share("planning alone: valid for the formal problem", [a.valid for a in answers], 1.0),
        share("planning alone: goal-faithful", [a.right for a in clear], FAITHFUL_SHARE),
    ]
    notes = ["published, planning alone: 92.5 / 97.8 %", *_list_outcomes("all", answers)]
    return Part("planning", _list_lines(answers), verdicts, notes), [describe(a) for a in answers]


def impossible_part(setting: Setting, quick: bool, only: str = "") -> tuple[Part, Details]:
    """Answer the variants that can't be done as asked."""
    variants = [
        variant
        for variant in read_variants(read_tasks(without_scene=True))
        if only in variant.task.name
    ]
    if quick:
        variants = variants[::4]
    if not variants:
        return report_nothing("impossible", only)
    warm_up([variant.task for variant in variants], setting)
    answers = [answer_task(v.task, v.reference, setting) for v in variants]
    kinds = dict.fromkeys(variant.kind for variant in variants)
    pairs = list(zip(variants, answers, strict=True))
    lines = [_line(kind, [a for v, a in pairs if v.kind == kind]) for kind in kinds]
    impossible = [a for v, a in pairs if v.reference.impossible]
    partly = [a for v, a in pairs if not v.reference.impossible]
    verdicts = [
        share("impossible ones called impossible", [a.right for a in impossible], 1.0),
        share("the one acceptable relaxation", [a.right for a in partly], 1.0),
    ]
    notes = _list_outcomes("variants", answers)
    return Part("impossible", lines, verdicts, notes), [describe(a) for a in answers]


def report_nothing(name: str, only: str) -> tuple[Part, Details]:
    """Return a part of which nothing was chosen."""
    return Part(name, [], notes=[f"nothing to run: no name has {only!r} in it"]), []


def _choose_tasks(quick: bool, only: str) -> list[HouseTask]:
    """Choose from the instances with scenes."""
    tasks = (task for task in read_tasks() if only in task.name)
    return [task for task in tasks if not quick or task.scene == QUICK_SCENE]


def _is_question(answer: Answer) -> bool:
    return answer.judgement is not None and answer.judgement.outcome is Outcome.ASKED


def _relaxes_as_said(answer: Answer) -> bool:
    """Return True if what is feasible is planned as asked, and nothing else is."""
    planned = answer.answer is not None and answer.answer.result.plan is not None
    if answer.reference.feasible:
        return (planned or answer.right) and not answer.relaxed
    return answer.right and (answer.relaxed or not planned)


def _list_lines(
    answers: Sequence[Answer], published: Mapping[str, float] = MappingProxyType({})
) -> list[Line]:
    """Make a line for each split, and one for all."""
    by_split = {split: [a for a in answers if a.task.split == split] for split in SPLITS}
    lines = [_line(split, mine, published.get(split)) for split, mine in by_split.items() if mine]
    return [*lines, _line("all", answers)]


def _line(name: str, answers: Sequence[Answer], published: float | None = None) -> Line:
    clear = [a for a in answers if not a.reference.doubt]
    doubtful = [a for a in answers if a.reference.doubt]
    figures = {
        "tasks": len(answers),
        "valid": sum(a.valid for a in answers),
        "clear": len(clear),
        "faithful": sum(a.right for a in clear),
        "by a question": sum(_is_question(a) for a in clear),
        "doubtful": len(doubtful) or None,
        "faithful (doubtful)": sum(a.right for a in doubtful) if doubtful else None,
        "confirmed first": sum(a.confirmed for a in answers),
        "relaxed": sum(a.relaxed for a in answers),
        "to be relaxed": sum(not a.reference.feasible for a in answers),
        "reading s, median": statistics.median(a.reading for a in answers),
        "reading s, max": max(a.reading for a in answers),
        "planning s, median": statistics.median(a.planning for a in answers),
        "planning s, max": max(a.planning for a in answers),
        "published %": published,
    }
    return Line(name, "fcp_ros", figures)


def _list_outcomes(title: str, answers: Sequence[Answer]) -> list[str]:
    """Count the outcomes, and say of each that is not right what it was."""
    counts = Counter(
        a.judgement.outcome.value if a.judgement is not None else "error" for a in answers
    )
    notes = [f"{title}: " + ", ".join(f"{n} {name}" for name, n in counts.most_common())]
    for answer in answers:
        if not answer.right:
            outcome = answer.judgement.outcome.value if answer.judgement else "error"
            reason = answer.judgement.reason if answer.judgement else answer.error
            notes.append(f"  {answer.task.name}: {outcome}: {' '.join(reason.split())[:200]}")
    return notes


def _count_unchecked(answers: Sequence[Answer]) -> str:
    number = sum(len(answer.reference.unchecked) for answer in answers)
    return f"not evaluated: {number} sentences on what is never acceptable that are no formulas"
