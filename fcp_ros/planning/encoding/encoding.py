# SPDX-License-Identifier: Apache-2.0
"""An encoded task: the flat task, the meaning of its operators, and the decoding of plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import GoalStages, find_goal_stages
from fcp_ros.planning.flat.semantics import advance, initial_state, is_applicable
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.goal.stages import BEGIN, StageMove
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.task.task import Task

_StepNames = tuple[tuple[str, tuple[str, ...]], ...]
"""The rule and the arguments of each step of an operator."""


@dataclass(frozen=True, slots=True)
class Recall:
    """An argument that follows from the state: the element in a leg of a variable's fact."""

    variable: int
    leg: int
    parameter: int


@dataclass(frozen=True, slots=True)
class FlatAction:
    """The meaning of a flat operator."""

    steps: tuple[GroundStep, ...] = ()
    # number of the alternative in `Encoding.alternatives` that it finishes; -1 if it is no finish
    alternative: int = -1
    # finds the argument of the (only) step that is left open, ""; None if none is
    recall: Recall | None = None
    chunk: str = ""  # name of the chunk that the steps are; empty for others
    move: StageMove | None = None

    @property
    def belongs_to_goal(self) -> bool:
        """True if it changes nothing in the world."""
        return self.finishes or self.move is not None

    @property
    def finishes(self) -> bool:
        """True if it is the finish of an alternative."""
        return self.alternative >= 0


@dataclass(frozen=True, slots=True)
class Decoded:
    """The meaning of a sequence of flat operators."""

    steps: tuple[GroundStep, ...]
    alternative: Alternative | None
    moves: tuple[StageMove, ...] = ()

    @property
    def goal_parts(self) -> tuple[Alternative, ...]:
        """The alternatives that the degree of the goal is composed of."""
        assert self.alternative is not None, "the sequence is a plan"
        return (self.alternative, *(move.alternative for move in self.moves))

    @property
    def binding(self) -> Binding:
        """The elements that the variables of the goal stand for."""
        return tuple(pair for part in self.goal_parts for pair in part.binding)


