# SPDX-License-Identifier: Apache-2.0
"""Which chunk each step of a plan belongs to."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.planning.encoding.encoding import Action


def chunk_labels(actions: Iterable[Action]) -> tuple[str, ...]:
    """A label for each step of the actions, in order: `PlanStep.chunk`.

    The name of the chunk, with a number from its second use on ("fetch", "fetch 2"); empty for a
    step that belongs to none.
    """
    uses: dict[str, int] = {}
    labels: list[str] = []
    for action in actions:
        label = action.chunk
        if label:
            uses[label] = uses.get(label, 0) + 1
            label = label if uses[label] == 1 else f"{label} {uses[label]}"
        labels.extend([label] * len(action.steps))
    return tuple(labels)
