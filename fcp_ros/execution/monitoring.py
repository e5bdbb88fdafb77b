# SPDX-License-Identifier: Apache-2.0
"""Watching the world while a plan is executed: what a step needs, and what it has brought about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcp_ros.cset import Instance
from fcp_ros.execution.step_application import StepRules, UnknownStep, holds
from fcp_ros.planning.model.plan import PlanStep


class Monitor:
    """Answers the dispatcher's questions on the present state (`dispatch_model.WorldView`).

    Args:
        rules: of the domain that was planned with.
        present: the newest state.
    """

    def __init__(self, rules: StepRules, present: Callable[[], Instance]) -> None:
        self._rules = rules
        self._present = present

    def unmet(self, step: PlanStep) -> str:
        """Why the step can't be done in the present state: one sentence, "" if it can."""
        try:
            problems = self._rules.apply(step, self._present()).problems
        except UnknownStep as error:
            return str(error)
        if not problems:
            return ""
        return f"The world is not as {step} needs it: {' '.join(problems)}"

    def unseen(self, step: PlanStep) -> str:
        """Which of the step's effects don't show in the present state; "" if all do."""
        instance = self._present()
        added, removed = self._rules.effects(step)
        problems = [f"{fact} does not hold." for fact in sorted(added) if not holds(fact, instance)]
        problems += [f"{fact} still holds." for fact in sorted(removed) if holds(fact, instance)]
        return " ".join(problems)


def replay(rules: StepRules, steps: Sequence[PlanStep], instance: Instance) -> str:
    """Whether a whole plan can be done from a state, by doing it there.

    Returns:
        "" if it can; else one sentence that names the first step that can't, and why.
    """
    for number, step in enumerate(steps, start=1):
        try:
            application = rules.apply(step, instance)
        except UnknownStep as error:
            return f"Step {number} of {len(steps)} is no action of the domain: {error}"
        if application.instance is None:
            return (
                f"The plan does not hold on the present scene, at step {number} of {len(steps)}, "
                f"{step}: {' '.join(application.problems)} Plan again."
            )
        instance = application.instance
    return ""
