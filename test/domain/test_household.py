# SPDX-License-Identifier: Apache-2.0
"""The domains of the package keep their promises: what they name, cover, judge and say."""

import json
import re
from pathlib import Path

import pytest

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain.phrases import PhraseSlot
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.foundation.labels import match_label
from fcp_ros.scene import Layer, SceneGraph, SceneNode, complete_relations


def test_rubrics_anchor_all_three_scores_with_examples(household):
    for predicate in household.graded.values():
        if predicate.rubric is None:
            assert predicate.oracle == "table"
            continue
        assert [anchor.score for anchor in predicate.rubric.anchors] == [0, 50, 100]
        least = 6 if predicate.oracle == "default" else 3
        for anchor in predicate.rubric.anchors:
            assert len(set(anchor.examples)) == len(anchor.examples) >= least
    assert household.graded["can_grasp"].context == {"item": ("name",)}


def test_labels_of_the_benchmark_scenes_are_known(household, shared_dir):
    bench = shared_dir / "bench"
    labels = set()
    for path in (bench / "scenes" / "spark_dsg").glob("*.yaml"):
        labels.update(re.findall(r"name: (\w+)}", path.read_text()))
    canonical = json.loads((bench / "scenes/twin_house/expected_canonical.json").read_text())
    labels.update(o["cls"] for o in canonical["objects"])
    flats = json.loads((bench / "context_matters/scenes_from_taskography.json").read_text())
    labels.update(o["cls"] for flat in flats.values() for o in flat["objects"])
    for instance in json.loads((bench / "context_matters/instances.json").read_text()):
        labels.update(added["cls"].split(" into")[0] for added in instance["added"])
    unknown = {x for x in labels if match_label(x, household.mapping.labels) is None}
    assert {x.lower() for x in unknown} <= {"unknown"}


def test_loading_twice_gives_equal_domains(household):
    again = load_domain(household.source)
    assert again == household
    assert again.content_hash == household.content_hash


def test_agents_become_what_their_labels_say(household):
    nodes = {
        "robot_1": SceneNode("robot_1", Layer.AGENT, "robot", parents=("hall_1",)),
        "anna": SceneNode("anna", Layer.AGENT, "woman", parents=("hall_1",)),
        "hall_1": SceneNode("hall_1", Layer.ROOM, "hall"),
    }
    graph = complete_relations(SceneGraph(nodes, ()))
    state = scene_to_instance(graph, household.schema, household.mapping).instance
    assert household.schema.is_subtype(state.type_of(state.id_of("anna")), "person")
    assert state.type_of(state.id_of("robot_1")) == "robot"


# --- The domains that come with the package have words for everything that people speak of


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
