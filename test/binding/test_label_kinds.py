# SPDX-License-Identifier: Apache-2.0
"""Types of labels that the household domain doesn't list, by WordNet's kinds."""

from typing import Any

import pytest

from fcp_ros.binding.label_types import NO_KINDS, NodeTyper, TypeReason
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.package_files import find_domain
from fcp_ros.scene import Layer, SceneGraph, SceneNode

needs_wordnet = pytest.mark.skipif(find_wordnet() is None, reason="WordNet isn't installed")


@pytest.fixture(scope="module")
def household() -> Domain:
    return load_domain(find_domain("household"))


@pytest.fixture(scope="module")
def typer(household: Domain) -> NodeTyper:
    return NodeTyper(household.schema, household.mapping)


@pytest.mark.parametrize(
    "label",
    ["carton", "basket", "laundry basket", "box", "parcel", "tote", "toy car", "waste", "paint"],
)
def test_these_can_be_carried(household: Domain, typer: NodeTyper, label: str) -> None:
    choice = typer.choose(SceneNode("x", Layer.OBJECT, label))
    assert choice is not None
    assert choice.reason is TypeReason.LABEL
    assert household.schema.is_subtype(choice.type, "item")
    assert not household.schema.is_subtype(choice.type, "drink")


@pytest.mark.parametrize(
    ("label", "type_"),
    [
        ("pallet", "surface"),
        ("wheelchair", "surface"),
        ("trash can small", "bin"),
        ("paint can", "chemical"),
        ("can of paint", "chemical"),
        ("bleach bottle", "cleaning_agent"),
        ("motor oil", "chemical"),  # by its last word it would be a drink
        ("Lamp_Oil_2", "chemical"),
        ("toilet water", "chemical"),
        ("baby oil", "cleaning_agent"),
        ("cough syrup", "chemical"),
        ("olive oil", "drink"),
    ],
)
def test_these_are_known(typer: NodeTyper, label: str, type_: str) -> None:
    choice = typer.choose(SceneNode("x", Layer.OBJECT, label))
    assert choice is not None
    assert choice.type == type_


@needs_wordnet
@pytest.mark.parametrize(
    ("layer", "label", "type_", "like"),
    [
        (Layer.OBJECT, "rucksack", "bag", "backpack"),
        (Layer.OBJECT, "old ukulele", "toy", "guitar"),
        (Layer.AGENT, "grandmother", "person", "person"),
        (Layer.AGENT, "stepdaughter", "person", "person"),
    ],
)
def test_a_label_gets_the_type_of_its_kind(
    household: Domain, typer: NodeTyper, layer: Layer, label: str, type_: str, like: str
) -> None:
    choice = typer.choose(SceneNode("x", layer, label))
    assert choice is not None
    assert choice.reason is TypeReason.KIND
    assert household.schema.is_subtype(choice.type, type_)
    assert choice.is_guess
    assert 0.5 < choice.degree < 1.0


@pytest.mark.parametrize("label", ["brick next to the milk", "not a mug", "frobnicator", "guest"])
def test_what_no_kind_fits_stays_unknown(typer: NodeTyper, label: str) -> None:
    choice = typer.choose(SceneNode("x", Layer.OBJECT, label))
    assert choice is not None
    assert choice.reason is TypeReason.DEFAULT or choice.type == "person"


@needs_wordnet
def test_the_kind_is_said(household: Domain) -> None:
    graph = SceneGraph.of([SceneNode("x", Layer.OBJECT, "rucksack")])
    state = scene_to_instance(graph, household.schema, household.mapping)
    (note,) = (note for note in state.notes if "rucksack" in note)
    assert "taken as bag, since WordNet says that it is a kind of 'backpack'" in note


def test_without_wordnet_it_is_said_that_labels_have_no_kind(household: Domain) -> None:
    typer = NodeTyper(household.schema, household.mapping, find_nouns=lambda: None)
    choice: Any = typer.choose(SceneNode("x", Layer.OBJECT, "rucksack"))
    assert choice.reason is TypeReason.DEFAULT
    assert typer.notes == (NO_KINDS,)
