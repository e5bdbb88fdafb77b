# SPDX-License-Identifier: Apache-2.0
"""A stack: the scores of several heads, weighted, with the plain similarity of their words.

    score = bias + sum_members (weight * score of the member + weight * cosine of both sides)

A small JSON file holds the weights of each set, and the hashes of the heads that they were learned
for; the heads lie in files of their own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.features.encoders import HeadEncoder
from fcp_ros.grounding.heads.head import Array, Pairs, PairScorer, Scores
from fcp_ros.grounding.heads.head_file import PACKAGED_FOLDER, SUFFIX, read_weights, write_whole
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

STACK_FORMAT = "fcp_ros stack 1"
STACK_SUFFIX = ".json"
TRAIN_STACK = "train it again with `fcp grounding train --model A+B`"
Encoder = TypeVar("Encoder", bound=HeadEncoder)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Weighting(_Strict):
    """The weights of one set.

    Attributes:
        columns: names of the sides.
        bias: the score if all that is weighted is 0.
        scores: weight of each member's score.
        cosines: weight of each member's cosine.
        map_scores: knots of the map to degrees.
        map_degrees: degrees at the knots.
        error_means: knots of the map from the members' mean expected error.
        error_squares: expected squared error at these knots.
    """

    columns: tuple[str, str]
    bias: float
    scores: tuple[float, ...] = Field(min_length=1)
    cosines: tuple[float, ...]
    map_scores: tuple[float, ...] = Field(min_length=2)
    map_degrees: tuple[float, ...]
    error_means: tuple[float, ...] = Field(min_length=2)
    error_squares: tuple[float, ...]

    def combine(self, members: Sequence[Scores]) -> Array:
        """Combine the scores of the members."""
        total = np.full(len(members[0].values), self.bias, np.float32)
        for weight, cosine, scores in zip(self.scores, self.cosines, members, strict=True):
            total += weight * scores.values + cosine * scores.cosines
        return total


class Stack(_Strict):
    """Content of the file of a stack.

    Attributes:
        format: version of the file.
        models: names of the members, for people.
        weights: fingerprint of each member's weights.
        heads: hash of the file of each member's heads.
        judgements: hash of the judgements.
        sets: the weights of each set, by its name.
    """

    format: str
    models: tuple[str, ...]
    weights: tuple[str, ...]
    heads: tuple[str, ...]
    judgements: str
    sets: dict[str, Weighting]

    def order(self, encoders: Sequence[Encoder], file: Path) -> list[Encoder]:
        """Order encoders as the stack does.

        Raises:
            GroundingError: they are not those of the stack.
        """
        by_weights = {encoder.weights: encoder for encoder in encoders}
        if sorted(encoder.weights for encoder in encoders) != sorted(self.weights):
            raise GroundingError(
                GroundingCode.NOT_A_MODEL,
                f"the stack {file} was trained on {' and '.join(self.models)}, but the models are "
                f"{' and '.join(encoder.model for encoder in encoders)}; {TRAIN_STACK}",
            )
        return [by_weights[own] for own in self.weights]


@dataclass(frozen=True, slots=True)
class StackedScorer:
    """Scores the pairs of one set by all members of a stack.

    Args:
        weighting: the weights of the set.
        members: heads of the set.
    """

    weighting: Weighting
    members: tuple[PairScorer, ...]

    @property
    def name(self) -> str:
        """Name of the set."""
        return self.members[0].name

    @property
    def columns(self) -> tuple[str, str]:
        """Names of the sides."""
        return self.weighting.columns

    @property
    def degree_map(self) -> DegreeMap:
        """From score to degree."""
        return DegreeMap(self.weighting.map_scores, self.weighting.map_degrees)

    def score(self, pairs: Pairs) -> Scores:
        """Score pairs by all members."""
        found = [member.score(pairs) for member in self.members]
        error_map = DegreeMap(self.weighting.error_means, self.weighting.error_squares)
        mean_error = np.mean([scores.errors for scores in found], axis=0)
        return Scores(
            self.weighting.combine(found),
            np.asarray(np.sqrt(error_map.apply_all(mean_error)), np.float32),
            found[0].cosines,
        )

    def judge(self, pairs: Pairs) -> list[float]:
        """Judge pairs by the score alone."""
        return [self.degree_map.apply(score) for score in self.score(pairs).values.tolist()]


def find_member_heads(weights: str, folder: Path) -> Path:
    """Find the heads of an encoder in a folder, or among the packaged ones.

    Raises:
        GroundingError: there are none.
    """
    for place in (folder, PACKAGED_FOLDER):
        for file in sorted(place.glob(f"*{SUFFIX}")):
            if read_weights(file) == weights:
                return file
    raise GroundingError(
        GroundingCode.MODEL_NOT_FOUND,
        f"a member of the stack has no heads in {folder} and none are packaged; train them there "
        "first with `fcp grounding train --model A`",
    )


def find_packaged_stack(weights: Sequence[str]) -> Path | None:
    """Find the stack that the package ships for some encoders, by their weights in any order."""
    for file in sorted(PACKAGED_FOLDER.glob(f"*{STACK_SUFFIX}")):
        if sorted(read_stack(file).weights) == sorted(weights):
            return file
    return None


def save_stack(stack: Stack, file: Path) -> None:
    """Write a stack, whole or not at all."""
    write_whole(file, (stack.model_dump_json(indent=1) + "\n").encode())


def read_stack(file: Path) -> Stack:
    """Read a stack.

    Raises:
        GroundingError: MODEL_NOT_FOUND, or NOT_A_MODEL if it is damaged.
    """
    try:
        stack = Stack.model_validate(json.loads(read_text(file.expanduser())))
        count = len(stack.weights)
        for name, own in stack.sets.items():
            _check_map(name, own.map_scores, own.map_degrees)
            _check_map(name, own.error_means, own.error_squares)
            if not len(own.scores) == len(own.cosines) == len(stack.heads) == count:
                raise ValueError(f"{name} has {len(own.scores)} weights for {count} members")
        if stack.format != STACK_FORMAT:
            raise ValueError("it was written by another version of this package")
    except FileError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"the stack {file} {error.what}; {TRAIN_STACK}",
        ) from error
    except (ValidationError, ValueError) as error:
        what = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise GroundingError(
            GroundingCode.NOT_A_MODEL, f"{file} is no stack of heads: {what}; {TRAIN_STACK}"
        ) from error
    return stack


def _check_map(name: str, xs: Sequence[float], ys: Sequence[float]) -> None:
    rises = (np.diff(xs) > 0).all() and len(xs) == len(ys) and (np.diff(ys) >= 0).all()
    if not rises or min(ys) < 0 or max(ys) > 1:
        raise ValueError(f"a map of {name} doesn't rise within [0, 1]")
