# SPDX-License-Identifier: Apache-2.0
"""A program in one state, with the choices that are left: depth first, in the engine's order.

Programs are compiled to a graph of steps and tests, so that loops cost no recursion. A run that
comes to the same loop in the same state again goes back to its last choice: all that follows from
there was, or is being, tried. So the many shortest ways to one place are tried as one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import ConceptExpression
from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.refinement.programs import (
    ConcreteStep,
    IfBranch,
    LowerLoop,
    Program,
    WhileLoop,
    list_tests,
)
from fcp_ros.abstraction.states.changes import Undo
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState

ProgramSteps: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""Rule and elements (bits) of each step that was done."""


@dataclass(slots=True)
class _StepNode:
    rule: str
    constraints: tuple[tuple[str, ConceptExpression], ...]
    following: _Node


@dataclass(slots=True)
class _TestNode:
    """`literals` are positions of features in the evaluator's tuple, and wanted truth values.

    `around` are the loops of `lower` that it is in, innermost last.
    """

    literals: tuple[tuple[int, bool], ...]
    is_loop: bool
    around: tuple[int, ...]
    following: _Node = None
    otherwise: _Node = None


@dataclass(slots=True)
class _LowerNode:
    """The feature at a place of the evaluator's tuple must be lower than when it was last here.

    `loop` is the number of the loop, shared by the node where it is entered and the one after each
    round; `around` are the loops of `lower` that it is in.
    """

    place: int
    loop: int
    is_entry: bool
    around: tuple[int, ...]
    following: _Node = None
    otherwise: _Node = None


_Node: TypeAlias = "_StepNode | _TestNode | _LowerNode | None"


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A program ready to run.

    Attributes:
        start: its first node.
        evaluator: of the features that its tests read, and of the concepts of its parameters.
    """

    start: _Node
    evaluator: FeatureEvaluator


def compile_programs(
    programs: Iterable[Program], features: Iterable[Feature] = ()
) -> tuple[FeatureEvaluator, tuple[CompiledProgram, ...]]:
    """Compile programs that share one evaluator, so that nothing is computed twice.

    Args:
        programs: one after the other.
        features: come first among the values of the evaluator.
    """
    programs = tuple(programs)
    tests = (test for program in programs for test in list_tests(program))
    read = (feature for test in tests for feature, _ in test.literals)
    first = tuple(features)
    later = (feature for feature in dict.fromkeys(read) if feature not in first)
    evaluator = FeatureEvaluator((*first, *later))
    return evaluator, tuple(_compile_program(program, evaluator) for program in programs)


def _compile_program(program: Program, evaluator: FeatureEvaluator) -> CompiledProgram:
    places = {feature: place for place, feature in enumerate(evaluator.features)}

    loops = itertools.count()

    def compile_lower(loop: LowerLoop, following: _Node, around: tuple[int, ...]) -> _Node:
        place, number = places[loop.feature], next(loops)
        entry = _LowerNode(place, number, True, around, otherwise=following)
        again = _LowerNode(place, number, False, around, otherwise=following)
        body = compile_statements(loop.body, again, (*around, number))
        entry.following = again.following = body
        return entry

    def compile_test(
        statement: WhileLoop | IfBranch, following: _Node, around: tuple[int, ...]
    ) -> _Node:
        literals = tuple((places[feature], value) for feature, value in statement.test.literals)
        if isinstance(statement, WhileLoop):
            node = _TestNode(literals, True, around, otherwise=following)
            node.following = compile_statements(statement.body, node, around)
            return node
        body = compile_statements(statement.body, following, around)
        otherwise = compile_statements(statement.otherwise, following, around)
        return _TestNode(literals, False, around, body, otherwise)

    def compile_statements(statements: Program, following: _Node, around: tuple[int, ...]) -> _Node:
        for statement in reversed(statements):
            if isinstance(statement, ConcreteStep):
                constraints = tuple(statement.constraints.items())
                following = _StepNode(statement.rule, constraints, following)
            elif isinstance(statement, LowerLoop):
                following = compile_lower(statement, following, around)
            else:
                following = compile_test(statement, following, around)
        return following

    return CompiledProgram(compile_statements(program, None, ()), evaluator)


@dataclass(slots=True)
class _Choice:
    """A step that was chosen among the bindings left; `trail` is the length of the run's then."""

    bindings: Iterator[tuple[int, ...]]
    node: _StepNode
    trail: int
    undo: Undo | None = None


