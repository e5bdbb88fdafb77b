# SPDX-License-Identifier: Apache-2.0
"""From score probabilities to memberships, or to an error that says why there is none."""

from __future__ import annotations

import math

import numpy as np

from fcp_ros.grounding.language_model.score_reading import NO_SCORE, Floats, draw_scores
from fcp_ros.grounding.protocol.aggregation import distribution_median_and_spread, median_and_spread
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import (
    HIGHEST_SCORE,
    SCORE_COUNT,
    JudgementRequest,
    Membership,
)
from fcp_ros.grounding.protocol.options import LanguageModelOptions

DEGREES = tuple(score / HIGHEST_SCORE for score in range(SCORE_COUNT))
ADVICE = "use a model that follows instructions, or the embedding oracle"


def check_numbers(probabilities: Floats, model: str) -> None:
    """Refuse what is not a number.

    Raises:
        GroundingError: MODEL_FAILED.
    """
    if not np.isfinite(probabilities).all():
        raise GroundingError(
            GroundingCode.MODEL_FAILED,
            f"the language model {model} computes probabilities that are no numbers; its weights "
            "are damaged or its precision is too small: copy it again, or use precision 'float32'",
        )


def exact_membership(
    probabilities: Floats, source: str, model: str, least_mass: float
) -> Membership | str:
    """The membership from a distribution over scores, or why there is none.

    Args:
        probabilities: of the scores, shape (101,); the rest to 1 is "no score".
        source: name of the oracle.
        model: that answered.
        least_mass: least probability on all scores together.
    """
    mass = math.fsum(probabilities)
    if mass < least_mass or mass <= 0.0:
        return (
            f"the scores have {mass:.2%} of its probability, at least {least_mass:.0%} are needed"
        )
    given = tuple(float(chance) / mass for chance in probabilities)
    degree, spread = distribution_median_and_spread(DEGREES, given)
    mean = math.fsum(d * w for d, w in zip(DEGREES, given, strict=True))
    note = f"exact distribution: mean {mean:.2f}, {mass:.0%} of the probability on scores"
    return Membership(degree, degree, (), spread, source, model, note=note, distribution=given)


def sampled_membership(
    probabilities: Floats, source: str, model: str, options: LanguageModelOptions, context_key: str
) -> Membership | str:
    """The membership from seeded draws, or why there is none.

    Args:
        probabilities: of the scores at the options' temperature, shape (101,).
        source: name of the oracle.
        model: that answered.
        options: how many draws, from which seed.
        context_key: the question; each one has draws of its own.
    """
    drawn = draw_scores(probabilities, options.samples, options.seed, context_key)
    samples = tuple(score / HIGHEST_SCORE for score in drawn if score != NO_SCORE)
    if len(samples) * 2 <= options.samples:
        return (
            f"{options.samples - len(samples)} of {options.samples} drawn answers have none; the "
            f"scores have {math.fsum(probabilities):.2%} of its probability at temperature "
            f"{options.temperature:g}"
        )
    degree, spread = median_and_spread(samples)
    note = (
        f"median of {len(samples)} of {options.samples} samples at temperature "
        f"{options.temperature:g}"
    )
    return Membership(degree, degree, samples, spread, source, model, note=note)


def no_score(request: JudgementRequest, model: str, reason: str) -> GroundingError:
    """The error for a request that the model does not answer with a score."""
    return GroundingError(
        GroundingCode.NO_ANSWER,
        f"the language model {model} does not answer {request} with a score: {reason}; {ADVICE}",
    )
