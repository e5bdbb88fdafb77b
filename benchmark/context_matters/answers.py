# SPDX-License-Identifier: Apache-2.0
"""Answers to the sentences: read, planned, replayed, checked in PDDL and compared with references.

Seconds are by the clock, in one process with its kernels and models loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmark.context_matters.instances import ROBOT, HouseTask, build_state, domain_of
from benchmark.context_matters.pddl import PddlCheck, check_plan
from benchmark.context_matters.references import Reference
from benchmark.context_matters.scoring import Judgement, check, judge_answer
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.grounding import Grounder, make_grounder
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.grounding.options import GroundingOptions
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import LACKING, NO, YES
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStep
from fcp_ros.planning.verification.stepping import Replay, StepRules
from fcp_ros.relaxation.plan_instruction import InstructionResult, plan_instruction
from fcp_ros.relaxation.question import QuestionKind, UserQuestion


@dataclass(frozen=True)
class Setting:
    """The reader and the other choices of a run.

    Attributes:
        reader: reads the sentences.
        val: the binary of VAL; None without it.
        options: of the planner.
        similarity: compares unknown words.
    """

    reader: InstructionReader
    val: Path | None = None
    options: PlanningOptions = field(default_factory=PlanningOptions)
    similarity: EmbeddingLabelSimilarity = field(default_factory=EmbeddingLabelSimilarity)


class TimedReader:
    """A reader that notes how long the last reading took (s)."""

    def __init__(self, reader: InstructionReader) -> None:
        self._reader = reader
        self.seconds = 0.0

    @property
    def name(self) -> str:
        """The name of the reader behind."""
        return self._reader.name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction."""
        started = time.perf_counter()
        try:
            return self._reader.read(instruction, context)
        finally:
            self.seconds = time.perf_counter() - started


class GoalReader:
    """A reader that knows the goal: for planning alone."""

    name = "reference"

    def __init__(self, goal: str) -> None:
        self._goal = goal

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Return the goal, whatever the instruction."""
        reading = Reading(self._goal, 1.0, instruction)
        return Interpretation(instruction, ReadingStatus.READ, "", (reading,), reader=self.name)


@dataclass(frozen=True)
class Answer:
    """The answer to one task, and the judgements about it.

    Attributes:
        task: the task.
        reference: what is right.
        answer: as given; None if answering raised an error.
        judgement: by the reference.
        pddl: by the source's scoring; None without a plan.
        reading: seconds.
        planning: seconds, with relaxing.
        load: of the machine, over the last minute.
        error: the error that was raised; empty without one.
    """

    task: HouseTask
    reference: Reference
    answer: InstructionResult | None
    judgement: Judgement | None
    pddl: PddlCheck | None
    reading: float
    planning: float
    load: float
    error: str = ""

    @property
    def right(self) -> bool:
        """True if a fair person is content."""
        return self.judgement is not None and self.judgement.outcome.right

    @property
    def relaxed(self) -> bool:
        """True if the answer is a plan for less than what was asked, and says so."""
        result = None if self.answer is None else self.answer.result
        return result is not None and bool(result.plan and (result.relaxations or result.given_up))

    @property
    def confirmed(self) -> bool:
        """True if the reading is not plain, so that a person has to confirm it first."""
        best = None if self.answer is None else self.answer.interpretation.best
        return best is not None and best.level is not Confidence.PLAIN

    @property
    def valid(self) -> bool:
        """True by the source's scoring."""
        return self.pddl is not None and self.pddl.valid


@cache
def grounder_of(split: str) -> Grounder:
    """Open the judge of a split's graded predicates, as commands do by default."""
    return make_grounder(domain_of(split), GroundingOptions())


