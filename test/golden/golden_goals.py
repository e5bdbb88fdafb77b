# SPDX-License-Identifier: Apache-2.0
"""Plans for the 69 tasks of Context Matters from the goals that a person wrote, without reading."""

from __future__ import annotations

from collections.abc import Iterator

from golden_cases import Case
from golden_sentences import QUICK_SCENE, answer, need_tasks

from benchmark.context_matters.answers import GoalReader
from benchmark.context_matters.instances import read_tasks
from benchmark.context_matters.references import read_references


def list_cases() -> Iterator[Case]:
    """Yield the tasks."""
    need_tasks()
    references = read_references()
    for task in read_tasks():
        whole = references[task.name].whole
        assert whole is not None
        reader = GoalReader(whole.text)
        yield Case(
            task.name, lambda task=task, it=reader: answer(task, it), task.scene == QUICK_SCENE
        )
