# SPDX-License-Identifier: Apache-2.0
"""The outcome of looking for a general policy, and its progress, as messages."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.abstraction.debugging.outcome import Generalization, GeneralizationProgress
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, write_condition, write_effects
from fcp_ros.abstraction.policy.programs import write_program
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.action import Generalize
from fcp_ros.msg import AbstractAction, AbstractionFault
from fcp_ros.nodes.conversions.plan import FEATURES
from fcp_ros.planning.model.plan import PolicyFeature

MOST_FAULTS = 20
"""Faults of one message; a round that finds some looks for few others."""


def generalization_to_ros(found: Generalization) -> Generalize.Result:
    """Write the outcome; name and file of a policy that was saved are for the caller to add."""
    policy = found.policy
    return Generalize.Result(
        status=getattr(Generalize.Result, found.status.name),
        message=_complete_sentence(found.sentence),
        features=[] if policy is None else FEATURES.write_all(_list_features(policy)),
        actions=[] if policy is None else _actions_to_ros(policy),
        remarks=[] if policy is None else list(policy.provenance.remarks),
        faults=faults_to_ros(found.errors),
        rounds=len(found.rounds),
        seconds=found.seconds,
    )


def generalization_progress_to_ros(
    progress: GeneralizationProgress, elapsed: float
) -> Generalize.Feedback:
    """Write progress; `elapsed` is the time since the arrival of the goal (s)."""
    return Generalize.Feedback(
        round=progress.round,
        doing=progress.doing,
        faults=faults_to_ros(progress.errors),
        elapsed=elapsed,
    )


def faults_to_ros(errors: Iterable[AbstractionError]) -> list[AbstractionFault]:
    """Write faults of an abstraction, `MOST_FAULTS` at most."""
    return [
        AbstractionFault(
            check=getattr(AbstractionFault, error.check.name),
            kind=getattr(AbstractionFault, error.kind.name),
            message="; ".join(filter(None, (error.sentence, error.describe_blame()))),
            task=error.instance,
            states=list(error.states),
            actions=list(error.actions),
        )
        for error in list(errors)[:MOST_FAULTS]
    ]


def _complete_sentence(clause: str) -> str:
    end = "" if clause.endswith((".", "!", "?")) else "."
    return f"{clause[:1].upper()}{clause[1:]}{end}" if clause else ""


def _list_features(policy: GeneralPolicy) -> list[PolicyFeature]:
    qnp = policy.qnp
    return [
        PolicyFeature(name, policy.features[name].text, name in qnp.booleans)
        for name in qnp.variables
    ]


def _actions_to_ros(policy: GeneralPolicy) -> list[AbstractAction]:
    qnp = policy.qnp
    return [
        AbstractAction(
            name=action.name,
            when=write_condition(qnp, action.when),
            effects=write_effects(action.effects),
            programs=[write_program(one) for one in policy.refinement.programs[action.name]],
        )
        for action in qnp.actions
    ]
