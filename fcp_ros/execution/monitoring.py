# SPDX-License-Identifier: Apache-2.0
"""Monitoring of the world while a plan is executed.

`Monitor` answers for the present step: is everything there that it needs, does the world show what
it was to bring about? `PlanWatch` looks at the rest of the plan after a change of the world.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance, UnknownElement
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.foundation.wording import list_names
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules, UnknownStep, holds


class DeadlineWatch:
    """Compares the expected end of a plan with its deadline. Not thread-safe.

    Steps are done one after the other, so the plan ends when the present step and all after it have
    taken as long as expected; a step that takes longer is expected to end now.

    Args:
        durations: Expected durations of the steps (s), in order.
        deadline: Longest time for all of it (s); infinite for none.
        begun: The clock's time when the execution began, of an earlier plan for the same goal too.
    """

    def __init__(self, durations: Sequence[float], deadline: float, begun: float) -> None:
        self._durations = tuple(durations)
        self._deadline = deadline
        self._begun = begun
        self._index = 0
        self._started: float | None = None

    def begin_step(self, index: int, now: float) -> None:
        """Note that a step has been sent."""
        self._index, self._started = index, now

    def end_step(self, index: int) -> None:
        """Note that a step has ended."""
        self._index, self._started = index + 1, None

    def find_moment(self, now: float) -> float | None:
        """Return the clock's time from which the deadline can't be kept if nothing happens."""
        # None without a deadline; `now` or earlier if it can't be kept already.
        if not math.isfinite(self._deadline):
            return None
        rest = sum(self._durations[self._index :])
        end = self._begun + self._deadline
        if self._started is None:
            return end - rest
        own = self._durations[self._index]
        after = end - (rest - own)
        return now if self._started + own > after else after

    def find_breach(self, now: float) -> str:
        """Say that the deadline can't be kept any more: one sentence; "" while it can."""
        moment = self.find_moment(now)
        if moment is None or now < moment:
            return ""
        rest = sum(self._durations[self._index :])
        if self._started is not None:
            own = self._durations[self._index]
            rest -= min(own, now - self._started)
        took = now - self._begun
        return (
            f"The deadline of {self._deadline:g} s can't be kept any more: {took:.1f} s have "
            f"passed, and the rest of the plan is expected to take {rest:.1f} s."
        )


def describe_delay(deadline: float, took: float) -> str:
    """Say that a deadline was missed: one sentence; "" if it was kept (both in s)."""
    if took <= deadline:
        return ""
    return f"The deadline was missed: {deadline:g} s were allowed, and it took {took:.1f} s."


_QUOTED = re.compile(r'"([^"]+)"')
_VARIABLE = re.compile(r"\?(\w+): (\w+)")


class ArrivalWatch:
    """Notices things of a kind that a goal asked for and did not find.

    `originals`: the parts of the goal that were relaxed, as `Relaxation.original` has them: a kind
    of thing, or a condition in the goal language. `planned_from`: the state that the relaxed plan
    was made for.
    """

    def __init__(self, originals: Iterable[str], planned_from: Instance) -> None:
        self._labels = frozenset(label for text in originals for label in _list_kinds(text))
        self._known = self._find_things(planned_from)

    def find_arrival(self, present: Instance) -> str:
        """Return a sentence if something that was missing has appeared; empty if not."""
        arrived = self._find_things(present) - self._known
        if not arrived:
            return ""
        have = "has" if len(arrived) == 1 else "have"
        return f"{list_names(sorted(arrived))} {have} appeared, which the goal had to do without."

    def _find_things(self, instance: Instance) -> frozenset[str]:
        return frozenset(
            instance.name_of(element)
            for element in instance.all_elements()
            if any(is_a(instance, element, label) for label in self._labels)
        )


def _list_kinds(text: str) -> list[str]:
    """List the kinds that a text speaks of: labels, and types of variables without a label."""
    types = [kind for name, kind in _VARIABLE.findall(text) if f"is_a(?{name}, " not in text]
    return [text, *_QUOTED.findall(text), *types]


Effects = tuple[frozenset[Fact], frozenset[Fact]]
"""The facts that hold after a step, and those that don't."""


