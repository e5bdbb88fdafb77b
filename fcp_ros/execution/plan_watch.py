# SPDX-License-Identifier: Apache-2.0
"""Whether what has changed in the world matters to the rest of a plan that is being executed."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.execution.step_application import StepRules, UnknownStep, holds
from fcp_ros.planning.model.plan import PlanStep


@dataclass(frozen=True)
class Look:
    """What a look at the changed world has shown.

    Attributes:
        elements: of the rest of the plan that have changed.
        problem: why the rest can't be done as things are, one sentence; "" if it can.
    """

    elements: tuple[str, ...]
    problem: str = ""


class PlanWatch:
    """Looks at the rest of a plan again when elements that occur in it have changed.

    All facts that a step needs, adds or deletes are about its own elements, and a fact changes only
    together with its elements. So a change of other elements can't matter.

    Args:
        rules: of the domain that was planned with.
        steps: the plan's.
    """

    def __init__(self, rules: StepRules, steps: tuple[PlanStep, ...]) -> None:
        self._rules = rules
        self._steps = steps

    def affected(self, index: int, changed: Set[str] | None) -> tuple[str, ...]:
        """Elements of the steps from `index` on that have changed; None: all may have."""
        rest = dict.fromkeys(
            element for step in self._steps[index:] for _, element in step.arguments
        )
        return tuple(name for name in rest if changed is None or name in changed)

    def problem(self, index: int, instance: Instance) -> str:
        """Why the steps from `index` on can't be done; "" if they can, or nobody can tell.

        The step at `index` is being done: it may be at its beginning or at its end, and what the
        world shows in between says nothing for certain.
        """
        step = self._steps[index]
        try:
            added, removed = self._rules.effects(step)
            done = self._rules.apply(step, instance).instance
        except UnknownStep:
            return ""
        if done is None:
            shows = all(holds(fact, instance) for fact in added)
            if not shows or any(holds(fact, instance) for fact in removed):
                return ""
            done = instance
        for number, later in enumerate(self._steps[index + 1 :], start=index + 2):
            application = self._rules.apply(later, done)
            if application.instance is None:
                return (
                    f"step {number} of {len(self._steps)}, {later}, can't be done as things are: "
                    f"{' '.join(application.problems)}"
                )
            done = application.instance
        return ""
