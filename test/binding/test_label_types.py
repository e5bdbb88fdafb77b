# SPDX-License-Identifier: Apache-2.0
"""A node's type: by override, label, similarity or default, in this order, and recorded."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from fcp_ros.binding.label_types import (
    NodeTyper,
    TypeChoice,
    TypeReason,
    check_overrides,
    type_of_label,
    with_type_overrides,
)
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.binding.similar_labels import NoSimilarity
from fcp_ros.cset import Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneNode


@dataclass
class Likeness:
    """A similarity out of a table, which counts how often it is asked."""

    table: dict[tuple[str, str], float]
    asked: list[list[str]] = field(default_factory=list)

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(labels))
        assert not {"person", "robot"} & set(known)
        rows = [[self.table.get((label, word), 0.0) for word in known] for label in labels]
        return np.array(rows, np.float32)


class Broken:
    """What a similarity is where no model is installed."""

    asked = 0

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        self.asked += 1
        raise NoSimilarity("there is no model; install one")


def thing(category: str, id_: str = "thing_1") -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, category)


@pytest.mark.parametrize(
    ("node", "choice"),
    [
        (thing("Refrigerator_12"), TypeChoice("fridge", 1.0, TypeReason.LABEL, "refrigerator")),
        (thing("Mugs"), TypeChoice("item", 1.0, TypeReason.LABEL, "mug")),
        (
            thing("icebox, refrigerator"),
            TypeChoice("fridge", 1.0, TypeReason.LABEL, "refrigerator"),
        ),
        (thing("coffee table"), TypeChoice("surface", 0.9, TypeReason.LAST_WORDS, "table")),
        (thing("gizmo"), TypeChoice("fixture", 0.0, TypeReason.DEFAULT)),
        (
            replace(thing("gizmo"), size=(0.1, 0.1, 0.1)),
            TypeChoice("item", 0.0, TypeReason.DEFAULT),
        ),
        (SceneNode("a", Layer.AGENT, "spot"), TypeChoice("robot", 1.0, TypeReason.LAYER)),
        (
            SceneNode("a", Layer.AGENT, "person"),
            TypeChoice("person", 1.0, TypeReason.LABEL, "person"),
        ),
        (SceneNode("p", Layer.PLACE, "table"), None),
    ],
)
def test_what_decides(
    node: SceneNode, choice: TypeChoice | None, schema: Schema, mapping: SceneMapping
) -> None:
    assert NodeTyper(schema, mapping).choose(node) == choice


def test_what_joins_rooms_is_a_passage(schema: Schema, mapping: SceneMapping) -> None:
    typer = NodeTyper(schema, mapping)
    assert typer.choose(thing("table"), "passage") == TypeChoice("passage", 1.0, TypeReason.PASSAGE)
    door = typer.choose(thing("door"), "passage")
    assert door == TypeChoice("passage", 1.0, TypeReason.LABEL, "door")


def test_synonyms_mean_the_label(schema: Schema, mapping: SceneMapping) -> None:
    words = replace(mapping, synonyms={"icebox": "refrigerator", "fruit bowl": "counter"})
    typer = NodeTyper(schema, words)
    choice = TypeChoice("fridge", 1.0, TypeReason.SYNONYM, "refrigerator")
    assert typer.choose(thing("Icebox_3")) == typer.choose(thing("old icebox")) == choice
    assert typer.choose(thing("fruit bowl")) == TypeChoice(  # before the last words, "bowl"
        "surface", 1.0, TypeReason.SYNONYM, "counter"
    )
    assert type_of_label("old icebox", words) == "fridge"


def test_the_user_has_the_last_word(schema: Schema, mapping: SceneMapping) -> None:
    said = with_type_overrides(
        mapping, schema, ["mug=tray", "mug_2=fridge", "a=b=item", "Dining_Table = item"]
    )
    typer = NodeTyper(schema, said)
    assert typer.choose(thing("Mug", "mug_1")) == TypeChoice(
        "tray", 1.0, TypeReason.OVERRIDE, "mug"
    )
    by_id = TypeChoice("fridge", 1.0, TypeReason.OVERRIDE, "mug_2")
    assert typer.choose(thing("mug", "mug_2")) == by_id
    assert typer.choose(thing("mug", "a=b")) == TypeChoice("item", 1.0, TypeReason.OVERRIDE, "a=b")
    table = typer.choose(thing("Dining_Table"))
    assert table == TypeChoice("item", 1.0, TypeReason.OVERRIDE, "Dining_Table")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mug", "not of the form"),
        ("=tray", "not of the form"),
        ("mug=", "not of the form"),
        ("mug=tra", "Did you mean tray?"),
    ],
)
def test_overrides_that_say_nothing(
    text: str, part: str, schema: Schema, mapping: SceneMapping
) -> None:
    with pytest.raises(SceneError, match=re.escape(part)):
        with_type_overrides(mapping, schema, [text])


def test_overrides_of_what_is_not_there(schema: Schema, mapping: SceneMapping) -> None:
    graph = SceneGraph.of([thing("Mug", "m")])
    for text in ("m=tray", "Mug=tray", "mug=tray"):
        check_overrides(graph, with_type_overrides(mapping, schema, [text]))
    with pytest.raises(SceneError, match=r"'mugg=tray' names neither.*Did you mean mug"):
        check_overrides(graph, with_type_overrides(mapping, schema, ["mugg=tray"]))


def test_unknown_labels_are_compared_in_one_batch(schema: Schema, mapping: SceneMapping) -> None:
    likeness = Likeness(
        {
            ("glorpbox", "refrigerator"): 0.9,
            ("gizmo", "mug"): 0.9,
            ("gizmo", "laptop"): 0.8,
            ("gizmo", "tv stand"): 0.95,
        }
    )
    typer = NodeTyper(schema, replace(mapping, similar_threshold=0.5), likeness)
    labels = ("glorpbox", "Glorpbox, freezer", "gizmo", "mug")
    nodes = [thing(label, str(number)) for number, label in enumerate(labels)]
    typer.learn(nodes)
    choices = [typer.choose(node) for node in nodes]
    assert likeness.asked == [["gizmo", "glorpbox"]]
    # One voter of three is too few for the glorpbox; two outvote the nearest for the gizmo.
    default = TypeChoice("fixture", 0.0, TypeReason.DEFAULT)
    assert choices[:2] == [default, default]
    assert choices[2] is not None
    assert (choices[2].type, choices[2].matched_label) == ("item", "mug")
    assert choices[2].degree == pytest.approx(1.7 / 3)
    low = NodeTyper(schema, replace(mapping, similar_threshold=0.25), likeness)
    found = low.choose(nodes[1])
    assert found is not None
    assert (found.type, found.reason, found.matched_label) == (
        "fridge",
        TypeReason.SIMILAR,
        "refrigerator",
    )


def test_a_guess_is_noted(schema: Schema, mapping: SceneMapping) -> None:
    likeness = Likeness({("glorpbox", "refrigerator"): 1.0})
    graph = SceneGraph.of([thing("glorpbox", "a"), thing("glorpbox", "b")])
    compared = replace(mapping, similar_threshold=0.3)
    state = scene_to_instance(graph, schema, compared, likeness)
    assert (
        "the domain has no type for the label 'glorpbox': a, b taken as fridge, since it is like "
        "'refrigerator' (0.33)"
    ) in state.notes
    assert state.typing["b"].reason is TypeReason.SIMILAR


def test_without_a_model_the_default_counts(schema: Schema, mapping: SceneMapping) -> None:
    graph = SceneGraph.of([thing("glorpbox", "a"), thing("gizmo", "b")])
    broken = Broken()
    state = scene_to_instance(graph, schema, replace(mapping, similar_threshold=0.3), broken)
    assert broken.asked == 1
    assert state.typing["a"] == TypeChoice("fixture", 0.0, TypeReason.DEFAULT)
    notes = [note for note in state.notes if "compared" in note]
    assert notes == [
        "unknown labels are not compared with known ones: there is no model; install one"
    ]


def test_without_a_threshold_nothing_is_compared(schema: Schema, mapping: SceneMapping) -> None:
    likeness = Likeness({("glorpbox", "refrigerator"): 1.0})
    assert NodeTyper(schema, mapping, likeness).choose(thing("glorpbox")) == TypeChoice(
        "fixture", 0.0, TypeReason.DEFAULT
    )
    assert likeness.asked == []
