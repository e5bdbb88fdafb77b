# SPDX-License-Identifier: Apache-2.0
"""A training task made ready for an abstraction, blame for its faults, and the first checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fcp_ros.abstraction.policy.programs import list_steps
from fcp_ros.abstraction.policy.refining import (
    ActionRefiner,
    FeatureValues,
    ProgramSteps,
    has_effect,
)
from fcp_ros.abstraction.proposers.faults import (
    OUT_OF_REACH,
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
    describe_facts,
    write_atom,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask, join_names
from fcp_ros.abstraction.qnp.problem import (
    Qnp,
    QnpError,
    QnpPolicy,
    QState,
    describe_condition,
    describe_state,
    encode_values,
)
from fcp_ros.abstraction.qnp.solver import QnpResult, QnpStatus, solve_qnp
from fcp_ros.abstraction.qnp.state_space import (
    EndlessComponent,
    QnpLimits,
    build_policy_graph,
    sieve,
)
from fcp_ros.abstraction.states.building import GoalTest, build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState, list_forms
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import suggest_name

MOST_MISSING = 3
"""Facts of a goal that are named as missing."""


class CheckedTask:
    """A training task with what the checks need of it.

    `proposal`: the abstraction that is checked; names and programs have to exist.
    """

    def __init__(self, task: TrainingTask, proposal: AbstractionProposal) -> None:
        self.name = task.name
        self.qnp: Qnp = proposal.qnp
        # the initial state, which changes while the task is walked through
        self.state = build_state(task.domain, task.instance, task.goal)
        self.goal = GoalTest(list_forms(task.domain.schema), task.goal, self.state)
        self.engine = RuleEngine(task.domain)
        # refines abstract actions
        self.refiner = ActionRefiner(proposal.qnp, proposal.refinement, self.engine)
        # True if the policy is the proposer's, not a solution of the QNP
        self.has_own_policy = proposal.policy is not None

    def abstract(self, values: FeatureValues) -> QState:
        return encode_values(values)

    def describe(self, values: FeatureValues, state: RelationalState) -> str:
        pairs = zip(self.qnp.variables, values, strict=True)
        shown = ", ".join(
            f"{name}={value}" if name in self.qnp.numerics else f"{'' if value else 'not '}{name}"
            for name, value in pairs
        )
        return f"{shown} ({describe_facts(state)})"

    def describe_missing(self, state: RelationalState) -> str:
        """Describe the facts of the goal that don't hold."""
        missing = [
            write_atom(form.name, [state.objects[leg] for leg in legs])
            for form, legs in self.goal.facts
            if not state.holds(form, legs)
        ]
        more = f" and {len(missing) - MOST_MISSING} more" if len(missing) > MOST_MISSING else ""
        return f"{', '.join(missing[:MOST_MISSING])}{more} missing"

    def write_steps(self, action: str, steps: ProgramSteps) -> str:
        """Write an abstract action with the steps that refine it."""
        return f"{action}: {'; '.join(self._write_each(steps))}"

    def _write_each(self, steps: ProgramSteps) -> Iterable[str]:
        objects = self.state.objects
        for rule, binding in steps:
            yield write_atom(rule, [objects[element] for element in binding])


# --- the blame for a fault that a task shows: the layer that has to change, and the steps left
#
# Both are found by searching breadth first among the concrete states that follow the one of the
# fault. What the bound of the search leaves open is left open in the blame, too.


MOST_STATES = 2_000
"""States of one search."""

StateTest = Callable[[RelationalState], bool]


@dataclass(frozen=True, slots=True)
class Blame:
    """The layer to blame and the steps left, as in `AbstractionError`."""

    layer: AbstractionLayer | None = None
    steps_left: int | None = None


