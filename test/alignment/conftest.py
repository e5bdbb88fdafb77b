# SPDX-License-Identifier: Apache-2.0
"""Small worlds whose names are torn apart: ferries, blocks on tables, cranes."""

from __future__ import annotations

import pytest
from torn_names import parse, tear

from fcp_ros.domain.pddl.task_reader import PddlTexts

FERRY = """(define (domain ferry)
  (:types car place)
  (:predicates (at-ferry ?p - place) (at ?c - car ?p - place) (empty) (on ?c - car) (dry ?c - car))
  (:action sail :parameters (?from - place ?to - place)
    :precondition (at-ferry ?from) :effect (and (at-ferry ?to) (not (at-ferry ?from))))
  (:action board :parameters (?c - car ?p - place)
    :precondition (and (at ?c ?p) (at-ferry ?p) (empty))
    :effect (and (on ?c) (not (at ?c ?p)) (not (empty))))
  (:action debark :parameters (?c - car ?p - place)
    :precondition (and (on ?c) (at-ferry ?p))
    :effect (and (at ?c ?p) (empty) (not (on ?c)))))"""
FERRY_PROBLEM = """(define (problem two-cars) (:domain ferry)
  (:objects a b - car north south - place)
  (:init (at-ferry north) (at a north) (at b north) (empty) (dry a) (dry b))
  (:goal (and (at a south) (at b south))))"""

OVEN = """(define (domain oven)
  (:predicates (hot) (hot-now) (warm) (closed) (open))
  (:action close :precondition (open) :effect (and (closed) (not (open))))
  (:action bake :precondition (closed) :effect (and (hot-now) (warm)))
  (:action light :precondition (open) :effect (warm)))"""
OVEN_PROBLEM = "(define (problem warm-up) (:domain oven) (:init (open)) (:goal (hot)))"


@pytest.fixture(scope="session")
def oven() -> PddlTexts:
    """A model in which baking makes two names true, either of which may be the one of the goal."""
    return parse(OVEN, OVEN_PROBLEM)


@pytest.fixture(scope="session")
def true_oven() -> PddlTexts:
    """The world of the oven: only baking makes it hot."""
    return parse(OVEN.replace("(hot-now) (warm)))", "(hot) (warm)))"), OVEN_PROBLEM)


@pytest.fixture(scope="session")
def ferry() -> PddlTexts:
    """The true model: a ferry takes one car at a time."""
    return parse(FERRY, FERRY_PROBLEM)


@pytest.fixture(scope="session")
def torn_ferry(ferry: PddlTexts) -> PddlTexts:
    """Debarking makes other names true than boarding needs."""
    return tear(ferry, {"debark": {"at": "located", "empty": "vacant"}})
