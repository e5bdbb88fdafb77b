# SPDX-License-Identifier: Apache-2.0
"""Run a policy on a task, and plan with the policies of a folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from os import PathLike

from fcp_ros.abstraction.features.expressions import DistanceFeature
from fcp_ros.abstraction.policy.general_policy import (
    GeneralPolicy,
    PolicyError,
    PolicyFault,
    check_fit,
)
from fcp_ros.abstraction.policy.policy_file import list_policy_files, read_policy
from fcp_ros.abstraction.policy.refining import (
    MOST_TRIES,
    ActionRefiner,
    FeatureValues,
    TriesExceeded,
)
from fcp_ros.abstraction.qnp.problem import QState, describe_state, encode_values
from fcp_ros.abstraction.states.building import (
    GoalAtoms,
    GoalTest,
    UnsupportedGoal,
    build_state,
    list_goal_atoms,
)
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.joining import UnsupportedRule
from fcp_ros.abstraction.states.state import RelationalState, list_forms
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, Expression
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.foundation.wording import join_words, list_names
from fcp_ros.planning import PlanningRequest, PlanningResult, PlanningSession, plan
from fcp_ros.planning.model.plan import PolicyFeature, PolicyMove, PolicyTrace, Suggestion


class ExecutionStatus(str, Enum):
    """The ways in which a run ends."""

    REACHED = "REACHED"
    """All atoms of the goal hold."""
    NO_RULE = "NO_RULE"
    """The policy says nothing about the qstate."""
    NO_REFINEMENT = "NO_REFINEMENT"
    """None of the actions that may be taken can be done with the effect that it states."""
    CYCLE = "CYCLE"
    """The run came to a state for the second time; it would go on like this for ever."""
    STEP_LIMIT = "STEP_LIMIT"
    TIME_LIMIT = "TIME_LIMIT"
    UNSUPPORTED = "UNSUPPORTED"
    """The goal or a rule is none that policies can deal with."""


@dataclass(frozen=True, slots=True)
class ExecutionLimits:
    """The limits of a run."""

    steps: int = 1_000_000
    seconds: float = 60.0
    # `time.process_time` where other programs on the machine must not decide about a policy
    clock: Callable[[], float] = time.perf_counter
    tries: int = MOST_TRIES  # bindings tried for one abstract action in one state


@dataclass(frozen=True, slots=True)
class AbstractMove:
    """An abstract action that was taken."""

    qstate: QState
    action: str
    steps: int  # number of concrete actions up to its end, counted from the start
    values: FeatureValues


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of a run."""

    status: ExecutionStatus
    # rule and the names of the elements of its parameters, in the rule's order
    steps: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trace: tuple[AbstractMove, ...] = ()
    reason: str = ""  # a sentence; empty if the goal was reached
    seconds: float = 0.0  # of the run; without reading the instance as bitsets
    final: FeatureValues = ()  # the values of all features at the end; empty if it did not begin
    # number of objects in the instance: the value of a distance where there is no way
    objects: int = 0

    @property
    def reached(self) -> bool:
        """True if the goal holds after the steps."""
        return self.status is ExecutionStatus.REACHED


class PolicyRunner:
    """Runs a policy in instances of one domain; not to be shared by threads.

    `domain`: one that it fits (`general_policy.check_fit`).
    """

    def __init__(self, policy: GeneralPolicy, domain: Domain) -> None:
        self.policy = policy
        self.domain = domain
        self.forms = list_forms(domain.schema)
        self._unsupported = ""
        self._refiners: dict[int, ActionRefiner] = {}
        try:
            self._engine: RuleEngine | None = RuleEngine(domain)
        except UnsupportedRule as error:
            self._engine, self._unsupported = None, f"Domain {domain.name}: {error}."

    def run(
        self,
        instance: Instance,
        goal: Expression,
        limits: ExecutionLimits | None = None,
        check: Check = never_stop,
    ) -> Execution:
        if self._engine is None:
            return Execution(ExecutionStatus.UNSUPPORTED, reason=self._unsupported)
        try:
            atoms = list_goal_atoms(goal, instance, self.domain)
        except UnsupportedGoal as error:
            return Execution(ExecutionStatus.UNSUPPORTED, reason=f"{error}.")
        known = self.policy.goal_relations
        unknown = sorted({atom.relation for atom in atoms}.difference(known)) if known else []
        if unknown:
            asked = f"The goal asks for {join_words(unknown)}"
            reason = f"{asked}; the policy knows {join_words(known)}."
            return Execution(ExecutionStatus.UNSUPPORTED, reason=reason)
        check()
        return self.run_state(build_state(self.domain, instance, atoms), atoms, limits, check)

    def run_state(
        self,
        state: RelationalState,
        goal: GoalAtoms,
        limits: ExecutionLimits | None = None,
        check: Check = never_stop,
    ) -> Execution:
        """Run the policy in a state, which it changes, until the atoms of a goal hold."""
        if self._engine is None:
            return Execution(ExecutionStatus.UNSUPPORTED, reason=self._unsupported)
        limits = limits or ExecutionLimits()
        run = _Run(self, self._engine, self._find_refiner(limits.tries), state, goal, limits)
        began = time.perf_counter()
        with pause_garbage_collection():
            status, reason = run.go(check)
        seconds = time.perf_counter() - began
        return replace(run.record(), status=status, reason=reason, seconds=seconds)

    def _find_refiner(self, tries: int) -> ActionRefiner:
        """Return a refiner with that limit; its caches outlive a run."""
        assert self._engine is not None, "checked by the caller"
        refiner = self._refiners.get(tries)
        if refiner is None:
            policy = self.policy
            refiner = ActionRefiner(policy.qnp, policy.refinement, self._engine, tries)
            self._refiners = {tries: refiner}
        return refiner


