# SPDX-License-Identifier: Apache-2.0
"""A node's type: by override, label, similarity or default, in this order, and recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from fcp_ros.cset import Schema
from fcp_ros.scene import Layer, SceneMapping, SceneNode
from fcp_ros.scene.state.label_types import NodeTyper, TypeChoice, TypedBy


@dataclass
class Likeness:
    """A similarity out of a table, which counts how often it is asked."""

    table: dict[str, tuple[str, float]]
    asked: list[list[str]] = field(default_factory=list)

    def nearest(
        self, labels: Sequence[str], known: Sequence[str]
    ) -> list[tuple[str, float] | None]:
        self.asked.append(sorted(labels))
        assert not {"person", "robot"} & set(known)
        return [self.table.get(label) for label in labels]


def thing(category: str, id_: str = "thing_1") -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, category)


@pytest.mark.parametrize(
    ("node", "choice"),
    [
        (thing("Refrigerator_12"), TypeChoice("fridge", 1.0, TypedBy.LABEL, "refrigerator")),
        (thing("coffee table"), TypeChoice("surface", 1.0, TypedBy.LAST_WORDS, "table")),
        (thing("gizmo"), TypeChoice("fixture", 0.0, TypedBy.DEFAULT)),
        (replace(thing("gizmo"), size=(0.1, 0.1, 0.1)), TypeChoice("item", 0.0, TypedBy.DEFAULT)),
        (SceneNode("a", Layer.AGENT, "spot"), TypeChoice("robot", 1.0, TypedBy.LAYER)),
        (SceneNode("a", Layer.AGENT, "person"), TypeChoice("person", 1.0, TypedBy.LABEL, "person")),
        (SceneNode("p", Layer.PLACE, "table"), None),
    ],
)
def test_what_decides(
    node: SceneNode, choice: TypeChoice | None, schema: Schema, mapping: SceneMapping
) -> None:
    assert NodeTyper(schema, mapping).choose(node) == choice


def test_what_joins_rooms_is_a_passage(schema: Schema, mapping: SceneMapping) -> None:
    typer = NodeTyper(schema, mapping)
    assert typer.choose(thing("table"), "passage") == TypeChoice("passage", 1.0, TypedBy.PASSAGE)
    door = typer.choose(thing("door"), "passage")
    assert door == TypeChoice("passage", 1.0, TypedBy.LABEL, "door")


def test_the_user_has_the_last_word(schema: Schema, mapping: SceneMapping) -> None:
    overridden = replace(mapping, overrides={"mug": "tray", "mug_2": "fridge"})
    typer = NodeTyper(schema, overridden)
    assert typer.choose(thing("Mug", "mug_1")) == TypeChoice("tray", 1.0, TypedBy.OVERRIDE, "mug")
    by_id = typer.choose(thing("mug", "mug_2"))
    assert by_id == TypeChoice("fridge", 1.0, TypedBy.OVERRIDE, "mug_2")


def test_unknown_labels_are_compared_in_one_batch(schema: Schema, mapping: SceneMapping) -> None:
    likeness = Likeness({"icebox": ("refrigerator", 0.8), "gizmo": ("mug", 0.59)})
    typer = NodeTyper(schema, replace(mapping, similar_threshold=0.6), likeness)
    nodes = [thing("icebox", "a"), thing("Icebox", "b"), thing("gizmo", "c"), thing("mug", "d")]
    typer.learn(nodes)
    choices = [typer.choose(node) for node in nodes]
    assert [choice.type for choice in choices if choice] == ["fridge", "fridge", "fixture", "item"]
    assert choices[0] == TypeChoice("fridge", 0.8, TypedBy.SIMILAR, "refrigerator")
    assert likeness.asked == [["gizmo", "icebox"]]


def test_without_a_threshold_nothing_is_compared(schema: Schema, mapping: SceneMapping) -> None:
    likeness = Likeness({"icebox": ("refrigerator", 1.0)})
    assert NodeTyper(schema, mapping, likeness).choose(thing("icebox")) == TypeChoice(
        "fixture", 0.0, TypedBy.DEFAULT
    )
    assert likeness.asked == []
