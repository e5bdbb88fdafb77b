# SPDX-License-Identifier: Apache-2.0
"""Training of the model of remarks (`fcp language train-remarks`); equal rows, equal weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from scipy.optimize import minimize

from fcp_ros.foundation.bounded_file import MEBIBYTE, read_text
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.language.datasheet import Datasheet
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.remarks.remark_model import (
    FEATURES,
    LEAST_IDLE,
    Array,
    DescribedPart,
    Encode,
    RemarkModel,
    RemarkWeights,
    describe_part,
    join_inputs,
)
from fcp_ros.language.syntax import parse_segments
from fcp_ros.language.syntax.tree import join_trees
from fcp_ros.language.syntax.units import find_units

PACKAGED_ROWS = Path(__file__).with_name("rows.yaml")
PENALTY = 7.5e-3
"""L2 penalty, per row."""
FOLDS = 10
MOST_BYTES = 4 * MEBIBYTE


class _File(BaseModel):
    """A file of sentences in which a part is marked."""

    model_config = ConfigDict(extra="forbid")

    licence: str
    idle: list[str] = []
    matters: list[str] = []


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """A part, and whether it may be left out."""

    part: DescribedPart
    is_idle: bool


@dataclass(frozen=True, slots=True)
class RemarkRows:
    """Labelled parts, and where they are from."""

    rows: tuple[LabelledPart, ...]
    sources: tuple[str, ...]  # file, number of rows and licence, a line each


def read_remarks(files: Sequence[Path]) -> RemarkRows:
    """Read files of sentences in each of which [brackets] mark a part.

    Raises:
        InputError: a file can't be read, or a sentence has not one marked part.
    """
    rows: list[LabelledPart] = []
    sources = []
    for file in files:
        document = _read_file(file)
        found = [
            LabelledPart(_read_part(sentence, file), is_idle)
            for sentences, is_idle in ((document.idle, True), (document.matters, False))
            for sentence in sentences
        ]
        rows += found
        sources.append(f"{file.name}: {len(found)} parts, {document.licence}")
    if len({row.is_idle for row in rows}) < 2:
        raise InputError(
            "there are no rows to learn from: give both idle ones and ones that matter"
        )
    return RemarkRows(tuple(rows), tuple(sources))


def _read_file(file: Path) -> _File:
    try:
        return _File.model_validate(load_yaml(read_text(file, MOST_BYTES)))
    except (TextError, RecursionError, ValidationError) as error:
        raise InputError(
            f"{file} is no file of labelled parts ({error}); see docs/language.md for its form"
        ) from error


def _read_part(sentence: str, file: Path) -> DescribedPart:
    before, mark, rest = sentence.partition("[")
    inside, end, behind = rest.partition("]")
    start, stop = len(before), len(before) + len(inside)
    tree = join_trees(s.tree for s in parse_segments(tokenise(before + inside + behind)))
    said = [word for word in tree.words if not word.is_inserted]
    tokens = frozenset(word.token for word in said if start <= word.start and word.end <= stop)
    if not mark or not end or not tokens or "[" in behind:
        raise InputError(f"{file}: mark one part with [brackets] in {sentence!r}")
    clauses = [
        frozenset(word.token for word in unit.tree.words if not word.is_inserted)
        for unit in find_units(tree)
    ]
    return describe_part(tree, tokens, clauses)


def train_remarks(data: RemarkRows, encode: Encode, encoder: str) -> RemarkWeights:
    """Train all weights.

    Args:
        encoder: fingerprint of the encoder's weights.
    """
    inputs, target = _list_inputs(data, encode)
    return _fit(inputs, target, encoder)


def score_remarks(data: RemarkRows, encode: Encode) -> Datasheet:
    """Rate each row by a model that hasn't seen it, and compute the shares that are right."""
    inputs, target = _list_inputs(data, encode)
    rated = np.zeros(len(target))
    for fold in range(FOLDS):
        held = np.arange(len(target)) % FOLDS == fold
        weights = _fit(inputs[~held], target[~held], "")
        model = RemarkModel(weights, encode)
        rated[held] = model.rate([r.part for r, h in zip(data.rows, held, strict=True) if h])
    left_out = rated >= LEAST_IDLE
    scores = {
        "unseen parts: may be left out or not": float(((rated >= 0.5) == target).mean()),
        f"unseen parts rated from {LEAST_IDLE} on: may be left out": float(target[left_out].mean()),
        f"unseen idle parts: rated from {LEAST_IDLE} on": float(left_out[target == 1].mean()),
    }
    return Datasheet(data.sources, {name: round(value, 3) for name, value in scores.items()})


def _list_inputs(data: RemarkRows, encode: Encode) -> tuple[Array, Array]:
    inputs = join_inputs([row.part for row in data.rows], encode)
    return inputs, np.array([float(row.is_idle) for row in data.rows])


def _fit(inputs: Array, target: Array, encoder: str) -> RemarkWeights:
    """Fit a logistic regression whose weights are kept small."""
    signs = 2.0 * target - 1.0

    def loss(weights: Array) -> tuple[float, Array]:
        margins = signs * (inputs @ weights)
        value = float(np.logaddexp(0.0, -margins).mean()) + PENALTY / 2 * float(weights @ weights)
        slope = -inputs.T @ (signs / (1.0 + np.exp(margins))) / len(signs)
        return value, slope + PENALTY * weights

    start = np.zeros(inputs.shape[1])
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    known = len(FEATURES)
    return RemarkWeights(weights[:known], weights[known:-1], float(weights[-1]), encoder)