class _Run:
    """One run, up to where it is."""

    def __init__(
        self,
        runner: PolicyRunner,
        engine: RuleEngine,
        refiner: ActionRefiner,
        state: RelationalState,
        goal: GoalAtoms,
        limits: ExecutionLimits,
    ) -> None:
        self._qnp = runner.policy.qnp
        self._policy = runner.policy.policy
        self._engine = engine
        self._refiner = refiner
        self._state = state
        self._goal = goal
        self._limits = limits
        self._wanted = GoalTest(runner.forms, goal, state).facts
        self._watched = 0
        # A state that comes again has the values that it had before: only then keys are looked at.
        self._seen: dict[FeatureValues, set[int] | None] = {}
        self._steps: list[tuple[str, tuple[int, ...]]] = []
        self._moves: list[tuple[QState, str, int, FeatureValues]] = []
        self._values: FeatureValues = ()

    def go(self, check: Check) -> tuple[ExecutionStatus, str]:
        """Run to the end; return status and reason."""
        limits, steps = self._limits, self._steps
        deadline = limits.clock() + limits.seconds
        values = self._values = self._refiner.evaluate(self._state)
        while not self._is_reached():
            if len(steps) >= limits.steps:
                reason = f"The goal does not hold after {len(steps):,} steps."
                return ExecutionStatus.STEP_LIMIT, reason
            if limits.clock() > deadline:
                reason = f"The goal does not hold after {limits.seconds:g} s."
                return ExecutionStatus.TIME_LIMIT, reason
            check()
            if self._comes_again(values):
                reason = f"After {len(steps):,} steps the run came to an earlier state again."
                return ExecutionStatus.CYCLE, reason
            qstate = encode_values(values)
            actions = self._policy.get(qstate)
            if not actions:
                return ExecutionStatus.NO_RULE, self._explain_no_rule(qstate)
            found = self._move(qstate, actions, values)
            if found is None:
                return ExecutionStatus.NO_REFINEMENT, self._explain_no_refinement(qstate, actions)
            values = self._values = found
        return ExecutionStatus.REACHED, ""

    def record(self) -> Execution:
        """Return what was done so far, in names."""
        engine, state = self._engine, self._state
        steps = tuple((rule, engine.write_step(rule, b, state)) for rule, b in self._steps)
        moves = tuple(AbstractMove(*move) for move in self._moves)
        return Execution(
            ExecutionStatus.REACHED, steps, moves, final=self._values, objects=len(state.objects)
        )

    def _move(
        self, qstate: QState, actions: tuple[str, ...], values: FeatureValues
    ) -> FeatureValues | None:
        """Take an action that can be refined; return the values after it."""
        try:
            found = self._refiner.refine(actions, self._state, values)
        except TriesExceeded:
            self._gave_up = True
            return None
        self._gave_up = False
        if found is None:
            return None
        action, steps, after = found
        self._steps += steps
        self._moves.append((qstate, action, len(self._steps), values))
        return after

    def _is_reached(self) -> bool:
        """Return True if all atoms of the goal hold; the first open one is looked at first."""
        wanted, count, holds = self._wanted, len(self._wanted), self._state.holds
        for number in range(count):
            place = (self._watched + number) % count
            if not holds(*wanted[place]):
                self._watched = place
                return False
        return True

    def _comes_again(self, values: FeatureValues) -> bool:
        """Note the state; return True if it was noted before."""
        if values not in self._seen:
            self._seen[values] = None
            return False
        keys = self._seen[values]
        if keys is None:
            keys = self._seen[values] = set()
        key = self._state.key()
        if key in keys:
            return True
        keys.add(key)
        return False

    # --- sentences

    def _explain_no_rule(self, qstate: QState) -> str:
        open_atom = self._goal[self._watched] if self._goal else ""
        where = describe_state(self._qnp, qstate)
        if self._qnp.is_goal(qstate):
            return f"The policy takes its goal for reached ({where}), but {open_atom} is open."
        return f"The policy says nothing about ({where}), and {open_atom} is open."

    def _explain_no_refinement(self, qstate: QState, actions: tuple[str, ...]) -> str:
        where = describe_state(self._qnp, qstate)
        names = join_words(actions, "or")
        why = (
            f"none of the first {self._limits.tries:,} ways to do it has the effect that it states"
            if self._gave_up
            else "no way to do it has the effect that it states"
        )
        return f"In ({where}), {names} can't be done: {why}."


