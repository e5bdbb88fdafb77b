# SPDX-License-Identifier: Apache-2.0
"""Two detections of one thing are said, and nothing else is."""

import pytest

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, complete_relations


def note_on(*things: tuple[str, tuple[float, float, float], tuple[float, float, float]]) -> str:
    """Return the note on doubles of a completed scene; empty without one."""
    nodes = [
        SceneNode(f"t{n}", Layer.OBJECT, label, Pose(at), size)
        for n, (label, at, size) in enumerate(things)
    ]
    notes = complete_relations(SceneGraph.of(nodes)).notes
    return next((note for note in notes if "detected twice" in note), "")


COUCH = ("couch", (1.0, 1.0, 0.4), (2.0, 0.9, 0.8))


def test_the_same_label_in_one_place_is_one_thing() -> None:
    other = ("Couch_2", (1.1, 1.05, 0.42), (1.9, 0.85, 0.8))
    assert "t0 and t1" in note_on(COUCH, other, ("table", (3, 3, 0.4), (1, 1, 0.8)))


@pytest.mark.parametrize(
    "other",
    [
        ("armchair", (1.0, 1.0, 0.4), (2.0, 0.9, 0.8)),
        ("couch", (3.1, 1.0, 0.4), (2.0, 0.9, 0.8)),
        ("couch", (1.0, 1.0, 1.2), (2.0, 0.9, 0.8)),
        ("couch", (1.0, 1.0, 0.4), (0.4, 0.4, 0.3)),
    ],
)
def test_another_label_place_storey_or_size_is_another_thing(
    other: tuple[str, tuple[float, float, float], tuple[float, float, float]],
) -> None:
    assert note_on(COUCH, other) == ""


def test_things_without_a_name_are_not_alike() -> None:
    box = ((1.0, 1.0, 0.4), (2.0, 0.9, 0.8))
    assert note_on(("unknown", *box), ("unknown", *box)) == ""
    assert note_on(("wikidata_qcode", *box), ("wikidata_qcode", *box)) == ""
