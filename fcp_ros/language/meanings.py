# SPDX-License-Identifier: Apache-2.0
"""The meanings of the phrases of a domain: conditions over slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.words import Addition, TaskTemplate


class MeaningSource(Enum):
    """The part of a domain that a meaning is of."""

    RELATION = "relation"
    GRADED = "graded predicate"
    RULE = "rule"
    TASK = "task"


@dataclass(frozen=True)
class Meaning:
    """A condition over slots.

    Attributes:
        name: of the relation, graded predicate, rule or task.
        source: which of these it is.
        types: slot -> type of the schema, "text" or "number".
        goal: the condition; its free variables are called as the slots. None for a task.
        task: the task.
        addition: a remark beside the task.
    """

    name: str
    source: MeaningSource
    types: Mapping[str, str]
    goal: Expression | None = None
    task: TaskTemplate | None = None
    addition: Addition | None = None
