# SPDX-License-Identifier: Apache-2.0
"""Plain ids: usable in goals and PDDL, one to one, and with the source's id kept."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fcp_ros.scene import SceneError
from fcp_ros.scene.formats.source_graph import assign_ids, to_identifier

texts = st.text(alphabet="aAbB1_|-+. é", max_size=6)
sources = st.one_of(texts.filter(bool), st.integers(-3, 30))


def test_the_rule_by_example() -> None:
    ids = assign_ids(
        [
            ("mug_7", "mug"),
            ("Mug|+01.20|+00.90", "Mug"),
            ("Fridge|1|0", "Fridge"),
            (13, "coffee table"),
            ("Mug|+02.00|+00.90", "Mug"),
        ]
    )
    assert dict(ids.by_source) == {
        "mug_7": "mug_7",
        "Mug|+01.20|+00.90": "mug_1",
        "Fridge|1|0": "fridge_1",
        13: "coffee_table_13",
        "Mug|+02.00|+00.90": "mug_2",
    }
    assert ids.attributes("mug_7") == {}
    assert ids.attributes("Fridge|1|0") == {"source_id": "Fridge|1|0"}
    assert ids.attributes(13) == {"source_id": 13}
    assert ids.notes == ()


def test_ids_that_collide_after_case_folding_are_told_apart_and_noted() -> None:
    ids = assign_ids([("P1", "plate"), ("p1", "plate"), ("Plate_1", "plate")])
    assert dict(ids.by_source) == {"P1": "P1", "p1": "plate_2", "Plate_1": "Plate_1"}
    assert ids.attributes("p1") == {"source_id": "p1"}
    assert ids.notes == ("ids that differ in case only: P1 and p1; the second of each was renamed",)


@pytest.mark.parametrize("wrong", [[("a", "x"), ("a", "y")], [(1, "x"), (1, "x")], [("", "x")]])
def test_doubled_and_empty_ids_are_refused(wrong: list[tuple[str, str]]) -> None:
    with pytest.raises(SceneError):
        assign_ids(wrong)


@example({"a": "x", "A": "y"})
@example({"A": "x", "a": "y"})
@given(st.dictionaries(sources, texts, max_size=12))
def test_one_to_one_plain_and_apart_whatever_the_case(elements: dict[str | int, str]) -> None:
    ids = assign_ids(elements.items())
    assert list(ids.by_source) == list(elements)
    assert len({id_.lower() for id_ in ids.by_source.values()}) == len(elements)
    for source, id_ in ids.by_source.items():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", id_)
        assert ids.attributes(source).get("source_id", id_) == source


@pytest.mark.parametrize(
    ("category", "expected"),
    [("DiningTable", "dining_table"), ("", "thing"), ("3d printer", "thing_3d_printer")],
)
def test_categories_as_identifiers(category: str, expected: str) -> None:
    assert to_identifier(category) == expected
