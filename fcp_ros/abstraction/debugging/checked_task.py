# SPDX-License-Identifier: Apache-2.0
"""A training task made ready for an abstraction: its state, goal, refinements, and their words."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.abstraction.proposers.faults import describe_facts, write_atom
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal
from fcp_ros.abstraction.qnp.problem import Qnp, QState, encode_values
from fcp_ros.abstraction.refinement.refining import ActionRefiner, FeatureValues
from fcp_ros.abstraction.refinement.run import ProgramSteps
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.goal_atoms import GoalTest
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import list_forms

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
        """Return the qstate of values of the features."""
        return encode_values(values)

    def describe(self, values: FeatureValues, state: RelationalState) -> str:
        """Describe a state: the values of the features, and facts."""
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
