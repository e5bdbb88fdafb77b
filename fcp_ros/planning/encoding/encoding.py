# SPDX-License-Identifier: Apache-2.0
"""An encoded task: the flat task, what its operators stand for, and the way back to steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.semantics import FlatState, initial_state, successor
from fcp_ros.planning.flat.task import FlatTask, Floats
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.task.task import Task


@dataclass(frozen=True, slots=True)
class Recall:
    """An argument that follows from the state: the element in a leg of what a variable holds.

    Attributes:
        variable: the variable, read before the step.
        leg: leg of the fact that its value stands for.
        parameter: number of the step's parameter that it is the argument of.
    """

    variable: int
    leg: int
    parameter: int


@dataclass(frozen=True, slots=True)
class Action:
    """What a flat operator stands for.

    Attributes:
        steps: the ground steps, done one after the other; empty for a finish.
        alternative: number of the goal's alternative that it finishes; -1 for any other operator.
        recall: how to find the argument of the (only) step that is left open, "", if one is.
        chunk: name of the chunk that the steps are; empty for others.
    """

    steps: tuple[GroundStep, ...] = ()
    alternative: int = -1
    recall: Recall | None = None
    chunk: str = ""

    @property
    def finishes(self) -> bool:
        """Whether it is the finish of an alternative."""
        return self.alternative >= 0


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a sequence of flat operators stands for.

    Attributes:
        steps: the ground steps, in order.
        alternative: the alternative that the sequence finishes; None if it finishes none.
    """

    steps: tuple[GroundStep, ...]
    alternative: Alternative | None


@dataclass(frozen=True)
class Encoding:
    """A flat task and what it stands for.

    Attributes:
        flat: the flat task. All losses are 0: see `with_losses`.
        task: the task that it was made from.
        variables: its variables; one more stands for the goal (the last one).
        actions: what each flat operator stands for.
        graded: the graded atoms of each flat operator; of a finish those of its alternative.
        alternatives: the goal's alternatives.
    """

    flat: FlatTask
    task: Task
    variables: Variables
    actions: Sequence[Action]
    graded: Sequence[tuple[GradedAtom, ...]]
    alternatives: Sequence[Alternative]
    _kinds: _Kinds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_kinds", _Kinds.of(self.actions, self.graded))

    def with_losses(self, known: Callable[[GradedAtom], float | None], tnorm: TNorm) -> FlatTask:
        """The flat task with the losses that follow from what is known.

        Args:
            known: degree of a graded atom in [0, 1], or None as long as it is not judged: it then
                counts as the best that it can be, so no loss is too high.
            tnorm: how degrees compose.
        """
        losses = [
            tnorm.loss(tnorm.compose_all(_degree(known(atom)) for atom in atoms))
            for atoms in self._kinds.atoms
        ]
        losses.extend(
            tnorm.loss(self.alternatives[number].upper(known))
            for number in self._kinds.alternatives
        )
        return self.flat._replace(loss=np.array(losses, np.float64)[self._kinds.of_operator])

    def with_costs(self, costs: Floats) -> FlatTask:
        """The flat task with other costs, float64[m], each finite and at least 0."""
        return self.flat._replace(cost=np.ascontiguousarray(costs, np.float64))

    def decode(self, operators: Iterable[int]) -> Decoded:
        """What a sequence of flat operators stands for, applied from the initial state."""
        steps: list[GroundStep] = []
        alternative: Alternative | None = None
        state = initial_state(self.flat)
        for operator in operators:
            action = self.actions[operator]
            if action.finishes:
                alternative = self.alternatives[action.alternative]
            steps.extend(self._steps(action, state))
            state = successor(self.flat, state, operator)
        return Decoded(tuple(steps), alternative)

    def _steps(self, action: Action, state: FlatState) -> tuple[GroundStep, ...]:
        """The steps of an action in a state, with the argument that was left open."""
        recall = action.recall
        if recall is None:
            return action.steps
        fact = self.variables.values[recall.variable][state[recall.variable]]
        if fact is None:
            raise ValueError(f"{action.steps[0]} overwrites what is not there")
        (step,) = action.steps
        arguments = list(step.arguments)
        arguments[recall.parameter] = self.task.facts[fact].arguments[recall.leg]
        return (GroundStep(step.rule, tuple(arguments)),)


@dataclass(frozen=True)
class _Kinds:
    """Operators with the same graded atoms have the same loss: it is worked out once for each kind.

    Attributes:
        atoms: the graded atoms of each kind.
        alternatives: the alternatives that are finished; their kinds come after those of `atoms`.
        of_operator: the kind of each operator, int64[m].
    """

    atoms: Sequence[tuple[GradedAtom, ...]]
    alternatives: Sequence[int]
    of_operator: np.ndarray[tuple[int], np.dtype[np.int64]]

    @classmethod
    def of(cls, actions: Sequence[Action], graded: Sequence[tuple[GradedAtom, ...]]) -> _Kinds:
        kinds: dict[tuple[GradedAtom, ...], int] = {}
        numbers = np.zeros(len(actions), np.int64)
        finishes: list[tuple[int, int]] = []
        for operator, (action, atoms) in enumerate(zip(actions, graded, strict=True)):
            if action.finishes:
                finishes.append((operator, action.alternative))
            else:
                numbers[operator] = kinds.setdefault(atoms, len(kinds))
        for number, (operator, _) in enumerate(finishes):
            numbers[operator] = len(kinds) + number
        return cls(tuple(kinds), tuple(alternative for _, alternative in finishes), numbers)


def _degree(known: float | None) -> float:
    return 1.0 if known is None else known