class BlameSearch:
    """Blames layers for faults in the present state of a task.

    `task`: its state is that of the fault; it is not changed.
    """

    def __init__(self, task: CheckedTask, check: Check, most_states: int = MOST_STATES) -> None:
        self._task = task
        self._check = check
        self._most_states = most_states

    def blame(self, layer: AbstractionLayer | None) -> Blame:
        """Blame a layer that is known, and count the steps left."""
        return self._blame(lambda: layer)

    def blame_goal(self) -> Blame:
        """Blame the features or the goal where only the goal of the abstraction holds."""
        # It is the features if they take the same values, but for sizes of numbers, in a state
        # after this one where the goal of the task holds: then no goal over them tells the two
        # apart.
        return self._blame(self._find_goal_layer)

    def blame_refinement(self, actions: tuple[str, ...]) -> Blame:
        """Blame the programs or the abstract actions where none of these has a refinement."""
        # It is the programs if some concrete steps have the effect that one of them states.
        return self._blame(lambda: self._find_action_layer(actions))

    def count_steps(self, test: StateTest) -> int | None:
        """Count the steps to the nearest state that passes.

        Returns their number; OUT_OF_REACH if there is no such state; None if the bound was reached.
        """
        task, first = self._task, self._task.state.copy()
        if test(first):
            return 0
        seen, states, steps = {first.key()}, [first], 0
        while states:
            steps += 1
            before, states = states, []
            for state in before:
                self._check()
                for step in list(task.engine.successors(state)):
                    undo = task.engine.apply(*step, state)
                    key = state.key()
                    if key not in seen:
                        if test(state):
                            return steps
                        if len(seen) >= self._most_states:
                            return None
                        seen.add(key)
                        states.append(state.copy())
                    task.engine.undo(undo, state)
        return OUT_OF_REACH

    def _blame(self, find_layer: Callable[[], AbstractionLayer | None]) -> Blame:
        """Find the layer, unless the run was lost before it came here."""
        left = self.count_steps(self._task.goal.holds)
        return Blame(None if left == OUT_OF_REACH else find_layer(), left)

    def _find_goal_layer(self) -> AbstractionLayer | None:
        task = self._task
        here = task.abstract(task.refiner.evaluate(task.state))
        alike = self.count_steps(
            lambda state: (
                task.goal.holds(state) and task.abstract(task.refiner.evaluate(state)) == here
            )
        )
        if alike is None:
            return None
        return AbstractionLayer.GOAL if alike == OUT_OF_REACH else AbstractionLayer.FEATURES

    def _find_action_layer(self, actions: tuple[str, ...]) -> AbstractionLayer | None:
        counts = [self._count_to_effect(action) for action in actions]
        if any(count is not None and count != OUT_OF_REACH for count in counts):
            return AbstractionLayer.REFINEMENT
        return None if None in counts else AbstractionLayer.ACTIONS

    def _count_to_effect(self, name: str) -> int | None:
        task = self._task
        effects = task.qnp.action(name).effects
        changes = tuple(effects.get(variable) for variable in task.qnp.variables)
        before = task.refiner.evaluate(task.state)
        return self.count_steps(
            lambda state: (
                state.key() != task.state.key()
                and has_effect(changes, before, task.refiner.evaluate(state))
            )
        )


# --- ASC, the check of the abstraction itself: names, programs, and a policy that terminates


def check_initial_state(
    task: CheckedTask, policy: QnpPolicy, check: Check
) -> Iterator[AbstractionError]:
    """Find faults of the QNP's initial condition and goal in the initial state of a task.

    `policy`: where it names an action it doesn't stop, even if the QNP's goal holds.
    """
    qnp, state = task.qnp, task.state
    if task.goal.holds(state):
        return  # there is nothing to do
    values = task.refiner.evaluate(state)
    truths = {name: value > 0 for name, value in zip(qnp.variables, values, strict=True)}
    wrong = {name: truths[name] for name, value in qnp.initial.items() if truths[name] != value}
    if wrong:
        sentence = (
            f"the task {task.name} begins with {describe_condition(qnp, wrong)}, but the initial "
            f"condition of the abstraction says {describe_condition(qnp, qnp.initial)}: allow both"
        )
        blame = BlameSearch(task, check).blame(AbstractionLayer.INITIAL)
        yield _fault(task, AbstractionFault.WRONG_INITIAL_STATE, sentence, values, blame)
    qstate = task.abstract(values)
    if qnp.is_goal(qstate) and not policy.get(qstate):
        sentence = (
            f"the goal of the abstraction ({describe_condition(qnp, qnp.goal)}) holds in the "
            f"initial state of {task.name}, where the goal of the task does not: "
            f"{task.describe_missing(state)}"
        )
        blame = BlameSearch(task, check).blame_goal()
        yield _fault(task, AbstractionFault.WRONG_GOAL, sentence, values, blame)


def _fault(
    task: CheckedTask, kind: AbstractionFault, sentence: str, values: tuple[int, ...], blame: Blame
) -> AbstractionError:
    return AbstractionError(
        AbstractionCheck.HLISC,
        kind,
        sentence,
        task.name,
        (task.describe(values, task.state),),
        layer=blame.layer,
        steps_left=blame.steps_left,
    )


MOST_SHOWN = 6
"""Qstates and actions of a fault that are shown."""


@dataclass(frozen=True, slots=True)
class CheckedAbstraction:
    """The outcome of ASC."""

    policy: QnpPolicy  # the proposer's, or the one that solves the QNP; empty if there are faults
    errors: tuple[AbstractionError, ...]


