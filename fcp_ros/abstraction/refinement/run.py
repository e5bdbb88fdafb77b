# SPDX-License-Identifier: Apache-2.0
"""A program in one state, with the choices that are left: depth first, in the engine's order.

Programs are compiled to a graph of steps and tests, so that loops cost no recursion. A run that
comes to the same loop in the same state again leads nowhere: it goes back to its last choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import ConceptExpression
from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.refinement.programs import (
    ConcreteStep,
    FeatureTest,
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
    """`literals` are positions of features in the evaluator's tuple, and wanted truth values."""

    literals: tuple[tuple[int, bool], ...]
    is_loop: bool
    following: _Node
    otherwise: _Node


_Node: TypeAlias = "_StepNode | _TestNode | None"


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

    def compile_test(test: FeatureTest, *, is_loop: bool) -> _TestNode:
        wanted = tuple((places[feature], value) for feature, value in test.literals)
        return _TestNode(wanted, is_loop, None, None)

    def compile_statements(statements: Program, following: _Node) -> _Node:
        for statement in reversed(statements):
            if isinstance(statement, ConcreteStep):
                constraints = tuple(statement.constraints.items())
                following = _StepNode(statement.rule, constraints, following)
                continue
            node = compile_test(statement.test, is_loop=isinstance(statement, WhileLoop))
            if isinstance(statement, WhileLoop):
                node.otherwise = following
                node.following = compile_statements(statement.body, node)
            else:
                node.following = compile_statements(statement.body, following)
                node.otherwise = compile_statements(statement.otherwise, following)
            following = node
        return following

    return CompiledProgram(compile_statements(program, None), evaluator)


@dataclass(slots=True)
class _Choice:
    """A step that was chosen among the bindings left."""

    bindings: Iterator[tuple[int, ...]]
    node: _StepNode
    loops: int
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
        self._loops: list[tuple[int, int]] = []
        self._seen: set[tuple[int, int]] = set()
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
        while isinstance(node, _TestNode):
            if node.is_loop and not self._enter_loop(node):
                return False
            values = self._program.evaluator.evaluate(self._state)
            holds = all((values[place] > 0) == wanted for place, wanted in node.literals)
            node = node.following if holds else node.otherwise
        if node is None:
            return True
        constraints: Mapping[str, int] = {
            parameter: self._program.evaluator.evaluate_concept(concept, self._state)
            for parameter, concept in node.constraints
        }
        bindings = self._engine.bindings(node.rule, self._state, constraints)
        self._choices.append(_Choice(bindings, node, len(self._loops)))
        return False

    def _enter_loop(self, node: _TestNode) -> bool:
        """Note that a loop was come to; False if it was in this state before."""
        mark = (id(node), self._state.key())
        if mark in self._seen:
            return False
        self._seen.add(mark)
        self._loops.append(mark)
        return True

    def _take_back(self, choice: _Choice) -> None:
        """Take back the step of the last choice, if one was taken, and what came after it."""
        while len(self._loops) > choice.loops:
            self._seen.discard(self._loops.pop())
        if choice.undo is not None:
            self._engine.undo(choice.undo, self._state)
            choice.undo = None
            self.steps.pop()
