# SPDX-License-Identifier: Apache-2.0
"""A plan: steps with their degrees, the binding of the goal's variables, and a schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.judgement import JudgementRequest, Membership


@dataclass(frozen=True, slots=True)
class Judged:
    """A graded atom that entered a degree: the request and its answer."""

    request: JudgementRequest
    membership: Membership

    @property
    def atom(self) -> tuple[str, tuple[str, ...]]:
        """The graded atom: predicate, and an element name or a text for each parameter."""
        return (self.request.predicate, tuple(a.text for a in self.request.arguments))


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One action."""

    rule: str
    # (parameter, element name) for each parameter of the rule, in its order
    arguments: tuple[tuple[str, str], ...]
    degree: float  # composition of the step's graded atoms, in [0, 1]; 1 for a crisp step
    membership_after: float  # composition of the degrees of all steps up to this one, in [0, 1]
    duration: float  # expected duration in seconds
    executor: str
    judgements: tuple[Judged, ...] = ()
    # the chunk that the step belongs to, with a number from the second use in the plan on ("fetch",
    # "fetch 2"); empty for a step of its own
    chunk: str = ""
    # the step in the notation of the user's files, where that is another than the rule with its
    # arguments in parentheses; otherwise empty
    text: str = ""

    @property
    def elements(self) -> tuple[str, ...]:
        """The names of the elements that it is about, in the order of the rule's parameters."""
        return tuple(element for _, element in self.arguments)

    def __str__(self) -> str:
        return self.text or f"{self.rule}({', '.join(self.elements)})"


def chunk_name(label: str) -> str:
    """Return the name of a step's chunk: `PlanStep.chunk` without the number of the use."""
    name, _, number = label.rpartition(" ")
    return name if name and number.isdigit() else label


@dataclass(frozen=True, slots=True)
class Schedule:
    """Start and end of every step, counted from the start of the plan, in seconds.

    Steps go by their position in the plan, from 0. Any times that keep `order`, the windows and the
    deadline would do; these are the earliest ones.
    """

    starts: tuple[float, ...]
    ends: tuple[float, ...]
    # the latest start of each step at which the plan can still be done by `makespan`; a step for
    # which it equals the earliest one is critical
    latest_starts: tuple[float, ...]
    # (before, after): the first has ended when the second starts. The transitive reduction, sorted;
    # steps that it does not order may run at the same time.
    order: tuple[tuple[int, int], ...]
    # the agents that are busy with each step; no two steps of one agent overlap
    agents: tuple[tuple[str, ...], ...]
    makespan: float  # end of the last step; 0 without steps


@dataclass(frozen=True, slots=True)
class Plan:
    """A verified sequence of steps."""

    goal: str  # the goal's text, as planned (after relaxation)
    steps: tuple[PlanStep, ...]
    membership: float  # composition of the steps' degrees and `goal_degree`, in [0, 1]
    # degree of the goal in the state that the steps lead to, in [0, 1], by `goal_judgements`
    goal_degree: float
    # the judged graded atoms of the goal that `goal_degree` rests on; others of the goal count for
    # nothing
    goal_judgements: tuple[Judged, ...]
    binding: tuple[tuple[str, str], ...]
    alpha: float
    tnorm: str
    id: str
    resources_after: Mapping[str, float] = field(default_factory=dict)
    schedule: Schedule | None = None
    # resource, "cost", "time" or "steps" -> how much of it the plan was allowed to use
    budgets: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # the parts of the goal that it leaves out for them, in words
    # (element, type) for each element that the rules take for one of another type
    shifts: tuple[tuple[str, str], ...] = ()

    @property
    def end(self) -> float:
        """The time of the end of the last step, in seconds from the start."""
        return self.duration if self.schedule is None else self.schedule.makespan

    @property
    def duration(self) -> float:
        """Expected duration of all steps, one after the other, in seconds."""
        return sum(step.duration for step in self.steps)


# --- plans that are known without a search, such as those of a general policy


@dataclass(frozen=True, slots=True)
class PolicyFeature:
    """Something about a state that a policy looks at."""

    name: str
    text: str
    is_boolean: bool  # True if its values are 0 and 1 only
    # the value of a distance where there is no way; None for other features
    no_way: int | None = None

    def write_value(self, value: int) -> str:
        """Write a value: "yes" or "no", a number, or ∞ for a distance without a way."""
        if self.is_boolean:
            return "yes" if value else "no"
        return "∞" if value == self.no_way else str(value)


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """An abstract action, taken for one step or more."""

    action: str
    values: tuple[int, ...]  # of all features before it
    steps: int  # number of steps of the plan up to its end


@dataclass(frozen=True, slots=True)
class PolicyTrace:
    """The run of a policy that made a plan."""

    features: tuple[PolicyFeature, ...]
    # in order; their steps together are the plan's, or its first ones
    moves: tuple[PolicyMove, ...]
    final: tuple[int, ...]  # the values of all features after the moves
    left_out: int = 0  # further moves of a long run, which a message does not have


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Steps that lead to a goal, as somebody claims."""

    # rule and an element name for each of its parameters, in the rule's order; None if there is no
    # suggestion
    steps: tuple[tuple[str, tuple[str, ...]], ...] | None
    policy: str = ""  # name of the general policy that they come from
    # a sentence for each policy that was looked at before, and why it suggests nothing
    notes: tuple[str, ...] = ()
    trace: PolicyTrace | None = None


class PlanSuggester(Protocol):
    """Anything that knows plans of a domain without a search. Safe to use from several threads."""

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Check
    ) -> Suggestion:
        """Suggest steps from a state to a goal.

        Args:
            seconds: time (wall clock) that it may take.
        """
        ...
