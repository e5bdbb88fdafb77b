# SPDX-License-Identifier: Apache-2.0
"""The refinements of an abstract action: runs of its programs with the effect that it states."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.abstraction.policy.program_run import (
    CompiledProgram,
    ProgramRun,
    ProgramSteps,
    TriesExceeded,
    compile_programs,
)
from fcp_ros.abstraction.policy.programs import RefinementMapping
from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QualitativeChange
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState

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
        """Return the values of all variables."""
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
