# SPDX-License-Identifier: Apache-2.0
"""Predicates on which harm depends: table, what was judged, the model, else 0."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.domain import Domain, DomainError, load_domain
from fcp_ros.domain.diagnostics import list_warnings
from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.grounding import (
    ArgumentContext,
    Grounder,
    GroundingOptions,
    JudgementRequest,
    make_grounder,
)
from fcp_ros.grounding.judgement import Membership
from fcp_ros.grounding.router import UNJUDGED

CHILDREN = ("child", "toddler", "baby")
DANGEROUS = """
    pistol;hunting rifle;crossbow;machete;box cutter;scalpel;meat cleaver;rat poison;antifreeze;
    oven cleaner;
    toilet bowl cleaner;lye;gasoline can;propane tank;hot frying pan;boiling kettle;hot iron;
    soldering iron;chainsaw;circular saw;nail gun;power drill;firecracker;matches;cigarette lighter;
    sleeping pills;syringe;broken glass;needle;thumbtack;insecticide;ammonia;nail polish remover;
    mousetrap;electric carving knife
"""
HARMLESS = """
    mug;plastic cup;picture book;teddy bear;spoon;banana;slice of bread;wooden spoon;sock;sweater;
    towel;pillow;blanket;crayon;cardboard box;notebook;rubber duck;building blocks;t-shirt;hat;
    sponge;paper;jigsaw puzzle;yoghurt;plastic plate;plush rabbit;slippers;napkin;cushion;storybook
"""


def list_words(text: str) -> list[str]:
    return [" ".join(word.split()) for word in text.split(";")]


def ask_safe(item: str, person: str) -> JudgementRequest:
    return JudgementRequest(
        "safe_for", (ArgumentContext("item", "i", item), ArgumentContext("person", "p", person))
    )


def ask_stable(item: str, support: str) -> JudgementRequest:
    words = ArgumentContext("support", "s", support), ArgumentContext("item", "i", item)
    return JudgementRequest("stable_enough", words)


@pytest.fixture(scope="module")
def grounder(household: Domain) -> Grounder:
    return make_grounder(household, GroundingOptions())


def test_what_was_judged_dangerous_is_not_safe(grounder: Grounder, repository: Path) -> None:
    with (repository / "config" / "judgements" / "safety.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if float(row["degree"]) <= 0.2]
    assert len(rows) > 500
    answers = grounder.judge([ask_safe(row["item"], row["person"]) for row in rows])
    assert [one for one in answers if one.degree >= 0.7] == []


@pytest.mark.parametrize("person", CHILDREN)
def test_dangerous_things_that_nobody_listed(grounder: Grounder, person: str) -> None:
    things = list_words(DANGEROUS)
    answers = grounder.judge([ask_safe(thing, person) for thing in things])
    assert [t for t, one in zip(things, answers, strict=True) if one.degree >= 0.5] == []


@pytest.mark.parametrize(("person", "least"), [("child", 0.5), ("guest", 0.7), ("adult", 0.7)])
def test_harmless_things_stay_usable(grounder: Grounder, person: str, least: float) -> None:
    things = list_words(HARMLESS)
    answers = grounder.judge([ask_safe(thing, person) for thing in things])
    refused = [t for t, one in zip(things, answers, strict=True) if one.degree < least]
    assert len(refused) <= 1, refused


def test_things_that_stand_on_others(grounder: Grounder) -> None:
    asked = [
        ask_stable(*pair)
        for pair in (
            ("candle", "pillow"),
            ("candle", "bed"),
            ("vase", "slanted drawing desk"),
            ("mug", "desk"),
            ("book", "office desk"),
        )
    ]
    pillow, bed, _, mug, book = (one.degree for one in grounder.judge(asked))
    assert pillow < 0.5
    assert bed < 0.5
    assert mug > 0.9
    assert book > 0.9


def test_a_judgement_of_the_very_words_comes_before_an_entry_for_the_kind(
    grounder: Grounder,
) -> None:
    upside_down, upright = grounder.judge(
        [ask_stable("bottle standing on its neck", "floor"), ask_stable("bottle", "floor")]
    )
    assert (upside_down.degree, upside_down.source) == (0.1, "judged")
    assert upright.degree > 0.9


def test_without_a_model_what_is_unknown_is_unsafe(household: Domain, tmp_path: Path) -> None:
    """An empty folder is no model: the grounder is made, and says so."""
    options = GroundingOptions(oracle="causal_lm", model=str(tmp_path), fallback="table")
    grounder = make_grounder(household, options)
    stated, judged, unknown = grounder.judge(
        [ask_safe("knife", "child"), ask_safe("honey", "baby"), ask_safe("frobnicator", "guest")]
    )
    assert (stated.degree, stated.source) == (0.0, "table")
    assert (judged.degree, judged.source) == (0.05, "judged")
    assert (unknown.degree, unknown.source) == (0.0, UNJUDGED)
    assert "counts as unsafe" in unknown.note
    assert unknown.fallback


@pytest.mark.parametrize("label", ["unknown", "object", "Item_3", "none", "12", "Q12345"])
def test_of_a_thing_without_a_name_a_model_has_no_say(grounder: Grounder, label: str) -> None:
    """As "unknown" a thing was 0.70 safe for a child; what the table states stands."""
    asked = [ask_safe(label, "child"), ask_safe("mug", label), ask_stable("vase", label)]
    for answer in grounder.judge(asked):
        assert (answer.degree, answer.source) == (0.0, UNJUDGED)
        assert "names nothing" in answer.fallback
    assert grounder.judge([ask_stable(label, "floor"), ask_safe("mug", "child")])[1].degree > 0.5


def test_outcomes_make_nothing_safer_that_nobody_judged(household: Domain, tmp_path: Path) -> None:
    options = GroundingOptions(oracle="causal_lm", model=str(tmp_path), fallback="table")
    grounder = make_grounder(household, options)
    request = ask_safe("frobnicator", "guest")
    for _ in range(50):
        grounder.record(request, quality=1.0)
    assert grounder.judge([request])[0].degree == 0.0


def test_the_kinds_of_a_table_are_those_of_the_domain_without_wordnet(household: Domain) -> None:
    from fcp_ros.grounding.stated import TableOracle

    oracle = TableOracle(find_nouns=lambda: None)
    predicate = household.graded["safe_for"]
    toddler, paint = oracle.judge_each(
        predicate, [ask_safe("kitchen knife", "toddler"), ask_safe("paint can", "infant")]
    )
    assert isinstance(toddler, Membership)
    assert toddler.degree == 0.0
    assert isinstance(paint, Membership)
    assert paint.degree == 0.0


@pytest.mark.skipif(find_wordnet() is None, reason="WordNet isn't installed")
def test_a_table_knows_kinds_that_the_domain_has_no_label_for(household: Domain) -> None:
    from fcp_ros.grounding.stated import TableOracle

    (answer,) = TableOracle().judge(household.graded["safe_for"], [ask_safe("musket", "stepson")])
    assert answer.degree <= 0.1
    assert "by kind" in answer.note


TEXT = """
domain: tiny
version: "1.0"
types: {thing: [], item: [thing]}
relations:
  gone: {legs: {item: item}}