def answer_task(task: HouseTask, reference: Reference, setting: Setting) -> Answer:
    """Answer a sentence and judge the answer."""
    domain = domain_of(task.split)
    state = build_state(task, domain)
    timed = TimedReader(setting.reader)
    context = ReadingContext(domain, state, robot=ROBOT, similarity=setting.similarity)
    started = time.perf_counter()
    try:
        grounder = grounder_of(task.split)
        request = PlanningRequest(domain, state, "", setting.options, grounder)
        answer = plan_instruction(request, task.sentence, timed, context, ask=confirm)
    except Exception as error:  # a benchmark goes on
        text = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - started - timed.seconds
        return _fail(task, reference, timed.seconds, seconds, text)
    planning = time.perf_counter() - started - timed.seconds
    try:
        return _judge(task, reference, answer, setting, (timed.seconds, planning), domain, state)
    except Exception as error:
        return _fail(task, reference, timed.seconds, planning, f"while judging: {error!r}")


def confirm(question: UserQuestion) -> int | None:
    """Say yes to what is proposed, and to an only reading that lacks no words; else nothing."""
    is_only = question.kind is QuestionKind.READING and question.choices == (YES, NO)
    if question.kind is QuestionKind.CONFIRMATION or (is_only and LACKING not in question.text):
        return question.choices.index(YES)
    return None


def _fail(
    task: HouseTask, reference: Reference, reading: float, planning: float, text: str
) -> Answer:
    load = os.getloadavg()[0]
    return Answer(task, reference, None, None, None, reading, planning, load, text)


def _judge(
    task: HouseTask,
    reference: Reference,
    answer: InstructionResult,
    setting: Setting,
    seconds: tuple[float, float],
    domain: Domain,
    state: Instance,
) -> Answer:
    states: Sequence[Instance] = (state,)
    pddl = None
    plan = answer.result.plan
    if plan is not None:
        domain, state = shift_elements(domain, state, plan.shifts)
        states, problems = replay_steps(domain, state, plan.steps)
        if problems:
            pddl = PddlCheck(problems, ("replay",))
        else:
            goal = check(answer.result.goal or plan.goal, domain, state)
            pddl = check_plan(task.split, domain, states, plan.steps, goal, setting.val)
    judgement = judge_answer(answer, reference, domain, states)
    load = os.getloadavg()[0]
    return Answer(task, reference, answer, judgement, pddl, *seconds, load)


def replay_steps(
    domain: Domain, initial: Instance, steps: Sequence[PlanStep]
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Do the steps of a plan; return the states, and what could not be done."""
    amounts = {name: resource.initial for name, resource in domain.resources.items()}
    written = [(f"step {n} {step}", step) for n, step in enumerate(steps, start=1)]
    replayed = Replay(domain, StepRules(domain)).run(initial, written, amounts)
    return replayed.states, replayed.problems


def warm_up(tasks: Sequence[HouseTask], setting: Setting) -> None:
    """Load kernels and models before anything is timed: one task of each split, twice."""
    first = {task.split: task for task in reversed(tasks)}
    for task in (*first.values(), *first.values()):
        domain = domain_of(task.split)
        context = ReadingContext(
            domain, build_state(task, domain), robot=ROBOT, similarity=setting.similarity
        )
        with suppress(Exception):  # it will be seen when it counts
            grounder = grounder_of(task.split)
            request = PlanningRequest(
                context.domain, context.instance, "", setting.options, grounder
            )
            plan_instruction(request, task.sentence, setting.reader, context, ask=confirm)


def describe(answer: Answer) -> dict[str, object]:
    """Return an answer as plain data."""
    found = answer.answer
    result = None if found is None else found.result
    best = None if found is None else found.interpretation.best
    readings = () if found is None else found.interpretation.readings
    return {
        "task": answer.task.name,
        "sentence": answer.task.sentence,
        "outcome": answer.judgement.outcome.value if answer.judgement else "error",
        "reason": answer.judgement.reason if answer.judgement else answer.error,
        "doubtful": answer.reference.doubt,
        "status": result.status.name if result else None,
        "message": result.message if result else None,
        "read": best.goal if best else [reading.goal for reading in readings[:2]],
        "degree": best.degree if best else None,
        "goal": result.goal if result else None,
        "relaxations": [r.reason for r in result.relaxations] if result else [],
        "plan": [str(step) for step in result.plan.steps] if result and result.plan else None,
        "pddl": answer.pddl.problems if answer.pddl else None,
        "valid": answer.valid,
        "reading_s": answer.reading,
        "planning_s": answer.planning,
        "load": answer.load,
    }
