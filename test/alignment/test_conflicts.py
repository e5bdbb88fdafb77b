# SPDX-License-Identifier: Apache-2.0
"""Conflict sets beside all assignments of small sets of synonyms."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from fcp_ros.alignment.predictor import ConflictSet, ConflictSets, SynonymChoice, list_hypotheses
from fcp_ros.alignment.synonyms import Synonym

SYNONYMS = [Synonym("p", name) for name in "abcde"]


def draw_conflict(draw: random.Random) -> ConflictSet:
    chosen = draw.sample(SYNONYMS, draw.randint(1, 4))
    cut = draw.randint(0, len(chosen))
    return ConflictSet(frozenset(chosen[:cut]), frozenset(chosen[cut:]))


def is_met(conflict: ConflictSet, holding: frozenset[Synonym]) -> bool:
    return not conflict.wrong <= holding or bool(conflict.right & holding)


def list_assignments(conflicts: ConflictSets) -> list[frozenset[Synonym]]:
    """List all sets of synonyms that meet every conflict set."""
    subsets = (
        frozenset(s for s, chosen in zip(SYNONYMS, bits, strict=True) if chosen)
        for bits in product((False, True), repeat=len(SYNONYMS))
    )
    return [one for one in subsets if all(is_met(set_, one) for set_ in conflicts.sets)]


def test_only_what_every_explanation_says_is_certain() -> None:
    draw = random.Random(2)
    certain = 0
    for _ in range(500):
        conflicts = ConflictSets()
        for _ in range(draw.randint(1, 7)):
            conflicts.add(draw_conflict(draw))
        left = list_assignments(conflicts)
        for one in left:
            assert not one & conflicts.refuted
            assert one >= conflicts.proven
        assert not (conflicts.contradictory and left)
        certain += len(conflicts.refuted) + len(conflicts.proven)
    assert certain > 300


def test_choices_comply_and_leave_no_explanation_out() -> None:
    draw = random.Random(3)
    priors = {synonym: draw.uniform(0.05, 0.95) for synonym in SYNONYMS}
    for _ in range(300):
        conflicts = ConflictSets()
        for _ in range(draw.randint(0, 6)):
            conflicts.add(draw_conflict(draw))
        choices = list(conflicts.list_choices(priors))
        assert all(one.complies(set_) for one in choices for set_ in conflicts.sets)
        for holding in list_assignments(conflicts):
            assert any(
                choice.adopted <= holding and not choice.forbidden & holding for choice in choices
            )


def test_the_likeliest_choice_comes_first() -> None:
    conflicts = ConflictSets()
    conflicts.add(ConflictSet(frozenset(SYNONYMS[:2])))
    priors = dict(zip(SYNONYMS, (0.9, 0.2, 0.5, 0.5, 0.5), strict=True))
    assert next(conflicts.list_choices(priors)) == SynonymChoice(frozenset({SYNONYMS[1]}))


def test_a_single_suspect_is_refuted_and_a_single_explanation_proven() -> None:
    a, b, c = SYNONYMS[:3]
    conflicts = ConflictSets()
    conflicts.add(ConflictSet(frozenset({a, b})))
    assert not conflicts.refuted
    conflicts.add(ConflictSet(frozenset(), frozenset({a})))
    assert conflicts.proven == {a}
    assert conflicts.refuted == {b}
    conflicts.add(ConflictSet(frozenset({a}), frozenset({b, c})))
    assert conflicts.proven == {a, c}
    assert not conflicts.contradictory
    conflicts.add(ConflictSet(frozenset({c})))
    assert conflicts.contradictory
    assert not list(conflicts.list_choices({}))


def test_hypotheses_come_in_the_order_of_likelihood_each_once() -> None:
    priors = dict(zip(SYNONYMS, (0.5, 0.2, 0.4, 0.1, 0.3), strict=True))
    found = list(list_hypotheses(priors))
    assert len(found) == len(set(found)) == 2 ** len(SYNONYMS)
    costs = [sum(-math.log(priors[one]) for one in sorted(chosen)) for chosen in found]
    assert costs == pytest.approx(sorted(costs))
    assert list(list_hypotheses({})) == [frozenset()]


def test_a_hypothesis_is_allowed_if_it_complies_with_all_sets() -> None:
    draw = random.Random(4)
    for _ in range(200):
        conflicts = ConflictSets()
        for _ in range(draw.randint(0, 4)):
            conflicts.add(draw_conflict(draw))
        left = list_assignments(conflicts)
        for chosen in list_hypotheses(dict.fromkeys(SYNONYMS, 0.5)):
            assert conflicts.allows(chosen) == (chosen in left)
