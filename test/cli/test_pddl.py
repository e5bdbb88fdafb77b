# SPDX-License-Identifier: Apache-2.0
"""`fcp pddl`: files are written as they were read."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, DONE
from fcp_ros.cli.main import app
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts

DOMAIN = """; sections in another order, requirements that say nothing
(define (domain Lamps)
  (:constants Hall - room)
  (:action switch :parameters (?l - lamp ?r - room)
    :precondition (and (at ?l ?r) (preference Quiet (forall (?o - lamp) (not (lit ?o)))))
    :effect (and (lit ?l) (when (not (warm ?r)) (warm ?r)) (increase (total-cost) 2)))
  (:functions (total-cost))
  (:predicates (at ?l - lamp ?r - room) (lit ?l - lamp) (warm ?r - room))
  (:types lamp room))"""
PROBLEM = """(define (problem p) (:domain Lamps) (:objects A B - lamp)
  (:constraints (and (at-most-once (lit a))
                     (forall (?l - lamp) (preference never-b (sometime-before (lit ?l) (lit a))))))
  (:goal (and (lit B) (preference warm (or (warm hall) (lit a)))))
  (:init (at A Hall) (at B hall))
  (:metric minimize (+ (total-cost) (* 5 (is-violated warm)) (* 0.5 (is-violated quiet)))))"""


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "d.pddl", tmp_path / "p.pddl"
    for path, text in zip(paths, (DOMAIN, PROBLEM), strict=True):
        path.write_text(text)
    return paths


def run(*arguments):
    return CliRunner().invoke(app, ["pddl", *map(str, arguments)])


def read(domain, problem):
    texts = read_texts(read_source(domain), read_source(problem))
    return replace(texts.domain, requirements=()), texts.problem


def test_preferences_and_constraints_are_written_as_they_were_read(files, tmp_path):
    out = tmp_path / "out"
    result = run(*files, "--out", out)
    assert result.exit_code == DONE, result.output
    written = out / "domain.pddl", out / "problem.pddl"
    assert [str(path) for path in written] == result.output.splitlines()
    assert read(*written) == read(*files)
    assert read_texts(*map(read_source, written)).domain.requirements == (
        ":strips",
        ":typing",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":universal-preconditions",
        ":conditional-effects",
        ":action-costs",
        ":constraints",
        ":preferences",
    )


def test_another_goal_takes_the_place_of_the_problems(files, tmp_path):
    result = run(*files, "--out", tmp_path / "out", "--goal", "(and (lit a) (lit b))")
    assert result.exit_code == DONE, result.output
    written = (tmp_path / "out" / "problem.pddl").read_text()
    assert "(:goal (and (lit a) (lit b)))" in written
    assert "never-b" not in written


def test_the_files_that_are_read_stay(files, tmp_path):
    files[0].rename(tmp_path / "domain.pddl")
    result = run(tmp_path / "domain.pddl", files[1], "--out", tmp_path)
    assert result.exit_code == BAD_INPUT
    assert "give another place" in result.stderr
    assert (tmp_path / "domain.pddl").read_text() == DOMAIN


def test_mistakes_have_their_place(files, tmp_path):
    result = run(*files, "--out", tmp_path / "out", "--goal", "(lit c)")
    assert result.exit_code == BAD_INPUT
    assert "unknown object c" in result.stderr
    assert not (tmp_path / "out").exists()
    (tmp_path / "taken").write_text("")
    result = run(*files, "--out", tmp_path / "taken")
    assert result.exit_code == BAD_INPUT
    assert "can't be written" in result.stderr
