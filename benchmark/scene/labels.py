# SPDX-License-Identifier: Apache-2.0
"""Accuracy of the types of labels: ``python -m benchmark.scene.labels``.

``labels.csv`` holds words for things in homes and offices (the vocabularies of AI2-THOR,
ADE20k, ScanNet and COCO, and words that none of them has) that are no label of the household
domain as they stand, each with the types that a person finds right, none where no type fits.
Prints how often the last words and WordNet's kinds decide rightly, and for the vote of similar
labels precision and recall by threshold, beside the plain nearest label.

The types were written down before the answers of the models were seen, except that those of labels
that the last words decide were checked against that answer. The vote's rules were chosen on all
words but those marked "held out", which were written down afterwards.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fcp_ros.binding.label_types import NodeTyper, TypeChoice, TypeReason
from fcp_ros.binding.similar_labels import vote_on_types
from fcp_ros.domain import Domain, load_domain
from fcp_ros.grounding.models.sentence_encoder import EmbeddingLabelSimilarity
from fcp_ros.package_files import find_domain
from fcp_ros.scene import Layer, SceneNode

LABELS = Path(__file__).parent / "labels.csv"
THRESHOLDS = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
HELD_OUT = "held out"
NEAREST_THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)


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


def nearest(domain: Domain, asked: Sequence[Asked]) -> list[tuple[Asked, str, float]]:
    """Take the type of the most similar label, without any rule, with the similarity."""
    typer = NodeTyper(domain.schema, domain.mapping)
    names = list(typer.candidates)
    table = EmbeddingLabelSimilarity().similarities(
        [typer.part_to_compare(one.label) for one in asked], names
    )
    best = table.argmax(axis=1)
    degrees = np.take_along_axis(table, best[:, None], axis=1)[:, 0]
    return [
        (one, typer.candidates[names[index]], float(degree))
        for one, index, degree in zip(asked, best, degrees, strict=True)
    ]


def main() -> None:
    """Print the figures."""
    domain = load_domain(find_domain("household"))
    labels = read_labels()
    for name, held_out in (("chosen on", False), ("held out", True)):
        _print(name, domain, [one for one in labels if (one.vocabulary == HELD_OUT) is held_out])


def _print(name: str, domain: Domain, asked: Sequence[Asked]) -> None:
    known, unknown = split_known(domain, asked)
    with_type = sum(bool(one.types) for one in unknown)
    print(f"## {name}: {len(asked)} labels")
    for reason in (TypeReason.LAST_WORDS, TypeReason.KIND):
        right = [one.is_right for one in known if one.choice.reason is reason]
        share = sum(right) / len(right)
        print(f"{reason.value}: {len(right)} labels, {sum(right)} right ({share:.0%})")
    print(f"unknown: {len(unknown)} labels, {with_type} of a type that the domain has\n")
    print("| way | threshold | answered | right | precision | recall |\n|---|---|---|---|---|---|")
    for way, answers, thresholds in (
        ("nearest label", nearest(domain, unknown), NEAREST_THRESHOLDS),
        ("vote", votes(domain, unknown), THRESHOLDS),
    ):
        for threshold in thresholds:
            given, right = figures(answers, threshold)
            print(
                f"| {way} | {threshold} | {given} | {right} | {right / max(given, 1):.2f} | "
                f"{right / with_type:.2f} |"
            )
    print()


if __name__ == "__main__":
    main()
