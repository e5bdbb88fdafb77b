# SPDX-License-Identifier: Apache-2.0
"""The 69 worded tasks of Context Matters and 25 that can't be done as asked: words to plans.

`golden_goals` asks the same with the goals that a person wrote, which says if it was the reading
that changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from golden_cases import BENCH, PATIENT, Answer, Case, describe_result, need

from benchmark.context_matters.answers import confirm, grounder_of
from benchmark.context_matters.instances import (
    DATA,
    ROBOT,
    HouseTask,
    build_state,
    domain_of,
    read_tasks,
)
from benchmark.context_matters.references import read_variants
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.planning import PlanningRequest
from fcp_ros.relaxation.plan_instruction import plan_instruction

QUICK_SCENE = "Parole"
"""The house whose tasks are asked in the quick form."""


def list_cases() -> Iterator[Case]:
    """Yield the tasks and the variants."""
    need_tasks()
    for task in read_tasks():
        quick = task.scene == QUICK_SCENE
        yield Case(task.name, lambda task=task: answer(task, _open_reader()), quick)
    for number, variant in enumerate(read_variants(read_tasks(without_scene=True))):
        yield Case(
            f"variant {variant.name}",
            lambda task=variant.task: answer(task, _open_reader()),
            number % 4 == 0,
        )


def need_tasks() -> None:
    """Ask for the data of the tasks.

    Raises:
        MissingData: it isn't there.
    """
    need(BENCH / "context_matters" if DATA.is_relative_to(BENCH) else DATA)


@cache
def _open_reader() -> InstructionReader:
    return make_reader(ReaderOptions())


@cache
def _open_similarity() -> EmbeddingLabelSimilarity:
    return EmbeddingLabelSimilarity()


def answer(task: HouseTask, reader: InstructionReader) -> Answer:
    """Read and plan what is asked for."""
    domain = domain_of(task.split)
    state = build_state(task, domain)
    context = ReadingContext(domain, state, robot=ROBOT, similarity=_open_similarity())
    grounder = grounder_of(task.split)
    request = PlanningRequest(domain, state, "", PATIENT, grounder)
    found = plan_instruction(request, task.sentence, reader, context, ask=confirm)
    best = found.interpretation.best
    return {
        "read": best.goal if best else [one.goal for one in found.interpretation.readings],
        **({"degree": best.degree} if best else {}),
        "goal": found.result.goal,
        **describe_result(found.result),
    }
