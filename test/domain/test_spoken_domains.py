# SPDX-License-Identifier: Apache-2.0
"""The domains that come with the package have words for everything that people speak of."""

from pathlib import Path

import pytest

from fcp_ros.domain.phrases import PhraseSlot
from fcp_ros.domain.yaml.domain_files import load_domain

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / "config" / "domains" / "household.yaml",
    *sorted((ROOT / "benchmark" / "context_matters" / "domains").glob("*.yaml")),
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_relation_can_be_said(file):
    domain = load_domain(file)
    relations = {relation.name for relation in domain.schema.relations}
    assert relations == domain.words.relations.keys()
    for name, phrases in domain.words.relations.items():
        legs = len(domain.schema.relation(name).legs)
        statements = [
            variant
            for phrase in phrases
            for variant in phrase.variants
            if isinstance(variant[0], PhraseSlot)
            and sum(isinstance(part, PhraseSlot) for part in variant) == legs
        ]
        assert statements, f"no statement of {name}: its paraphrases would be made of names"
    assert domain.words.tasks


def test_every_graded_predicate_of_the_household_can_be_said():
    domain = load_domain(FILES[0])
    said = domain.words.graded.keys()
    assert said >= {"serves_as", "suitable_substitute", "stable_enough", "can_grasp", "safe_for"}
