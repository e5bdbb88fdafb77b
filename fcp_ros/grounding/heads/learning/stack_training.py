# SPDX-License-Identifier: Apache-2.0
"""Training of a stack: weights by least squares on the cross-validated scores of its members.

The heads' files hold those scores, so no model is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.head import Array, Scores
from fcp_ros.grounding.heads.head_file import Heads
from fcp_ros.grounding.heads.learning.cosine_baseline import fit_quantile_map
from fcp_ros.grounding.heads.learning.training import UNRELATED_IN_MAP, HeadComparison
from fcp_ros.grounding.heads.stack import STACK_FORMAT, Stack, Weighting
from fcp_ros.grounding.judged.agreement import measure_agreement
from fcp_ros.grounding.judged.judgement_set import JudgementSet, hash_judgements, split
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

Reals = NDArray[np.float64]
KNOTS = 16
PENALTY = 1e-3
"""On the squares of the weights, a pair."""


@dataclass(frozen=True, slots=True)
class StackMember:
    """A member of a stack.

    Args:
        heads: of the encoder.
        hash: of their file.
    """

    heads: Heads
    hash: str


def train_stack(
    members: Sequence[StackMember], sets: Mapping[str, JudgementSet], knots: int = KNOTS
) -> tuple[Stack, dict[str, HeadComparison]]:
    """Train the stack of some heads, and measure it on the held-out part of each set.

    Args:
        members: trained on these sets.
        sets: by name.
        knots: most quantiles of the scores at which the map may bend.

    Raises:
        GroundingError: a member was trained on other judgements.
    """
    judgements = hash_judgements(sets)
    for member in members:
        if member.heads.judgements != judgements:
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the heads of {member.heads.encoder} were trained on other judgements; train them "
                "again with `fcp grounding train --model NAME`, and then the stack",
            )
    weightings: dict[str, Weighting] = {}
    comparisons: dict[str, HeadComparison] = {}
    for name, kind in sets.items():
        parts = split(kind.judgements)
        evidence = [member.heads.by_name[name].evidence for member in members]
        random = min(len(own.unrelated) for own in evidence)
        tables = [np.concatenate([own.training, own.unrelated[:random]]) for own in evidence]
        degrees = np.array([j.degree for j in parts.training] + [0.0] * random)
        judged = np.array([1.0] * len(parts.training) + [0.0] * random)
        weightings[name] = fit_weighting(kind.columns, _to_scores(tables), degrees, judged, knots)
        held_out = _to_scores([own.held_out for own in evidence])
        degree_map = DegreeMap(weightings[name].map_scores, weightings[name].map_degrees)
        given = [judgement.degree for judgement in parts.held_out]
        found = degree_map.apply_all(weightings[name].combine(held_out)).tolist()
        comparisons[name] = HeadComparison(measure_agreement(found, given), None)
    stack = Stack(
        format=STACK_FORMAT,
        models=tuple(member.heads.encoder for member in members),
        weights=tuple(member.heads.weights for member in members),
        heads=tuple(member.hash for member in members),
        judgements=judgements,
        sets=weightings,
    )
    return stack, comparisons


def fit_weighting(
    columns: tuple[str, str],
    members: Sequence[Scores],
    degrees: Reals,
    judged: Reals,
    knots: int,
) -> Weighting:
    """Fit the weights of one set.

    Args:
        columns: names of the sides.
        members: scores of the same pairs by each member, cross-validated.
        degrees: of the pairs.
        judged: 1 for a judged pair, 0 for a random one.
        knots: most quantiles of the scores at which the map may bend.
    """
    count = len(members)
    inputs = np.stack(
        [scores.values for scores in members] + [scores.cosines for scores in members], axis=1
    ).astype(np.float64)
    worth = np.where(judged > 0, 1.0, UNRELATED_IN_MAP)
    centre, mean = (np.average(side, axis=0, weights=worth) for side in (inputs, degrees))
    centred = inputs - centre
    weighed = centred.T * worth
    square = weighed @ centred + PENALTY * worth.sum() * np.eye(2 * count)
    weights = np.linalg.solve(square, weighed @ (degrees - mean))
    weighting = Weighting(
        columns=columns,
        bias=float(mean - centre @ weights),
        scores=tuple(weights[:count].tolist()),
        cosines=tuple(weights[count:].tolist()),
        map_scores=(0.0, 1.0),
        map_degrees=(0.0, 1.0),
        error_means=(0.0, 1.0),
        error_squares=(0.0, 1.0),
    )
    stacked = weighting.combine(members).astype(np.float64)
    degree_map = fit_quantile_map(stacked, degrees, knots, worth)
    squares = (degree_map.apply_all(stacked) - degrees) ** 2
    mean_errors = np.mean([scores.errors for scores in members], axis=0).astype(np.float64)
    try:
        error_map = fit_quantile_map(mean_errors, squares, knots, judged)
    except GroundingError:  # no pair can be told to be better known than another
        error_map = DegreeMap((0.0, 1.0), (float(np.average(squares, weights=judged)),) * 2)
    return weighting.model_copy(
        update={
            "map_scores": degree_map.similarities,
            "map_degrees": degree_map.degrees,
            "error_means": error_map.similarities,
            "error_squares": error_map.degrees,
        }
    )


def _to_scores(tables: Sequence[Array]) -> list[Scores]:
    return [Scores(table[:, 0], table[:, 1], table[:, 2]) for table in tables]