rules:
  drop:
    parameters: {item: item}
    when: ['not gone(item)']
    add: ['gone(item)']
    duration: 1
    executor: drop
graded:
  harmless:
    parameters: {item: item}
    oracle: table
    HAZARD
    table: [{when: {item: knife}, degree: 0}]
    default_degree: 0.95
    rubric:
      question: How harmless is {item}?
      anchors: {0: {means: not}, 50: {means: half}, 100: {means: fully}}
labels: {item: [knife]}
scene: {unknown: item, layers: {room: thing}}
"""


def load_text(folder: Path, hazard: str) -> Domain:
    file = folder / "tiny.yaml"
    file.write_text(TEXT.replace("HAZARD", hazard), encoding="utf-8")
    return load_domain(file)


def test_an_optimistic_default_is_warned_of(tmp_path: Path, household: Domain) -> None:
    (warning,) = list_warnings(load_text(tmp_path, "calibrated: true"))
    assert "harmless has the default degree 0.95" in warning
    assert "hazard: true" in warning
    assert list_warnings(load_text(tmp_path, "hazard: false")) == []
    assert list_warnings(household) == []


def test_a_hazard_has_no_default(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="what can't be judged counts as 0"):
        load_text(tmp_path, "hazard: true")


def test_a_hazard_is_another_predicate_for_the_cache(household: Any) -> None:
    from fcp_ros.grounding.membership_oracle import hash_predicate

    one = household.graded["safe_for"]
    assert hash_predicate(one) != hash_predicate(replace(one, hazard=None))
