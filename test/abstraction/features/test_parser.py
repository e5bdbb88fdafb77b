# SPDX-License-Identifier: Apache-2.0
"""Texts of features: read and written back; faults are shown where they are, with a hint."""

from __future__ import annotations

import pytest
from feature_texts import parse_concept, parse_role
from feature_twin import VOCABULARY, features
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.abstraction.features.expressions import (
    AndConcept,
    Feature,
    NamedConcept,
    NamedRole,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.parser import ExpressionReader, FeatureSyntaxError, parse_feature


@given(features)
def test_features_are_read_back(feature: Feature) -> None:
    assert parse_feature(feature.text, VOCABULARY) == feature


@given(st.text(min_size=1))
def test_any_name_is_read_back(name: str) -> None:
    assert parse_concept(str(NamedConcept(name))) == NamedConcept(name)
    assert parse_role(str(NamedRole(name))) == NamedRole(name)


@given(st.text(alphabet='anyte(), "clsomp.\n\\'))
def test_any_text_is_read_or_refused(text: str) -> None:
    feature, offset = None, 0
    try:
        feature = parse_feature(text)
    except FeatureSyntaxError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
    assert feature is None or parse_feature(feature.text) == feature


def test_parts_of_an_intersection_are_nested_to_the_left() -> None:
    a, b, c = map(NamedConcept, "abc")
    assert parse_concept("and(a, b, c)") == AndConcept(AndConcept(a, b), c)
    assert str(AndConcept(a, AndConcept(b, c))) == "and(a, and(b, c))"


def test_words_of_constructors_are_names_where_no_parenthesis_follows() -> None:
    assert parse_concept("some(all, not)") == SomeConcept(NamedRole("all"), NamedConcept("not"))
    assert parse_concept('some(all, "top")') == SomeConcept(NamedRole("all"), NamedConcept("top"))
    assert parse_concept("some(all, top)") == SomeConcept(NamedRole("all"), Top())


def test_expressions_within_a_longer_text() -> None:
    text = "sail(to: some(at, clean)); rest"
    reader = ExpressionReader(text, VOCABULARY, "(),:;")
    reader.offset = text.index(":") + 1
    assert str(reader.read_concept()) == "some(at, clean)"
    assert text[reader.offset :] == "); rest"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("count(clear)", "clear", "no concept `clear`; did you mean clean?"),
        ("count(at)", "at", "`at` is a role (pairs of objects); here a concept (a set of objects)"),
        ("flag(clean)", "clean", "`clean` is a concept"),
        ("any(exists(at, top))", "exists", "there is no `exists`; write some"),
        ("any(same(at))", ")", "`same` is written same(R, R)"),
        ("any(and(clean, clean)", "", "`)` is missing at the end: it closes `any(`"),
        ("any(clean))", ")", "one parenthesis too many"),
        ("any()", ")", "a concept (a set of objects) is missing before `)`"),
        (
            "clean",
            "clean",
            "a feature is written flag(NAME), any(C), count(C) or distance(C, R, C)",
        ),
        ("any(count(clean))", "count", "count(C) is a feature; here a concept"),
        ("any(soem(at, top))", "soem", "did you mean some?"),
        ('any("clean)', '"', "the quotes are never closed"),
        ('any("\\q")', '"', "only the escapes of JSON"),
        ("any(" + "not(" * 80, "not(" * 21, "nested more than 60 deep"),
        ("any(" + " " * 20_000, "any", "more than 10,000 characters"),
    ],
)
def test_faults_are_shown_where_they_are(text: str, place: str, message: str) -> None:
    with pytest.raises(FeatureSyntaxError) as caught:
        parse_feature(text, VOCABULARY)
    assert message in caught.value.message
    assert text[caught.value.offset :].startswith(place)
    assert str(caught.value).endswith("^")


def test_the_caret_stands_below_the_fault_of_its_line() -> None:
    with pytest.raises(FeatureSyntaxError) as caught:
        parse_feature("count(and(clean,\n  dirty))", VOCABULARY)
    assert str(caught.value).split("\n")[1:] == ["    dirty))", "    ^"]


@pytest.mark.parametrize(
    ("text", "complexity"),
    [
        ("any(clean)", 2),
        ("any(not(clean))", 2),
        ("count(some(at, top))", 3),
        ("count(some(inverse(at), not(clean)))", 4),
        ("count(and(goal.clean, not(clean)))", 2),
        ("count(some(difference(goal.at, at), top))", 3),
        ("count(some(difference(at, goal.at), top))", 5),
        ("distance(clean, restrict(next, not(clean)), goal.clean)", 6),
        ("any(not(some(at, top)))", 4),
        ("flag(idle)", 1),
    ],
)
def test_complexity_counts_names_and_constructors(text: str, complexity: int) -> None:
    assert parse_feature(text).complexity == complexity


def test_names_are_those_of_the_vocabulary() -> None:
    feature = parse_feature("distance(clean, restrict(next, not(goal.clean)), some(at, top))")
    assert feature.names == {"clean", "next", "goal.clean", "at"}
    assert not feature.is_boolean
    assert parse_feature("flag(idle)").names == {"idle"}
    assert parse_feature("flag(idle)").is_boolean
