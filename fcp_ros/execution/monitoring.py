# SPDX-License-Identifier: Apache-2.0
"""Monitoring of the world while a plan is executed.

`Monitor` answers for a step that is being done: is everything there that it needs, does the world
show what it was to bring about? `PlanWatch` looks at the rest of the plan after a change of the
world.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from graphlib import TopologicalSorter

from fcp_ros.cset import Fact, Instance, UnknownElement
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.execution.rest_replay import RestReplay
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.foundation.wording import list_names
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules, UnknownStep, holds


class DeadlineWatch:
    """Compares the expected end of a plan with its deadline. Not thread-safe.

    A step that is being done is expected to take as long as planned, or to end now if it has taken
    longer. One whose turn has come begins now, and the others begin as soon as their order allows:
    that a robot's executor may be busy elsewhere is not counted.

    Args:
        durations: Expected durations of the steps (s), in order.
        deadline: Longest time for all of it (s); infinite for none.
        begun: The clock's time when the execution began, of an earlier plan for the same goal too.
        order: By default one step after the other.
    """

    def __init__(
        self,
        durations: Sequence[float],
        deadline: float,
        begun: float,
        order: RunOrder | None = None,
    ) -> None:
        self._durations = tuple(durations)
        self._befores = (order or RunOrder.chain(len(self._durations))).befores
        self._tails = _measure_tails(self._durations, self._befores)
        self._deadline = deadline
        self._begun = begun
        self._started: dict[int, float] = {}  # step that is being done -> when it was sent
        self._ended: set[int] = set()

    def begin_step(self, index: int, now: float) -> None:
        self._started[index] = now

    def end_step(self, index: int) -> None:
        self._started.pop(index, None)
        self._ended.add(index)

    def find_moment(self, now: float) -> float | None:
        """Return the clock's time from which the deadline can't be kept if nothing happens."""
        # None without a deadline; `now` or earlier if it can't be kept already.
        if not math.isfinite(self._deadline):
            return None
        end = self._begun + self._deadline
        moments = [end]
        for index in self._list_present():
            after = end - self._tails[index]
            own, started = self._durations[index], self._started.get(index)
            if started is None:
                moments.append(after - own)
            else:
                moments.append(now if started + own > after else after)
        return min(moments)

    def find_breach(self, now: float) -> str:
        """Say that the deadline can't be kept any more: one sentence; "" while it can."""
        moment = self.find_moment(now)
        if moment is None or now < moment:
            return ""
        rests = [self._find_rest(index, now) for index in self._list_present()]
        rest = max(rests, default=0.0)
        took = now - self._begun
        return (
            f"The deadline of {self._deadline:g} s can't be kept any more: {took:.1f} s have "
            f"passed, and the rest of the plan is expected to take {rest:.1f} s."
        )

    def _list_present(self) -> list[int]:
        """List the steps that are being done, and those whose turn has come."""
        return [
            index
            for index, befores in enumerate(self._befores)
            if index in self._started or (index not in self._ended and befores <= self._ended)
        ]

    def _find_rest(self, index: int, now: float) -> float:
        """Return the expected time from now to the end of a present step and all after it (s)."""
        own = self._durations[index]
        passed = min(own, now - self._started.get(index, now))
        return own - passed + self._tails[index]


def _measure_tails(
    durations: Sequence[float], befores: Sequence[frozenset[int]]
) -> tuple[float, ...]:
    """Return for each step the time that what waits for it takes, however parallel (s)."""
    tails = [0.0] * len(durations)
    order = tuple(TopologicalSorter(dict(enumerate(befores))).static_order())
    for after in reversed(order):
        for before in befores[after]:
            tails[before] = max(tails[before], durations[after] + tails[after])
    return tuple(tails)


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
    together with its elements. So a change of other elements can't matter, unless a step looks at
    more than its own (`rest_replay.reads_others`): then each change is looked at.
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
        self._replay = RestReplay(rules, steps)

    def find_affected(self, rest: Iterable[int], changed: Set[str] | None) -> tuple[str, ...]:
        """Return the changed elements that matter to some steps, by their positions.

        `changed`: the elements of the scene that have changed; None: all may have.
        """
        indexes = tuple(rest)
        names = dict.fromkeys(
            element for index in indexes for _, element in self._steps[index].arguments
        )
        found = tuple(name for name in names if changed is None or name in changed)
        if not found and changed and self._replay.reads_others(indexes):
            return tuple(sorted(changed))
        return found

    def find_problem(
        self, running: Iterable[int], waiting: Iterable[int], instance: Instance
    ) -> str:
        """Say why the rest of the plan can't be done; "" if it can, or nobody can tell.

        `running`, `waiting`: positions of the steps that are being done, and of those to come, both
        in their order in the plan.
        """
        # A step that is being done may be at its beginning or at its end, and what the world shows
        # in between says nothing for certain.
        for index in running:
            step = self._steps[index]
            try:
                state = self._rules.apply(step, instance).instance
            except UnknownStep:
                return ""
            if state is not None:
                instance = state
                continue
            added, removed = self._effects(step)
            shows = all(holds(fact, instance) for fact in added)
            if not shows or any(holds(fact, instance) for fact in removed):
                return ""
        found = self._replay.find_obstacle(waiting, instance)
        if found is None:
            return ""
        return (
            f"step {found.index + 1} of {len(self._steps)}, {self._steps[found.index]}, can't be "
            f"done as things are: {found.reason}."
        )


def find_granted(
    rules: StepRules,
    steps: Sequence[PlanStep],
    instance: Instance,
    is_unseen: Callable[[Fact], bool],
) -> frozenset[Fact]:
    """Find the facts that a plan ends, and that nobody has seen either way.

    Whoever said "wipe the table" has seen the dirt that the robot doesn't: the planner took it for
    granted (`relaxation.presuppositions`), and a scene that is silent is no evidence against it.
    """
    granted: set[Fact] = set()
    added: set[Fact] = set()
    for step in steps:
        try:
            begun, ended = rules.find_effects(step, instance)
        except (UnknownStep, UnknownElement):
            continue  # which is said where the plan is checked
        granted.update(fact for fact in ended - added if is_unseen(fact))
        added |= begun
    return frozenset(granted)


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