@dataclass(frozen=True, slots=True)
class RefusedPolicy:
    """A file, or a policy by its name, that can't be used."""

    source: str
    fault: PolicyFault  # the reason as a code
    sentence: str


@dataclass(frozen=True, slots=True)
class PolicyFolder:
    """The policies of a folder."""

    # those that could be read, in the order of the files' names
    policies: tuple[GeneralPolicy, ...]
    refused: tuple[RefusedPolicy, ...]


def read_policy_folder(folder: str | PathLike[str]) -> PolicyFolder:
    """Read all policies of a folder; a file that is none is refused by itself.

    Raises PolicyError if UNREADABLE: there is no such folder.
    """
    policies, refused = [], []
    for file in list_policy_files(folder):
        try:
            policies.append(read_policy(file))
        except PolicyError as error:
            refused.append(RefusedPolicy(str(file), error.fault, error.sentence))
    return PolicyFolder(tuple(policies), tuple(refused))


def describe_refusals(refused: Iterable[RefusedPolicy]) -> tuple[str, ...]:
    """Put refusals into sentences: one for all policies of other domains, one for each other."""
    refused = list(refused)
    others = [one.source for one in refused if one.fault is PolicyFault.OTHER_DOMAIN]
    said = tuple(
        " ".join(one.sentence.splitlines())
        for one in refused
        if one.fault is not PolicyFault.OTHER_DOMAIN
    )
    return (*said, f"For other domains: {list_names(others)}.") if others else said


def make_trace(policy: GeneralPolicy, execution: Execution) -> PolicyTrace:
    """Tell a run by the names and values of the features, without the abstraction behind them."""
    qnp = policy.qnp
    distances = (name for name, one in policy.features.items() if isinstance(one, DistanceFeature))
    no_way = dict.fromkeys(distances, execution.objects)
    features = tuple(
        PolicyFeature(name, policy.features[name].text, name in qnp.booleans, no_way.get(name))
        for name in qnp.variables
    )
    moves = tuple(PolicyMove(move.action, move.values, move.steps) for move in execution.trace)
    return PolicyTrace(features, moves, execution.final)


class DomainPolicies:
    """The policies that fit a domain: they suggest plans to `planning.PlanningSession`.

    `policies`: tried in their order.
    """

    def __init__(self, policies: Sequence[GeneralPolicy], domain: Domain) -> None:
        self._runners: list[PolicyRunner] = []
        self._lock = threading.Lock()
        refused = []
        for policy in policies:
            try:
                check_fit(policy, domain)
                self._runners.append(PolicyRunner(policy, domain))
            except PolicyError as error:
                refused.append(RefusedPolicy(policy.name, error.fault, error.sentence))
        self.refused = tuple(refused)
        self.last: Execution | None = None  # the outcome of the last run; None before the first

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(runner.policy.name for runner in self._runners)

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Check
    ) -> Suggestion:
        """Run one policy after the other until one reaches the goal (see `PlanSuggester`)."""
        notes: list[str] = []
        with self._lock:
            for runner in self._runners:
                limits = ExecutionLimits(seconds=seconds / len(self._runners))
                found = self.last = runner.run(instance, goal, limits, check)
                name = runner.policy.name
                if found.reached:
                    trace = make_trace(runner.policy, found)
                    return Suggestion(found.steps, name, tuple(notes), trace)
                notes.append(f"Policy {name} was not used: {found.status.value}. {found.reason}")
        return Suggestion(None, notes=tuple(notes))


def plan_with_policies(
    policies: Sequence[GeneralPolicy],  # tried in their order
    request: PlanningRequest,  # without a session
) -> PlanningResult:
    """Plan by the first policy that fits and reaches the goal; else by search.

    Returns the result; `policy` names the policy that made the plan, `policy_notes` say why others
    were not used.
    """
    fitting = DomainPolicies(policies, request.domain)
    session = PlanningSession(request.domain, suggester=fitting if fitting.names else None)
    result = plan(replace(request, session=session))
    refused = describe_refusals(fitting.refused)
    return replace(result, policy_notes=(*result.policy_notes, *refused))
