# SPDX-License-Identifier: Apache-2.0
"""HLISC, the check of initial states: the abstraction has to begin where the training tasks do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fcp_ros.abstraction.debugging.blame import Blame, BlameSearch
from fcp_ros.abstraction.debugging.checked_task import CheckedTask
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
)
from fcp_ros.abstraction.qnp.problem import QnpPolicy, describe_condition


def check_initial_state(
    task: CheckedTask, policy: QnpPolicy, check: Callable[[], None]
) -> Iterator[AbstractionError]:
    """Find faults of the QNP's initial condition and goal in the initial state of a task.

    Args:
        task: in its initial state.
        policy: where it names an action it doesn't stop, even if the QNP's goal holds.
        check: called often; may raise to stop.
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
    is_goal = all(truths[name] == value for name, value in qnp.goal.items())
    if is_goal and not policy.get(task.abstract(values)):
        sentence = (
            f"the goal of the abstraction ({describe_condition(qnp, qnp.goal)}) holds in the "
            f"initial state of {task.name}, where the goal of the task does not: "
            f"{task.describe_missing(state)}"
        )
        blame = BlameSearch(task, check).blame_goal()
        yield _fault(task, AbstractionFault.WRONG_GOAL, sentence, values, blame)


def _fault(
    task: CheckedTask,
    kind: AbstractionFault,
    sentence: str,
    values: tuple[int, ...],
    blame: Blame,
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
