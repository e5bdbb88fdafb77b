# SPDX-License-Identifier: Apache-2.0
"""The identity of a domain: what it depends on, and what not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain import load_domain, parse_domain
from fcp_ros.domain.identity import identify_domain
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.domain.vocabulary import Vocabulary, ancestors, common_subtypes

LIFTS = """(define (domain lifts)
  (:requirements :strips :typing)
  (:types floor)
  (:predicates (lift-at ?f - floor) (above ?a ?b - floor) (broken ?f - floor))
  (:action up :parameters (?a ?b - floor) :precondition (and (lift-at ?a) (above ?a ?b))
    :effect (and (lift-at ?b) (not (lift-at ?a))))
  (:action mend :parameters (?a - floor) :precondition (broken ?a) :effect (not (broken ?a))))
"""
ONE_LIFT = """(define (problem one) (:domain lifts) (:objects a b - floor)
  (:init (lift-at a) (above a b) (broken a)) (:goal (lift-at b)))"""
TWO_LIFTS = """(define (problem two) (:domain lifts) (:objects a b c - floor)
  (:init (lift-at a) (lift-at b) (above b c)) (:goal (lift-at c)))"""


def identify_pddl(domain: str, problem: str = ONE_LIFT) -> str:
    return identify_domain(parse_pddl(domain, problem).domain)


def test_the_problem_does_not_matter() -> None:
    one, two = parse_pddl(LIFTS, ONE_LIFT).domain, parse_pddl(LIFTS, TWO_LIFTS).domain
    # The reader makes other legs and other rules of the two.
    assert one.schema.relation("lift-at") != two.schema.relation("lift-at")
    assert set(one.rules) != set(two.rules)
    assert identify_domain(one) == identify_domain(two)


def test_comments_and_the_order_of_actions_do_not_matter() -> None:
    head, up, mend = LIFTS.partition("  (:action up")[0], *LIFTS.split("  (:action ")[1:]
    turned = f"; a comment\n{head}  (:action {mend.strip()[:-1]}  (:action {up.strip()})"
    assert identify_pddl(turned) == identify_pddl(LIFTS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(broken ?a) :effect", "(and (broken ?a) (lift-at ?a)) :effect"),
        ("(not (broken ?a))", "(lift-at ?a)"),
        ("(:action mend", "(:action repair"),
        ("(broken ?f - floor))", "(broken ?f - floor) (open ?f - floor))"),
        ("?a ?b - floor) :pre", "?b ?a - floor) :pre"),
    ],
)
def test_what_actions_do_matters(before: str, after: str) -> None:
    assert before in LIFTS
    assert identify_pddl(LIFTS.replace(before, after)) != identify_pddl(LIFTS)


def test_words_and_times_of_a_yaml_domain_do_not_matter(repository: Path) -> None:
    path = repository / "config/domains/household.yaml"
    domain, text = load_domain(path), path.read_text()
    rule = next(iter(domain.rules.values()))
    slower = replace(rule, duration=replace(rule.duration, base=rule.duration.base + 7.0))
    assert identify_domain(parse_domain(f"{text}\n# a comment\n")) == identify_domain(domain)
    changed = replace(domain, rules={**domain.rules, rule.name: slower}, graded={}, name="other")
    assert identify_domain(changed) == identify_domain(domain)
    fewer = replace(rule, add=rule.add[1:], delete=rule.delete[1:])
    assert fewer != rule
    changed = replace(domain, rules={**domain.rules, rule.name: fewer})
    assert identify_domain(changed) != identify_domain(domain)


# --- Types and signatures, also of files that are not sound yet


PARENTS = {
    "thing": (),
    "container": ("thing",),
    "openable": ("thing",),
    "fridge": ("container", "openable"),
    "locker": ("container", "openable"),
    "safe": ("locker",),
    "bin": ("container",),
}


def test_common_subtypes_are_the_largest_ones():
    assert common_subtypes(PARENTS, ["container", "thing"]) == ("container",)
    assert common_subtypes(PARENTS, ["container", "openable"]) == ("fridge", "locker")
    assert common_subtypes(PARENTS, ["bin", "openable"]) == ()
    assert common_subtypes(PARENTS, ["unknown"]) == ()


TYPES = st.sampled_from("abcdef")


@given(st.dictionaries(TYPES, st.lists(TYPES, max_size=3).map(tuple)), st.lists(TYPES, max_size=3))
def test_common_subtypes_by_definition_even_with_circles(parents, wanted):
    below = [t for t in parents if all(w in ancestors(parents, t) for w in wanted)]
    found = common_subtypes(parents, wanted)
    assert set(found) <= set(below)
    for type_ in found:
        assert not any(t != type_ and t in below for t in ancestors(parents, type_))


def test_the_vocabulary_of_a_domain(household):
    vocabulary = Vocabulary.of(household)
    assert vocabulary.is_subtype("fridge", "container")
    assert [p.type for p in vocabulary.signature("at")] == ["agent", "room"]
    assert [p.type for p in vocabulary.signature("serves_as")] == ["item", "text"]
    assert vocabulary.signature("nothing") is None
