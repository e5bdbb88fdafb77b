# SPDX-License-Identifier: Apache-2.0
"""Conflict sets of trials beside all mappings: no explanation of a trial is ever excluded."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from torn_names import parse, simulate, tear

from fcp_ros.alignment.pairing import make_task
from fcp_ros.alignment.predictor import Predictor
from fcp_ros.alignment.proposals import propose_synonyms
from fcp_ros.alignment.simulator import GroundAction
from fcp_ros.alignment.synonyms import ContradictorySynonyms, NameMapping, Synonym
from fcp_ros.domain.pddl.task_reader import PddlTexts

LAMP = """(define (domain lamp)
  (:predicates (lit) (dark) (warm) (broken))
  (:action press :precondition (dark) :effect (and (lit) (not (dark))))
  (:action wait :precondition (lit) :effect (warm))
  (:action cover :precondition (warm) :effect (and (dark) (not (lit)) (not (warm))))
  (:action kick :precondition (not (broken))
    :effect (and (when (warm) (broken)) (when (dark) (lit)))))"""
LAMP_PROBLEM = (
    """(define (problem one) (:domain lamp) (:init (dark)) (:goal (and (broken) (lit))))"""
)
TEARS = (
    {"press": {"lit": "bright"}},
    {"cover": {"dark": "gloomy"}, "press": {"lit": "bright"}},
    {"wait": {"warm": "hot"}, "kick": {"lit": "bright", "broken": "shattered"}},
)
NAMES = ("press", "wait", "cover", "kick")


def list_mappings(synonyms: list[Synonym], most: int) -> list[frozenset[Synonym]]:
    """List the sets of synonyms with up to `most` members, closed under what follows."""
    found = set()
    for size in range(most + 1):
        for chosen in combinations(synonyms, size):
            mapping = NameMapping(frozenset(chosen))
            try:
                closed = frozenset(one for one in synonyms if mapping.implies(one))
            except ContradictorySynonyms:
                continue
            found.add(closed)
    return sorted(found, key=sorted)


def draw_actions(draw: random.Random) -> tuple[GroundAction, ...]:
    return tuple((draw.choice(NAMES), ()) for _ in range(draw.randint(1, 6)))


@pytest.mark.parametrize("torn", TEARS)
def test_each_explanation_of_a_trial_meets_its_conflict_sets(torn: dict) -> None:
    lamp = parse(LAMP, LAMP_PROBLEM)
    model: PddlTexts = tear(lamp, torn)
    task = make_task(model)
    synonyms = list(propose_synonyms(task, 1000, lambda: None).all)
    predictor = Predictor(model, task.uses, synonyms, lambda: None)
    mappings = list_mappings(synonyms, 2 if len(synonyms) > 12 else 3)
    world, draw = simulate(lamp), random.Random(5)
    true = frozenset(
        Synonym(a, b) if Synonym(a, b) in synonyms else Synonym(b, a)
        for names in torn.values()
        for a, b in names.items()
    )
    assert true <= set(synonyms)
    found = 0
    for _ in range(6):
        actions = draw_actions(draw)
        seen = world.run(actions)
        assert predictor.find_conflict(true, actions, seen) is None, "the truth explains all"
        explaining = [one for one in mappings if predictor.predict(one, actions).agrees(seen)]
        for hypothesis in draw.sample(mappings, min(24, len(mappings))):
            conflict = predictor.find_conflict(hypothesis, actions, seen)
            if conflict is None:
                continue
            found += 1
            for one in explaining:
                assert not conflict.wrong <= one or conflict.right & one, (actions, hypothesis)
    assert found > 10
