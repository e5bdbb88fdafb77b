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
from fcp_ros.abstraction.features.expressions import ConceptExpression, Feature
from fcp_ros.abstraction.policy.programs import (
    ConcreteStep,
    IfBranch,
    LowerLoop,
    NoveltySearch,
    Program,
    WhileLoop,
    list_tests,
)
from fcp_ros.abstraction.states.changes import Undo
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.novelty import NovelStates
from fcp_ros.abstraction.states.state import RelationalState

ProgramSteps: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""Rule and elements (bits) of each step that was done."""


@dataclass(slots=True)
class _StepNode:
    rule: str
    constraints: tuple[tuple[str, ConceptExpression], ...]
    following: _Node


@dataclass(slots=True)
class _SearchNode:
    """`following` is what comes after the steps that were found."""

    width: int
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


_Node: TypeAlias = "_StepNode | _SearchNode | _TestNode | _LowerNode | None"


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A program ready to run."""

    start: _Node
    # of the features that its tests read, and of the concepts of its parameters
    evaluator: FeatureEvaluator

    @property
    def is_search(self) -> bool:
        """True if it is nothing but a search."""
        return isinstance(self.start, _SearchNode) and self.start.following is None


def compile_programs(
    programs: Iterable[Program], features: Iterable[Feature] = ()
) -> tuple[FeatureEvaluator, tuple[CompiledProgram, ...]]:
    """Compile programs that share one evaluator, so that nothing is computed twice.

    `features`: come first among the values of the evaluator.
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
            elif isinstance(statement, NoveltySearch):
                following = _SearchNode(statement.width, following)
            elif isinstance(statement, LowerLoop):
                following = compile_lower(statement, following, around)
            else:
                following = compile_test(statement, following, around)
        return following

    return CompiledProgram(compile_statements(program, None, ()), evaluator)


class _Bindings:
    """One step with each of its bindings."""

    __slots__ = ("_bindings", "_engine", "_rule", "_state", "_undo")

    def __init__(
        self,
        engine: RuleEngine,
        rule: str,
        bindings: Iterator[tuple[int, ...]],
        state: RelationalState,
    ) -> None:
        self._engine = engine
        self._rule = rule
        self._bindings = bindings
        self._state = state
        self._undo: Undo | None = None

    def find_next(self) -> ProgramSteps | None:
        """Do the step with the next binding; None if none is left."""
        self.take_back()
        binding = next(self._bindings, None)
        if binding is None:
            return None
        self._undo = self._engine.apply(self._rule, binding, self._state)
        return ((self._rule, binding),)

    def take_back(self) -> None:
        """Take the step back."""
        if self._undo is not None:
            self._engine.undo(self._undo, self._state)
            self._undo = None


@dataclass(slots=True)
class _Choice:
    """Ways to go on, one of which is taken; `trail` and `steps` are the lengths of the run's then.

    `following` is the node after it.
    """

    ways: _Bindings | NovelStates
    following: _Node
    trail: int
    steps: int


class TriesExceeded(Exception):
    """More bindings were tried than allowed."""


class ProgramRun:
    """A program that runs in a state, in place."""

    def __init__(
        self, program: CompiledProgram, engine: RuleEngine, state: RelationalState
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
        # those done up to the present end of the program
        self.steps: list[tuple[str, tuple[int, ...]]] = []
        self.tries = 0  # number of bindings that were tried

    def find_next(self, most_tries: int) -> bool:
        """Bring the state to the next end of the program; False, and as it was, if none is left.

        `most_tries`: number of bindings that may be tried, counted from the start of the run.
        Raises TriesExceeded if more would be needed; the state is as it was at the start.
        """
        if not self._started:
            self._started = True
            if self._go_on(self._program.start):
                return True
        while self._choices:
            choice = self._choices[-1]
            self._forget(choice)
            found = choice.ways.find_next()
            if found is None:
                self._choices.pop()
                continue
            if self.tries >= most_tries:
                self.take_back()
                raise TriesExceeded
            self.tries += 1
            self.steps += found
            if self._go_on(choice.following):
                return True
        return False

    def take_back(self) -> None:
        """Bring the state back to the start; the run is over."""
        while self._choices:
            choice = self._choices.pop()
            self._forget(choice)
            choice.ways.take_back()

    def _go_on(self, node: _Node) -> bool:
        """Go from a node to the next steps, which become a choice; True at the end."""
        while isinstance(node, _LowerNode | _TestNode):
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
        ways = self._list_ways(node)
        self._choices.append(_Choice(ways, node.following, len(self._trail), len(self.steps)))
        return False

    def _list_ways(self, node: _StepNode | _SearchNode) -> _Bindings | NovelStates:
        engine, state, evaluator = self._engine, self._state, self._program.evaluator
        if isinstance(node, _SearchNode):
            return NovelStates(engine, state, node.width)
        constraints: Mapping[str, int] = {
            parameter: evaluator.evaluate_concept(concept, state)
            for parameter, concept in node.constraints
        }
        return _Bindings(engine, node.rule, engine.bindings(node.rule, state, constraints), state)

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

    def _forget(self, choice: _Choice) -> None:
        """Forget the numbers and steps since a choice."""
        while len(self._trail) > choice.trail:
            loop, before = self._trail.pop()
            if before is None:
                del self._last[loop]
            else:
                self._last[loop] = before
        del self.steps[choice.steps :]