def check_abstraction(
    proposal: AbstractionProposal,
    training: tuple[TrainingTask, ...],
    limits: QnpLimits,
    check: Check,
) -> CheckedAbstraction:
    """Check names, programs and termination; find a policy if the proposer gives none."""
    errors = tuple(_find_wrong_names(proposal, training))
    if errors:
        return CheckedAbstraction({}, errors)
    try:
        if proposal.policy is not None:
            errors = tuple(_find_endless_parts(proposal.qnp, proposal.policy))
            return CheckedAbstraction({} if errors else proposal.policy, errors)
        result = solve_qnp(proposal.qnp, limits, check)
    except QnpError as error:
        fault = AbstractionError(AbstractionCheck.ASC, AbstractionFault.SYNTAX, str(error))
        return CheckedAbstraction({}, (fault,))
    if result.status is QnpStatus.SOLVED:
        return CheckedAbstraction(result.policy, ())
    return CheckedAbstraction({}, (_explain_refusal(proposal.qnp, result),))


def _find_wrong_names(
    proposal: AbstractionProposal, training: tuple[TrainingTask, ...]
) -> Iterator[AbstractionError]:
    """Find names that the domain or the abstraction lacks, and actions without programs."""
    qnp, refinement = proposal.qnp, proposal.refinement
    for name in qnp.variables:
        feature = refinement.features.get(name)
        if feature is None:
            sentence = f"the variable {name} has no feature: define it among the features"
            yield _name_fault(sentence, AbstractionLayer.FEATURES)
        elif feature.is_boolean != (name in qnp.booleans):
            kind = "true or false" if feature.is_boolean else "a number"
            sentence = f"{name} is {kind} ({feature.text}), but used as the other kind"
            yield _name_fault(sentence, AbstractionLayer.FEATURES)
    for action in qnp.actions:
        if not refinement.programs.get(action.name):
            yield AbstractionError(
                AbstractionCheck.ASC,
                AbstractionFault.NO_REFINEMENT,
                f"the action {action.name} has no program: write how it is done",
                actions=(action.name,),
                layer=AbstractionLayer.REFINEMENT,
            )
    known = join_names(training)
    names, rules = known.vocabulary.names, known.signatures
    for name in sorted(refinement.names - names):
        yield _name_fault(f"the domain has no {name}: {suggest_name(name, names)}")
    for step in dict.fromkeys(s for p in refinement.list_programs() for s in list_steps(p)):
        parameters = rules.get(step.rule)
        if parameters is None:
            hint = suggest_name(step.rule, rules)
            sentence = f"the domain has no action {step.rule}: {hint}"
            yield _name_fault(sentence, AbstractionLayer.REFINEMENT)
            continue
        for name in step.constraints:
            if name not in parameters:
                hint = suggest_name(name, parameters)
                sentence = f"the action {step.rule} has no parameter {name}: {hint}"
                yield _name_fault(sentence, AbstractionLayer.REFINEMENT)


def _name_fault(sentence: str, layer: AbstractionLayer | None = None) -> AbstractionError:
    kind = AbstractionFault.UNKNOWN_NAME
    return AbstractionError(AbstractionCheck.ASC, kind, sentence, layer=layer)


def _find_endless_parts(qnp: Qnp, policy: QnpPolicy) -> Iterator[AbstractionError]:
    """Find parts of a proposer's own policy that need not end."""
    for component in sieve(build_policy_graph(qnp, policy)):
        sentence = f"the policy need not end: {component.describe(qnp)}"
        yield _qnp_fault(qnp, sentence, AbstractionLayer.POLICY, component)


def _explain_refusal(qnp: Qnp, result: QnpResult) -> AbstractionError:
    if result.status is QnpStatus.LIMIT:
        sentence = f"the abstraction is too large: {result.reason}"
        kind, layer = AbstractionFault.TOO_LARGE, AbstractionLayer.FEATURES
        return AbstractionError(AbstractionCheck.ASC, kind, sentence, layer=layer)
    states = () if result.hopeless is None else (describe_state(qnp, result.hopeless),)
    sentence = f"the abstraction has no solution: {result.reason}"
    return _qnp_fault(qnp, sentence, AbstractionLayer.ACTIONS, result.component, states)


def _qnp_fault(
    qnp: Qnp,
    sentence: str,
    layer: AbstractionLayer,
    component: EndlessComponent | None,
    states: tuple[str, ...] = (),
) -> AbstractionError:
    actions: tuple[str, ...] = ()
    if component is not None:
        states = tuple(describe_state(qnp, state) for state in component.states[:MOST_SHOWN])
        actions = tuple(dict.fromkeys(edge.action for edge in component.edges))[:MOST_SHOWN]
    return AbstractionError(
        AbstractionCheck.ASC,
        AbstractionFault.UNSOLVABLE_QNP,
        sentence,
        states=states,
        actions=actions,
        layer=layer,
    )
