# SPDX-License-Identifier: Apache-2.0
"""Which judgements the outcome of a step speaks about.

A chunk that is judged as a whole carries its judgements at its first step (see
`planning/chunks/graded_steps.py`). Whether they were right is known when the chunk has ended: with
its last step, or with the step that fails.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fcp_ros.planning.model.plan import chunk_name


def credited_step(
    labels: Sequence[str], whole: Collection[str], index: int, succeeded: bool
) -> int | None:
    """The step whose judgements an outcome speaks about; None where it is too early to say.

    Arguments:
        labels: the chunk of each step of the plan (`PlanStep.chunk`).
        whole: names of the chunks that are judged as a whole.
        index: the step that has ended.
        succeeded: whether it did what it was for.
    """
    label = labels[index]
    if chunk_name(label) not in whole:
        return index
    last = index + 1 == len(labels) or labels[index + 1] != label
    if succeeded and not last:
        return None
    first = index
    while first > 0 and labels[first - 1] == label:
        first -= 1
    return first
