# SPDX-License-Identifier: Apache-2.0
"""The outcome of looking for a general policy, and its progress, as messages."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.abstraction.debugging.outcome import Generalization, GeneralizationProgress
from fcp_ros.abstraction.policy.conditions import write_condition, write_effects
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.refinement.programs import write_program
from fcp_ros.action import Generalize
from fcp_ros.msg import AbstractAction, AbstractionFault, PolicyPath
from fcp_ros.msg import PolicyFeature as FeatureMessage
from fcp_ros.msg import PolicyMove as MoveMessage
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.planning.model.suggestion import PolicyFeature, PolicyMove, PolicyTrace

# --- the run of the general policy that made a plan, as a message and back ---

MOST_MOVES = 1000
"""Abstract actions of one message; with six features some 100 kB."""
NO_DISTANCE = -1
"""The field `no_way` of a feature that is no distance."""


def path_to_ros(trace: PolicyTrace | None) -> PolicyPath:
    """Write the run of a policy, with its first `MOST_MOVES` abstract actions at most.

    Args:
        trace: the run; None if a plan was searched.
    """
    if trace is None:
        return PolicyPath()
    moves = trace.moves[:MOST_MOVES]
    after = trace.moves[MOST_MOVES].values if len(trace.moves) > MOST_MOVES else trace.final
    firsts = (0, *(move.steps for move in moves))
    return PolicyPath(
        features=features_to_ros(trace.features),
        moves=[
            MoveMessage(
                action=move.action,
                values=list(move.values),
                first_step=first,
                steps=move.steps - first,
            )
            for move, first in zip(moves, firsts, strict=False)
        ],
        values_after=list(after),
        left_out=trace.left_out + len(trace.moves) - len(moves),
    )


def path_from_ros(message: PolicyPath) -> PolicyTrace | None:
    """Read the run of a policy; None if the message is empty.

    Raises:
        ConversionError: values of other features, or steps that leave a gap.
    """
    features = tuple(map(_feature_from_ros, message.features))
    if not features and not message.moves:
        return None
    for values in (*(move.values for move in message.moves), message.values_after):
        if len(values) != len(features):
            raise ConversionError(
                f"the path of a policy has {len(features)} features, but {len(values)} values: "
                "give one for each feature"
            )
    moves = [
        PolicyMove(move.action, tuple(map(int, move.values)), move.first_step + move.steps)
        for move in message.moves
    ]
    firsts = [move.first_step for move in message.moves]
    if firsts != [0, *(move.steps for move in moves)][: len(firsts)]:
        raise ConversionError(
            "the path of a policy leaves steps out, or has them twice: each of its moves has to "
            "begin with the step after the last one of the move before"
        )
    return PolicyTrace(
        features, tuple(moves), tuple(map(int, message.values_after)), message.left_out
    )


def features_to_ros(features: Iterable[PolicyFeature]) -> list[FeatureMessage]:
    """Write the features of a policy."""
    return [
        FeatureMessage(
            name=one.name,
            text=one.text,
            is_boolean=one.is_boolean,
            no_way=NO_DISTANCE if one.no_way is None else one.no_way,
        )
        for one in features
    ]


def _feature_from_ros(message: FeatureMessage) -> PolicyFeature:
    no_way = None if message.no_way == NO_DISTANCE else message.no_way
    return PolicyFeature(message.name, message.text, message.is_boolean, no_way)


# --- the outcome of looking for a general policy ---

MOST_FAULTS = 20
"""Faults of one message; a round that finds some looks for few others."""


def generalization_to_ros(found: Generalization) -> Generalize.Result:
    """Write the outcome; name and file of a policy that was saved are for the caller to add."""
    policy = found.policy
    return Generalize.Result(
        status=getattr(Generalize.Result, found.status.name),
        message=_complete_sentence(found.sentence),
        features=[] if policy is None else features_to_ros(_list_features(policy)),
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
    """Return a clause with a capital letter and a full stop."""
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