class Monitor:
    """Answers the dispatcher's questions on the present state (`dispatch_model.WorldView`).

    A conditional effect happens or not by the state in which its step began. So the effects of a
    step are worked out when it is found to be feasible, and kept until the world shows them.
    `rules`: of the domain that was planned with.
    """

    def __init__(self, rules: StepRules, present: Callable[[], Instance]) -> None:
        self._rules = rules
        self._present = present
        self._begun: dict[tuple[str, tuple[tuple[str, str], ...]], Effects] = {}

    def find_unmet(self, step: PlanStep) -> str:
        """Say why the step can't be done in the present state: one sentence, "" if it can."""
        present = self._present()
        try:
            application = self._rules.apply(step, present)
        except UnknownStep as error:
            return f"{step}: {error}."
        if application.problems:
            return f"The world is not as {step} needs it: {application.reason}."
        self._begun[step.rule, step.arguments] = self._rules.find_effects(step, present)
        return ""

    def find_unseen(self, step: PlanStep) -> str:
        """Say which of the step's effects don't show in the present state; "" if all do."""
        instance = self._present()
        added, removed = self.find_effects(step)
        problems = [f"{fact} does not hold." for fact in sorted(added) if not holds(fact, instance)]
        problems += [f"{fact} still holds." for fact in sorted(removed) if holds(fact, instance)]
        return " ".join(problems)

    def find_effects(self, step: PlanStep) -> Effects:
        """Return the effects of a step, by the state in which it was last found to be feasible.

        For a step that never was, by the present state; none if that lacks an element of the step.
        Raises UnknownStep if the domain has no such step.
        """
        found = self._begun.get((step.rule, step.arguments))
        if found is not None:
            return found
        try:
            return self._rules.find_effects(step, self._present())
        except UnknownElement:
            return frozenset(), frozenset()


@dataclass(frozen=True)
class Look:
    """The result of a look at the changed world."""

    elements: tuple[str, ...]  # of the rest of the plan that have changed
    problem: str = ""  # why the rest can't be done now, one sentence; "" if it can


class PlanWatch:
    """Looks at the rest of a plan again when elements that occur in it have changed.

    All facts that a step needs, adds or deletes are about its own elements, and a fact changes only
    together with its elements. So a change of other elements can't matter.
    """

    def __init__(
        self,
        rules: StepRules,  # of the domain that was planned with
        steps: tuple[PlanStep, ...],
        # returns the effects of a step that has begun (`Monitor.find_effects`)
        effects: Callable[[PlanStep], Effects],
    ) -> None:
        self._rules = rules
        self._steps = steps
        self._effects = effects

    def find_affected(self, index: int, changed: Set[str] | None) -> tuple[str, ...]:
        """Return the elements of the steps from `index` on that have changed.

        `changed`: the elements of the scene that have changed; None: all may have.
        """
        rest = dict.fromkeys(
            element for step in self._steps[index:] for _, element in step.arguments
        )
        return tuple(name for name in rest if changed is None or name in changed)

    def find_problem(self, index: int, instance: Instance) -> str:
        """Say why the steps from `index` on can't be done; "" if they can, or nobody can tell."""
        # The step at `index` is being done: it may be at its beginning or at its end, and what the
        # world shows in between says nothing for certain.
        step = self._steps[index]
        try:
            state = self._rules.apply(step, instance).instance
        except UnknownStep:
            return ""
        if state is None:
            added, removed = self._effects(step)
            shows = all(holds(fact, instance) for fact in added)
            if not shows or any(holds(fact, instance) for fact in removed):
                return ""
            state = instance
        for number, later in enumerate(self._steps[index + 1 :], start=index + 2):
            application = self._rules.apply(later, state)
            if application.instance is None:
                return (
                    f"step {number} of {len(self._steps)}, {later}, can't be done as things are: "
                    f"{application.reason}."
                )
            state = application.instance
        return ""


def find_obstacle(rules: StepRules, steps: Sequence[PlanStep], instance: Instance) -> str:
    """Say why a whole plan can't be done from a state, by doing it there.

    Returns "" if it can be done; else one sentence that names the first step that can't, and why.
    """
    for number, step in enumerate(steps, start=1):
        try:
            application = rules.apply(step, instance)
        except UnknownStep as error:
            position = f"Step {number} of {len(steps)}, {step},"
            return f"{position} is not an action of the domain: {error}."
        if application.instance is None:
            return (
                f"The plan does not hold on the present scene, at step {number} of {len(steps)}, "
                f"{step}: {application.reason}. Plan again."
            )
        instance = application.instance
    return ""
