# SPDX-License-Identifier: Apache-2.0
"""The run of the general policy that made a plan, as a message and back."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.msg import PolicyFeature as FeatureMessage
from fcp_ros.msg import PolicyMove as MoveMessage
from fcp_ros.msg import PolicyPath
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.planning.model.suggestion import PolicyFeature, PolicyMove, PolicyTrace

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
