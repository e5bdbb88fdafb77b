# SPDX-License-Identifier: Apache-2.0
"""Near misses and lists of names in messages."""

import pytest

from fcp_ros.foundation.wording import (
    choose_article,
    describe_unknown_name,
    find_similar,
    join_words,
    list_names,
    suggest_name,
)

KNOWN = ["Kitchen", "kettle", "table"]


def test_the_most_similar_name_is_found_in_any_case() -> None:
    assert find_similar("KITCHN", KNOWN) == "Kitchen"
    assert find_similar("tabel", KNOWN) == "table"
    assert find_similar("robot", KNOWN) is None
    assert find_similar("robot", []) is None


def test_suggestions_name_the_near_miss_or_what_there_is() -> None:
    assert suggest_name("kitchn", KNOWN) == "did you mean Kitchen?"
    assert suggest_name("robot", KNOWN) == "known are Kitchen, kettle, table"
    assert suggest_name("robot", KNOWN, most=2) == "known are Kitchen, kettle ..."
    assert suggest_name("robot", []) == "there is none to choose from"


def test_unknown_names_are_described() -> None:
    here = "schema 'home'"
    assert describe_unknown_name("type", "tabel", KNOWN, here) == (
        "no type 'tabel' in schema 'home'; did you mean 'table'?"
    )
    assert describe_unknown_name("type", 7, KNOWN, here) == (
        "no type 7 in schema 'home'; there are: Kitchen, kettle, table"
    )
    assert (
        describe_unknown_name("type", "x", [], here)
        == "no type 'x' in schema 'home', which has none"
    )
    assert describe_unknown_name("type", "x", map(str, range(10)), here).endswith("6, 7, ...")


@pytest.mark.parametrize(
    ("names", "listed", "joined"),
    [
        (["a"], "a", "a"),
        (["a", "b"], "a, b", "a or b"),
        (list("abcde"), "a, b, c, d, e", "a, b, c, d or e"),
        (list("abcdefg"), "a, b, c, d, e and 2 more", "a, b, c, d, e, f or g"),
    ],
)
def test_lists_of_names(names: list[str], listed: str, joined: str) -> None:
    assert list_names(iter(names)) == listed
    assert join_words(names, "or") == joined


@pytest.mark.parametrize(
    ("noun", "article"),
    [("orange", "an"), ("Umbrella", "an"), ("plate", "a"), ("unit", "a"), ("user", "a")],
)
def test_the_article_goes_by_the_letters(noun, article):
    assert choose_article(noun) == article
