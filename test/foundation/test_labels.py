# SPDX-License-Identifier: Apache-2.0
"""Labels from all sources get one spelling, and match a table by their last words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.foundation.labels import (
    describe_label,
    is_named,
    match_label,
    names_a_kind,
    normalise_label,
)


@pytest.mark.parametrize(
    ("label", "normal"),
    [
        ("dining_table", "dining table"),
        ("Fridge_12", "fridge"),
        ("DiningTable", "dining table"),
        ("TV", "tv"),
        ("  potted   plant ", "potted plant"),
        ("42", "42"),
        ("", ""),
    ],
)
def test_one_spelling(label: str, normal: str) -> None:
    assert normalise_label(label) == normal


@given(st.text(max_size=30))
def test_normalising_twice_changes_nothing(label: str) -> None:
    once = normalise_label(label)
    assert normalise_label(once) == once


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("table", "surface"),
        ("dining_table", "surface"),
        ("Tables", "surface"),
        ("coffee table 2", "hot surface"),
        ("wine_glasses", "cup"),
        ("glass", "cup"),
        ("table lamp", None),
        ("wardrobe, coffee tables", "hot surface"),
        ("Glass_3 (broken)", "cup"),
        ("table [lamp]", "surface"),
        ("(", None),
        ("", None),
    ],
)
def test_whole_label_first_then_last_words(label: str, found: str | None) -> None:
    table = {"table": "surface", "coffee table": "hot surface", "glass": "cup"}
    assert match_label(label, table) == found


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("TVStand", "tv stand"),
        ("Countertop_L_10x4", "countertop"),
        ("RoboTHOR_dining_table_extendable", "dining table"),
        ("RoboTHOR_hemnes_day_bed", "bed"),
        ("SM_Chair_Wood_02a", "chair"),
        ("turtlebot3", "turtlebot3"),
        ("TVs", "tv"),
    ],
)
def test_names_of_assets_are_split(label: str, known: str) -> None:
    assert match_label(label, {known: "it"}) == "it"


def test_a_description_is_not_what_it_describes() -> None:
    table = {"towel": "towel", "dining": "dining", "island": "counter", "basketball": "toy"}
    assert match_label("towel holder", table) is None
    assert match_label("RoboTHOR_basketball_rhode_island_novelty_v", table) == "toy"


@pytest.mark.parametrize(
    ("label", "named", "words"),
    [
        ("label_5", False, "number 5, without a name"),
        ("Label 12", False, "number 12, without a name"),
        ("17", False, "number 17, without a name"),
        ("unknown", False, "unknown"),
        ("", False, ""),
        ("wikidata_qcode", False, "wikidata_qcode"),
        ("Q11442", False, "Q11442"),
        ("chair_2", True, "chair_2"),
        ("label", True, "label"),
        ("7up", True, "7up"),
    ],
)
def test_numbers_are_no_names(label, named, words):
    assert is_named(label) == named
    assert describe_label(label) == words


def test_a_word_for_everything_names_no_kind():
    assert [names_a_kind(label) for label in ("object_3", "Thing", "unknown", "", "mug")] == [
        *4 * [False],
        True,
    ]