@dataclass(frozen=True)
class Encoding:
    """A flat task and its meaning."""

    flat: FlatTask  # the flat task. All losses are 0: see `with_losses`.
    task: Task
    variables: Variables  # its variables; one more stands for the goal (the last one)
    actions: Sequence[FlatAction]
    graded: Sequence[tuple[GradedAtom, ...]]
    # the goal's alternatives; those of its stages are in their moves
    alternatives: Sequence[Alternative]
    # True if they are only a part of the goal's formula (see goal/division.py)
    divided: bool = False
    _kinds: _LossKinds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_kinds", _LossKinds.of(self.actions, self.graded, self.alternatives)
        )

    def with_losses(self, known: Callable[[GradedAtom], float | None], tnorm: TNorm) -> FlatTask:
        """Return the flat task with the losses that follow from known degrees; others are 1."""
        losses = [
            tnorm.loss(tnorm.compose_all(_degree(known(atom)) for atom in atoms))
            for atoms in self._kinds.atoms
        ]
        losses.extend(
            tnorm.loss(alternative.upper(known)) for alternative in self._kinds.alternatives
        )
        return self.flat._replace(loss=np.array(losses, np.float64)[self._kinds.of_operator])

    @cached_property
    def stages(self) -> GoalStages | None:
        """The stages of the goal; None if a finish is all."""
        return find_goal_stages(self.flat)

    def settle_goal(
        self, task: FlatTask, operators: Sequence[int], cost_first: bool = False
    ) -> tuple[int, ...] | None:
        """Settle the goal in the best way where a sequence of operators leads to.

        A search that is content with some plan may give up a preference that holds.

        Args:
            operators: applicable one after the other; those of the goal are left aside.
            cost_first: True if costs decide, and losses only between equal ones.

        Returns:
            A plan; None if there is none without more steps.
        """
        if self.stages is None:
            return tuple(operators)
        world = [operator for operator in operators if operator not in self.stages.operators]
        state = list(initial_state(task))
        for operator in world:
            advance(task, state, operator)
        first, second = (task.cost, task.loss) if cost_first else (task.loss, task.cost)
        way = self.stages.find_best_way(state, lambda one: (float(first[one]), float(second[one])))
        return None if way is None else (*world, *way)

    def list_windows(self, operators: Iterable[int]) -> tuple[Window, ...]:
        """List the window of each step of a plan; of the steps of a chunk, that of all of them."""
        flat = self.flat
        return tuple(
            Window(float(flat.opens[operator]), float(flat.closes[operator]))
            for operator in operators
            for _ in self.actions[operator].steps
        )

    def list_parts(self, task: FlatTask, cost_first: bool) -> list[tuple[tuple[int, ...], float]]:
        """List the operators that keep what may be given up, and the price of that."""
        price = task.cost if cost_first else task.loss
        kept: dict[tuple[int, int], list[int]] = {}
        lost: dict[tuple[int, int], float] = {}
        for number, action in enumerate(self.actions):
            if action.move is None:
                continue
            stages = _find_stages(action)
            if action.move.kept >= 0:
                kept.setdefault(stages, []).append(number)
            elif action.move.given_up:
                lost[stages] = float(price[number])
        return [
            (tuple(operators), lost[stages] - float(price[operators].min()))
            for stages, operators in kept.items()
            if lost.get(stages, 0.0) > float(price[operators].min())
        ]

    def decode(self, operators: Iterable[int]) -> Decoded:
        """Decode a sequence of flat operators that is applied from the initial state."""
        steps: list[GroundStep] = []
        alternative: Alternative | None = None
        moves: list[StageMove] = []
        state = list(initial_state(self.flat))
        for operator in operators:
            action = self.actions[operator]
            if action.finishes:
                alternative = self.alternatives[action.alternative]
            if action.move is not None:
                moves.append(action.move)
            steps.extend(self._complete_steps(action, state))
            advance(self.flat, state, operator)
        return Decoded(tuple(steps), alternative, tuple(moves))

    def find_operators(self, groups: Iterable[Sequence[GroundStep]]) -> tuple[int, ...] | None:
        """Find operators that take the given steps from the initial state.

        Args:
            groups: the steps of one operator each.

        Returns:
            None where this task has no operator for some of them.
        """
        state, found = list(initial_state(self.flat)), []
        for steps in groups:
            names = tuple((step.rule.name, step.arguments) for step in steps)
            numbers = (*self._numbers.get(names, ()), *self._find_recalling(names))
            number = next((n for n in numbers if is_applicable(self.flat, state, n)), None)
            if number is None:
                return None
            found.append(number)
            advance(self.flat, state, number)
        return tuple(found)

    def _find_recalling(self, names: _StepNames) -> Sequence[int]:
        """Find the operators that recall an argument of a step from the state."""
        ((rule, arguments), *more) = names
        place = self._recalled.get(rule)
        if place is None or more:
            return ()
        return self._numbers.get(((rule, (*arguments[:place], "", *arguments[place + 1 :])),), ())

    @cached_property
    def _numbers(self) -> dict[_StepNames, list[int]]:
        """The operators that take some steps: several, where they count for something besides."""
        found: dict[_StepNames, list[int]] = {}
        for number, action in enumerate(self.actions):
            names = tuple((step.rule.name, step.arguments) for step in action.steps)
            found.setdefault(names, []).append(number)
        return found

    @cached_property
    def _recalled(self) -> dict[str, int]:
        """Rule -> the place of the argument that its operators recall."""
        return {
            action.steps[0].rule.name: action.recall.parameter
            for action in self.actions
            if action.recall is not None
        }

    def _complete_steps(self, action: FlatAction, state: Sequence[int]) -> tuple[GroundStep, ...]:
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


def _find_stages(action: FlatAction) -> tuple[int, int]:
    return (0, BEGIN) if action.move is None else (action.move.source, action.move.target)


@dataclass(frozen=True)
class _LossKinds:
    """Kinds of operators: those with the same graded atoms have the same loss, computed once."""

    atoms: Sequence[tuple[GradedAtom, ...]]
    # one for each operator of the goal; their kinds come after those of `atoms`
    alternatives: Sequence[Alternative]
    of_operator: np.ndarray[tuple[int], np.dtype[np.int64]]

    @classmethod
    def of(
        cls,
        actions: Sequence[FlatAction],
        graded: Sequence[tuple[GradedAtom, ...]],
        alternatives: Sequence[Alternative],
    ) -> _LossKinds:
        kinds: dict[tuple[GradedAtom, ...], int] = {}
        numbers = np.zeros(len(actions), np.int64)
        of_goal: list[int] = []
        found: list[Alternative] = []
        for operator, (action, atoms) in enumerate(zip(actions, graded, strict=True)):
            if action.belongs_to_goal:
                move = action.move
                of_goal.append(operator)
                found.append(alternatives[action.alternative] if move is None else move.alternative)
            else:
                numbers[operator] = kinds.setdefault(atoms, len(kinds))
        numbers[of_goal] = len(kinds) + np.arange(len(of_goal))
        return cls(tuple(kinds), tuple(found), numbers)


def _degree(known: float | None) -> float:
    return 1.0 if known is None else known
