# SPDX-License-Identifier: Apache-2.0
"""Words by WordNet and by spelling, and the reader with and without them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_kitchen import build_kitchen

from fcp_ros.foundation.wordnet import FOLDER_VARIABLE
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.english.inflection import find_misspelt
from fcp_ros.language.english.wordnet_nouns import (
    is_installed,
    list_kinds,
    list_synonyms,
    says_sort,
)
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

LABELS = ("guitar", "grand piano", "mug", "screwdriver", "apple", "wine", "sofa", "socks", "knife")

needs_wordnet = pytest.mark.skipif(not is_installed(), reason="WordNet isn't installed")


@needs_wordnet
@pytest.mark.parametrize(
    ("noun", "kinds"),
    [
        ("musical instrument", ("guitar", "grand piano")),
        ("fruit", ("apple",)),
        ("beverage", ("wine",)),
        ("clothing", ("socks",)),
        ("furniture", ("sofa",)),
        ("mug", ()),
        ("thing", ()),
        ("return", ()),
        ("blorp", ()),
    ],
)
def test_kinds_of_things(noun, kinds):
    assert list_kinds(noun, LABELS) == kinds


@needs_wordnet
def test_synonyms_share_a_meaning():
    assert "couch" in list_synonyms("sofa")
    assert "refrigerator" in list_synonyms("fridge")
    assert not set(list_synonyms("mug")) & {"cup", "glass"}
    assert list_synonyms("washing") == ()
    assert "room" not in list_synonyms("dining room"), "a kitchen is none"
    assert "board" not in list_synonyms("cutting board")


@needs_wordnet
@pytest.mark.parametrize(
    ("modifier", "head", "says"),
    [
        ("coffee", "mug", True),
        ("dog", "toy", True),
        ("desk", "lamp", True),
        ("toy", "car", False),
        ("steel", "bottle", False),
        ("red", "mug", False),
        ("blorp", "mug", False),
    ],
)
def test_a_noun_before_another_says_what_sort(modifier, head, says):
    assert says_sort(modifier, head) is says


def measure_slowly(one: str, other: str) -> int:
    """The optimal string alignment distance, by its definition."""
    known: dict[tuple[int, int], int] = {}

    def measure(i: int, j: int) -> int:
        if not (i and j):
            return i + j
        if (i, j) not in known:
            found = [
                measure(i - 1, j) + 1,
                measure(i, j - 1) + 1,
                measure(i - 1, j - 1) + (one[i - 1] != other[j - 1]),
            ]
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                found.append(measure(i - 2, j - 2) + 1)
            known[i, j] = min(found)
        return known[i, j]

    return measure(len(one), len(other))


@given(st.text("abc", min_size=1, max_size=9), st.lists(st.text("abc", max_size=10), max_size=12))
def test_misspelt_words_are_near(word, known):
    found = dict(find_misspelt(word, known))
    for other, distance in found.items():
        assert distance == measure_slowly(word, other) <= (1 if len(word) < 8 else 2)
    for other in known:
        if len(word) >= 6 and len(other) >= 3 and other[0] in word[:2]:
            near = 0 < measure_slowly(word, other) <= (1 if len(word) < 8 else 2)
            assert near == (other in found)


def test_short_words_are_not_changed():
    assert find_misspelt("boat", ["boot"]) == []
    assert find_misspelt("mgu", ["mug", "map"]) == [("mug", 1)]


MUSIC = {
    "guitar_1": ("item", "guitar"),
    "violin_1": ("item", "violin"),
    "toy_1": ("toy", "toy"),
    "dog_1": ("animal", "dog"),
}
SENTENCES = {
    "put the musical instruments on the table": (
        'forall ?x1: item (not (is_a(?x1, "guitar") or is_a(?x1, "violin")) or on(?x1, table_1))'
    ),
    "put the dog toy on the table": "on(toy_1, table_1)",
    "put the coffee mug that is on the counter on the table": "on(mug_1, table_1)",
}


@needs_wordnet
@pytest.mark.parametrize(("said", "goal"), SENTENCES.items())
def test_nouns_that_no_domain_lists_are_read(said, goal):
    context = ReadingContext(*build_kitchen(MUSIC))
    found = make_reader(ReaderOptions()).read(said, context)
    assert found.best is not None, found.message
    assert found.best.goal == goal


@needs_wordnet
def test_another_sort_is_asked_about_and_a_room_is_no_sort():
    context = ReadingContext(*build_kitchen({"bottle_1": ("item", "water bottle")}))
    reader = make_reader(ReaderOptions())
    found = reader.read("put the baby bottle on the table", context)
    assert found.best is None or found.best.level.name != "PLAIN"


PROGRAM = """
import sys
sys.path.insert(0, "test/support")
from language_kitchen import build_kitchen
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.cascade import ReaderOptions, make_reader
context = ReadingContext(*build_kitchen({"guitar_1": ("item", "guitar")}))
reader = make_reader(ReaderOptions())
for said in ("put the mug on the counter", "put the instruments on the table", "blorp the frim"):
    found = reader.read(said, context)
    print(found.status.name, found.message)
"""


def test_a_robot_without_wordnet_reads_on_and_says_so_once():
    environment = {**os.environ, FOLDER_VARIABLE: "/no/such/folder"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    first, second, third = done.stdout.splitlines()
    assert first.startswith((ReadingStatus.READ.name, ReadingStatus.AMBIGUOUS.name))
    assert second.startswith(ReadingStatus.NOT_UNDERSTOOD.name)
    assert "WordNet isn't installed (wordnet-base" in second
    assert "WordNet" not in third