class TriesExceeded(Exception):
    """More bindings were tried than allowed."""


class ProgramRun:
    """A program that runs in a state, in place.

    Args:
        program: compiled.
        engine: of the domain.
        state: where it starts.

    Attributes:
        steps: those done up to the present end of the program.
        tries: number of bindings that were tried.
    """

    def __init__(
        self,
        program: CompiledProgram,
        engine: RuleEngine,
        state: RelationalState,
    ) -> None:
        self._program = program
        self._engine = engine
        self._state = state
        self._choices: list[_Choice] = []
        # Loop, state, and the numbers of the loops around: the same tries follow.
        self._seen: set[tuple[int, int, tuple[int, ...]]] = set()
        self._last: dict[int, int] = {}  # the number that each `lower` had when it was last there
        self._trail: list[tuple[int, int | None]] = []  # what `_last` was before
        self._started = False
        self.steps: list[tuple[str, tuple[int, ...]]] = []
        self.tries = 0

    def find_next(self, most_tries: int) -> bool:
        """Bring the state to the next end of the program; False, and as it was, if none is left.

        Args:
            most_tries: number of bindings that may be tried, counted from the start of the run.

        Raises:
            TriesExceeded: more would be needed; the state is as it was at the start.
        """
        if not self._started:
            self._started = True
            if self._go_on(self._program.start):
                return True
        engine, state = self._engine, self._state
        while self._choices:
            choice = self._choices[-1]
            self._take_back(choice)
            binding = next(choice.bindings, None)
            if binding is None:
                self._choices.pop()
                continue
            if self.tries >= most_tries:
                self.take_back()
                raise TriesExceeded
            self.tries += 1
            node = choice.node
            choice.undo = engine.apply(node.rule, binding, state)
            self.steps.append((node.rule, binding))
            if self._go_on(node.following):
                return True
        return False

    def take_back(self) -> None:
        """Bring the state back to the start; the run is over."""
        while self._choices:
            self._take_back(self._choices.pop())

    def _go_on(self, node: _Node) -> bool:
        """Go from a node to the next step, which becomes a choice; True at the end."""
        while node is not None and not isinstance(node, _StepNode):
            values = self._program.evaluator.evaluate(self._state)
            if isinstance(node, _LowerNode):
                if not self._is_lower(node, values[node.place]):
                    return False
                holds = values[node.place] > 0
            else:
                if node.is_loop and not self._is_new(node):
                    return False
                holds = all((values[place] > 0) == wanted for place, wanted in node.literals)
            node = node.following if holds else node.otherwise
        if node is None:
            return True
        constraints: Mapping[str, int] = {
            parameter: self._program.evaluator.evaluate_concept(concept, self._state)
            for parameter, concept in node.constraints
        }
        bindings = self._engine.bindings(node.rule, self._state, constraints)
        self._choices.append(_Choice(bindings, node, len(self._trail)))
        return False

    def _is_new(self, node: _TestNode | _LowerNode) -> bool:
        """Note that a loop was come to; False if it was in this state before."""
        mark = (id(node), self._state.key(), tuple([self._last[loop] for loop in node.around]))
        if mark in self._seen:
            return False
        self._seen.add(mark)
        return True

    def _is_lower(self, node: _LowerNode, value: int) -> bool:
        """Note the number of a loop; False if it isn't lower, or was here in this state before."""
        loop = node.loop
        before = self._last.get(loop)
        if not node.is_entry and (before is None or value >= before or not self._is_new(node)):
            return False
        self._trail.append((loop, before))
        self._last[loop] = value
        return True

    def _take_back(self, choice: _Choice) -> None:
        """Take back the step of the last choice, if one was taken, and what came after it."""
        while len(self._trail) > choice.trail:
            loop, before = self._trail.pop()
            if before is None:
                del self._last[loop]
            else:
                self._last[loop] = before
        if choice.undo is not None:
            self._engine.undo(choice.undo, self._state)
            choice.undo = None
            self.steps.pop()
