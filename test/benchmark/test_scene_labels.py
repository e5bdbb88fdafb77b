# SPDX-License-Identifier: Apache-2.0
"""The figures on labels that docs/scene_graphs.md gives are those of the model and the rules.

``labels.csv`` holds words for things in homes and offices (the vocabularies of AI2-THOR, ADE20k,
ScanNet and COCO, and words that none of them has) that are no label of the household domain as they
stand, each with the types that a person finds right, none where no type fits. The types were
written down before the answers of the models were seen, except that those of labels that the last
words decide were checked against that answer. The vote's rules were chosen on all words but those
marked "held out", which were written down afterwards.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fcp_ros.binding.label_types import NodeTyper, TypeChoice, TypeReason
from fcp_ros.binding.similar_labels import vote_on_types
from fcp_ros.domain import Domain, load_domain
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.package_files import find_domain
from fcp_ros.scene import Layer, SceneNode

LABELS = Path(__file__).parent / "labels.csv"


@dataclass(frozen=True)
class Asked:
    """A label and its right types; none if no type fits."""

    vocabulary: str
    label: str
    types: frozenset[str]


def read_labels(path: Path = LABELS) -> list[Asked]:
    """Read the labels of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Asked(row["vocabulary"], row["label"], frozenset(filter(None, row["types"].split(";"))))
            for row in csv.DictReader(file)
        ]


@dataclass(frozen=True)
class Known:
    """A label whose words or kind decide its type."""

    asked: Asked
    choice: TypeChoice

    @property
    def is_right(self) -> bool:
        """True if a person finds the type right."""
        return self.choice.type in self.asked.types


def split_known(domain: Domain, asked: Sequence[Asked]) -> tuple[list[Known], list[Asked]]:
    """Split labels into those that their words or kinds decide, and the others."""
    typer = NodeTyper(domain.schema, domain.mapping)
    known, unknown = [], []
    for one in asked:
        choice = typer.choose(SceneNode("x", Layer.OBJECT, one.label))
        assert choice is not None  # objects always get a type
        if choice.reason is TypeReason.DEFAULT:
            unknown.append(one)
        else:
            known.append(Known(one, choice))
    return known, unknown


def figures(answers: Sequence[tuple[Asked, str, float]], threshold: float) -> tuple[int, int]:
    """Count the labels with an answer at a threshold, and the right answers."""
    given = [(one, type_) for one, type_, degree in answers if degree >= threshold]
    return len(given), sum(type_ in one.types for one, type_ in given)


def votes(domain: Domain, asked: Sequence[Asked]) -> list[tuple[Asked, str, float]]:
    """Vote on the type of each label; labels without a vote are left out."""
    typer = NodeTyper(domain.schema, domain.mapping)
    names = [typer.part_to_compare(one.label) for one in asked]
    likely = vote_on_types(names, typer.candidates, EmbeddingLabelSimilarity())
    return [
        (one, found.type, found.degree)
        for one, found in zip(asked, likely, strict=True)
        if found is not None
    ]


@pytest.fixture(scope="module")
def household() -> Domain:
    return load_domain(find_domain("household"))


def test_the_words_are_of_the_domain(household: Domain) -> None:
    asked = read_labels()
    assert len(asked) == len({one.label for one in asked}) > 500
    for one in asked:
        assert one.types <= set(household.schema.types), one


def test_words_and_kinds_are_as_right_as_their_degrees_say(household: Domain) -> None:
    known, _ = split_known(household, read_labels())
    for reason, least in ((TypeReason.LAST_WORDS, 0.8), (TypeReason.KIND, 0.7)):
        right = [one.is_right for one in known if one.choice.reason is reason]
        assert len(right) > 100
        assert sum(right) >= least * len(right), reason


def test_the_vote_is_mostly_right_at_the_recommended_threshold(household: Domain) -> None:
    _, unknown = split_known(household, read_labels())
    given, right = figures(votes(household, unknown), 0.5)
    assert given >= 20
    assert right >= 0.75 * given
