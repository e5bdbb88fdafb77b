# SPDX-License-Identifier: Apache-2.0
"""A policy's abstract step as steps of the plan: programs run, choices refined.

Programs are compiled to a graph of steps and tests, so that loops cost no recursion. A run that
comes to the same loop in the same state again goes back to its last choice: all that follows from
there was, or is being, tried. So the many shortest ways to one place are tried as one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
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
    RefinementMapping,
    WhileLoop,
    list_tests,
)
from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QualitativeChange
from fcp_ros.abstraction.states.engine import RuleEngine, Undo
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


FeatureValues: TypeAlias = tuple[int, ...]
"""The value of each variable of the QNP, in its order."""
OtherEffectCallback: TypeAlias = Callable[[ProgramSteps, FeatureValues, FeatureValues], None]
"""Told about a run with another effect: its steps, the values before and after it."""

MOST_TRIES = 20_000
"""Bindings tried for one program in one state, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class _CompiledAction:
    """`changes`: the change of each variable, None where it stays."""

    changes: tuple[QualitativeChange | None, ...]
    programs: tuple[CompiledProgram, ...]


_NamedChanges: TypeAlias = tuple[str, tuple[QualitativeChange | None, ...]]
_Plan: TypeAlias = tuple[tuple[CompiledProgram, tuple[_NamedChanges, ...]], ...]


class ActionRefiner:
    """Refines the abstract actions of an abstraction in states of one domain.

    It keeps what it has computed of the last state; not to be shared by threads.
    """

    def __init__(
        self,
        qnp: Qnp,
        # features of all variables; an action without programs is never refined
        refinement: RefinementMapping,
        engine: RuleEngine,
        most_tries: int = MOST_TRIES,  # number of bindings tried for one program in one state
    ) -> None:
        self._engine = engine
        self._most_tries = most_tries
        self._count = len(qnp.variables)
        programs = tuple(dict.fromkeys(refinement.list_programs()))
        self._evaluator, compiled = compile_programs(
            programs, (refinement.features[name] for name in qnp.variables)
        )
        by_program = dict(zip(programs, compiled, strict=True))
        self._actions = {
            action.name: _CompiledAction(
                tuple(action.effects.get(name) for name in qnp.variables),
                tuple(by_program[one] for one in refinement.programs.get(action.name, ())),
            )
            for action in qnp.actions
        }
        # True if some action has no other program than a search
        self.searches = any(program.is_search for program in compiled)
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def evaluate(self, state: RelationalState) -> FeatureValues:
        return self._evaluator.evaluate(state)[: self._count]

    def refine(
        self, actions: tuple[str, ...], state: RelationalState, before: FeatureValues
    ) -> tuple[str, ProgramSteps, FeatureValues] | None:
        """Do one of several abstract actions in the first way that has its effect.

        Actions often share a program, and the world decides which of them it does: it runs once for
        all of them. `actions`: names of the actions; their preconditions are not looked at.
        `state`: it is brought to the state afterwards, or stays if there is no such way. Returns
        the action, its steps and the values afterwards; None without a refinement. Raises
        TriesExceeded if none among the first bindings of some program; the state is as it was.
        """
        plan = self._plans.get(actions)
        if plan is None:
            plan = self._plans[actions] = self._group_by_program(actions)
        exceeded: TriesExceeded | None = None
        for program, wanted in plan:
            run = ProgramRun(program, self._engine, state)
            try:
                while run.find_next(self._most_tries):
                    after = self.evaluate(state)
                    for action, changes in wanted:
                        if has_effect(changes, before, after):
                            return action, tuple(run.steps), after
            except TriesExceeded as error:
                exceeded = error
        if exceeded is not None:
            raise exceeded
        return None

    def _group_by_program(self, actions: tuple[str, ...]) -> _Plan:
        """List each program of some actions once, with the actions that it may do."""
        found: dict[int, tuple[CompiledProgram, list[_NamedChanges]]] = {}
        for action in actions:
            compiled = self._actions[action]
            for program in compiled.programs:
                _, wanted = found.setdefault(id(program), (program, []))
                wanted.append((action, compiled.changes))
        return tuple((program, tuple(wanted)) for program, wanted in found.values())

    def iterate_refinements(
        self,
        action: str,
        state: RelationalState,
        # told about runs that end with another effect
        on_other_effect: OtherEffectCallback | None = None,
    ) -> Generator[tuple[ProgramSteps, FeatureValues], None, None]:
        """Yield all refinements of an abstract action, in the order in which `refine` tries them.

        Of those that a search finds, the ones with fewest steps: others are never taken.

        While one is held, `state` is the one after it. It is taken back when the next one is asked
        for and when the iterator is closed; until then the caller leaves the state as it is. Yields
        steps, and the values of all variables afterwards. Raises TriesExceeded if not all bindings
        were tried; the state is as it was.
        """
        compiled = self._actions[action]
        before = self.evaluate(state)
        tries = 0
        for program in compiled.programs:
            run = ProgramRun(program, self._engine, state)
            run.tries = tries
            fewest = 0
            try:
                while run.find_next(self._most_tries):
                    if program.is_search and 0 < fewest < len(run.steps):
                        break
                    after = self.evaluate(state)
                    if has_effect(compiled.changes, before, after):
                        fewest = len(run.steps)
                        yield tuple(run.steps), after
                    elif on_other_effect is not None:
                        on_other_effect(tuple(run.steps), before, after)
            finally:
                run.take_back()
            tries = run.tries


def has_effect(
    changes: tuple[QualitativeChange | None, ...], before: FeatureValues, after: FeatureValues
) -> bool:
    """Return True if the values changed as an action says: a variable without a change stays."""
    # A boolean may be set that was set before.
    for change, old, new in zip(changes, before, after, strict=True):
        if change is None:
            if new != old:
                return False
        elif change is QualitativeChange.DECREASE:
            if new >= old:
                return False
        elif change is QualitativeChange.INCREASE:
            if new <= old:
                return False
        elif (new > 0) != (change is QualitativeChange.SET):
            return False
    return True


def describe_difference(
    action: AbstractAction, variables: tuple[str, ...], before: FeatureValues, after: FeatureValues
) -> str:
    """Say which variable changed otherwise than an action says; empty if none did."""
    for name, old, new in zip(variables, before, after, strict=True):
        change = action.effects.get(name)
        if not has_effect((change,), (old,), (new,)):
            wanted = "stay as it is" if change is None else f"be {_WORDS[change]}"
            return f"{name} goes from {old} to {new}, and is to {wanted}"
    return ""


_WORDS = {
    QualitativeChange.SET: "set",
    QualitativeChange.CLEAR: "cleared",
    QualitativeChange.INCREASE: "increased",
    QualitativeChange.DECREASE: "decreased",
}
