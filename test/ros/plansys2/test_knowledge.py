# SPDX-License-Identifier: Apache-2.0
"""The knowledge of PlanSys2's experts and the plans for it, without any message."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.plansys2.knowledge import ExpertDomain, Knowledge, split_words
from fcp_ros.nodes.plansys2.planning import make_plan
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import RequestStart

from .conftest import DOMAIN

EMPTY = Knowledge.empty(ExpertDomain.read(Source("serving.pddl", DOMAIN)))
KNOWN = (
    EMPTY.add_instance("R2", "robot")
    .add_instance("Hall", "Place")
    .add_instance("cup", "item")
    .add_fact("at", ("r2", "hall"))
    .add_fact("free", ("R2",))
    .add_fact("lies", ("cup", "Hall"))
    .set_value("way", ("Hall", "Depot"), 0.1)
    .set_value("way", ("Depot", "Hall"), 2.5e-7)
    .set_goal("(and (lies cup Depot) (at R2 Hall))")
)


def plan(known, limit=60.0, cancelled=lambda: False):
    options = PlanningOptions(time_limit=limit, improve_time=0.0)
    return make_plan(known.model.source.text, known.write(), options, RequestStart.now(), cancelled)


def test_objects_are_spelt_as_they_were_added():
    found = plan(KNOWN)
    assert [action.text for action in found.actions] == [
        "(take R2 cup Hall)",
        "(go R2 Hall Depot)",
        "(drop R2 cup Depot)",
        "(go R2 Depot Hall)",
    ]
    assert [action.duration for action in found.actions] == [2.0, 0.1, 0.001, 2.5e-7]


def test_a_problem_file_is_what_is_known():
    assert EMPTY.add_problem(KNOWN.write()) == KNOWN
    assert KNOWN.add_problem(KNOWN.write()) == KNOWN


def test_conditions_are_decided_with_what_follows():
    for text, holds in (
        ("(served hall)", True),
        ("(not (served Depot))", True),
        ("(exists (?p - place) (and (served ?p) (at R2 ?p)))", True),
        ("(forall (?p - place) (served ?p))", False),
        ("(or (broken R2) (= cup cup))", True),
    ):
        assert KNOWN.holds(KNOWN.read_goal(text)) is holds, text
    assert KNOWN.has_fact("served", ["HALL"])


facts = st.sampled_from([("free", ("r2",)), ("at", ("r2", "hall")), ("at", ("r2", "depot"))])


@given(st.lists(st.tuples(st.booleans(), facts)))
def test_adding_and_removing_is_that_of_a_set(changes):
    """PlanSys2 #38: what is there already can be added, and what is not there be removed."""
    known, expected = KNOWN, {("at", ("r2", "hall")), ("free", ("r2",))}
    for is_added, (name, arguments) in changes:
        known = (known.add_fact if is_added else known.remove_fact)(name, arguments)
        (expected.add if is_added else expected.discard)((name, arguments))
    found = known.problem.facts
    assert {(name, one) for name in ("at", "free") for one in found.get(name, ())} == expected


def test_an_instance_takes_along_what_names_it():
    left = KNOWN.remove_instance("HALL")
    assert left.problem.facts == {"at": frozenset(), "free": {("r2",)}, "lies": frozenset()}
    assert left.problem.values["way"] == {}
    assert "(:goal (and (lies cup depot)))" in left.write()
    assert EMPTY.add_problem(left.write()).instances == left.instances


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda k: k.add_fact("at", ["cup", "Hall"]), "cup is of type item, where at takes robot"),
        (lambda k: k.add_fact("at", ["R2", "x"]), "There is no instance 'x': known are Hall, R2"),
        (lambda k: k.add_fact("at", ["R2"]), "at takes 2 arguments, not 1"),
        (lambda k: k.add_fact("served", ["Hall"]), "served is given"),
        (lambda k: k.add_fact("at", ["R2", "Hall) (free R2"]), "is no name"),
        (lambda k: k.add_fact("free) (broken", ["R2"]), "is no name"),
        (lambda k: k.add_instance("R2", "item"), "R2 is known already, as a robot"),
        (lambda k: k.add_instance("a - item b", "item"), "is no name"),
        (lambda k: k.add_instance("b", "box"), "unknown type box"),
        (lambda k: k.remove_instance("Depot"), "There is no instance 'Depot'"),
        (lambda k: k.set_value("far", [], 1.0), "unknown function far"),
        (lambda k: k.set_goal("(lies cup)"), "lies takes 2 arguments, not 1"),
        (lambda k: k.add_problem("(define (problem x) (:domain y) (:init) (:goal ()))"), "'y'"),
    ],
)
def test_a_wrong_change_is_refused_and_changes_nothing(change, sentence):
    before = KNOWN.write()
    with pytest.raises(InputError, match=re.escape(sentence)):
        change(KNOWN)
    assert KNOWN.write() == before


def test_each_way_to_have_no_plan_has_its_own_status():
    """PlanSys2 #140, #243: a time-out and a goal without a plan were the same."""
    broken = plan(KNOWN.add_fact("broken", ["R2"]))
    assert broken.status is PlanStatus.UNSOLVABLE_PROVEN
    assert "follow one another" in broken.sentence
    assert plan(KNOWN, limit=1e-6).status is PlanStatus.TIMEOUT
    assert plan(KNOWN, cancelled=lambda: True).status is PlanStatus.CANCELLED
    unknown = plan(KNOWN.remove_value("way", ["Hall", "Depot"]))
    assert unknown.status is PlanStatus.INVALID_REQUEST
    assert unknown.sentence == "The duration of go needs (way hall depot), which has no value."
    done = plan(KNOWN.set_goal("(free R2)"))
    assert (done.status.solved, done.actions, done.sentence) == (
        True,
        (),
        "The goal holds already.",
    )


@pytest.mark.parametrize("text", ["(way r2 hall)", "way r2 hall", "(= (way r2 hall) 3.5)"])
def test_an_expression_is_split(text):
    assert split_words(text) == ["way", "r2", "hall"]
