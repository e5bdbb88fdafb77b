# SPDX-License-Identifier: Apache-2.0
"""ASC, the check of the abstraction itself: names, programs, and a policy that terminates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcp_ros.abstraction.debugging.blame import Blame, BlameSearch
from fcp_ros.abstraction.debugging.checked_task import CheckedTask
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, join_names
from fcp_ros.abstraction.qnp.policy_graph import EndlessComponent, build_policy_graph, sieve
from fcp_ros.abstraction.qnp.problem import (
    Qnp,
    QnpError,
    QnpPolicy,
    describe_condition,
    describe_state,
)
from fcp_ros.abstraction.qnp.solver import QnpResult, QnpStatus, solve_qnp
from fcp_ros.abstraction.qnp.state_space import QnpLimits
from fcp_ros.abstraction.refinement.programs import list_steps
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.foundation.wording import suggest_name


def check_initial_state(
    task: CheckedTask, policy: QnpPolicy, check: Callable[[], None]
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
    check: Callable[[], None],
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
