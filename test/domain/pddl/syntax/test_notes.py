# SPDX-License-Identifier: Apache-2.0
"""Files that are read, but may not mean what they should: remarks with their places."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.domain.pddl import PddlError, parse_pddl

DOMAIN = """(define (domain lamp)
  (:types thing)
  (:constants plug - thing)
  (:predicates (light) (on ?a ?b - thing))
  (:action switch :effect (light)))
"""
PROBLEM = """(define (problem one)
  (:domain lamp)
  (:objects a b - thing)
  (:init (on a b))
  (:goal (light)))
"""


def read(domain=DOMAIN, problem=PROBLEM):
    return parse_pddl(domain, problem, ("d.pddl", "p.pddl"))


def test_plain_files_have_no_notes():
    assert read().notes == ()


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("a b - thing", "a b a - thing", "p.pddl:3:17: declared more than once among the objects"),
        ("a b - thing", "a b plug - thing", "p.pddl:3:17: declared more than once among"),
        ("(on a b))", "(on a b) (not (on a b)))", "p.pddl:4:19: given both with and without"),
        ("(on a b))", "(not (on a b)) (on a b))", "p.pddl:4:10: given both with and without"),
        ("(:domain lamp)", "(:domain lump)", "p.pddl:2:3: the problem is for the domain lump"),
    ],
)
def test_problems_have_notes_with_their_places(old, new, note):
    assert old in PROBLEM
    (found,) = read(problem=PROBLEM.replace(old, new)).notes
    assert str(found).startswith(note)
    assert ". Fix: " in str(found)


def test_facts_that_are_given_both_ways_hold():
    task = read(problem=PROBLEM.replace("(:init", "(:init (not (light)) (light)"))
    assert "taken to hold: (light)" in str(task.notes[0])
    assert task.instance.relation_table("light").rows


def test_an_object_that_is_declared_with_several_types_is_of_all_of_them():
    """As a passenger of an elevator in IPC-2000, who goes down and attends somebody."""
    domain = DOMAIN.replace(":types thing", ":types cup lid - thing thing tool")
    domain = domain.replace("plug - thing", "plug - cup plug - tool")
    domain = domain.replace("(light) ", "(light) (full ?c - cup) (closed ?l - lid) ")
    objects = "b - thing a - cup a - thing a - lid plug - lid"
    problem = PROBLEM.replace("a b - thing", objects).replace("(on a b)", "(full a) (closed a)")
    task = read(domain, problem)
    schema, instance = task.domain.schema, task.instance
    type_of = {name: instance.type_of(instance.id_of(name)) for name in ("a", "b", "plug")}
    assert type_of["b"] == "thing"
    assert set(schema.types[type_of["a"]]) == {"cup", "lid"}
    assert set(schema.types[type_of["plug"]]) == {"cup", "lid", "tool"}
    assert "of all declared types: a, plug" in str(task.notes[1])


def test_a_declaration_with_a_wider_type_adds_nothing():
    domain = DOMAIN.replace(":types thing", ":types cup - thing")
    for objects in ("a - cup a - thing b - thing", "a - thing a - object a - cup b - thing"):
        task = read(domain, PROBLEM.replace("a b - thing", objects))
        assert task.instance.type_of(task.instance.id_of("a")) == "cup"


def test_constants_have_notes_and_many_names_are_counted():
    domain = DOMAIN.replace("plug -", "plug c1 c2 c3 c4 c5 c6 plug c1 c2 c3 c4 c5 c6 -")
    (note,) = read(domain).notes
    assert "and of all declared types: plug, c1, c2, c3, c4 and 2 more" in str(note)


@pytest.fixture
def run(tmp_path):
    def run(command, domain=DOMAIN, problem=PROBLEM, plan=None):
        given = {"d.pddl": domain, "p.pddl": problem, "plan.txt": plan}
        files = {name: tmp_path / name for name in given}
        for name, text in given.items():
            files[name].write_text(text or "")
        task = ("-d", str(files["d.pddl"]), "-s", str(files["p.pddl"]))
        checked = {"problem": "p.pddl", "plan": "plan.txt"}.get(command)
        words = ["plan"] if checked is None else ["validate", str(files[checked])]
        result = CliRunner().invoke(app, [*words, *task])
        return result.exit_code, " ".join(result.output.split())

    return run


@pytest.mark.parametrize("command", ["make", "problem"])
def test_commands_print_the_notes(run, command):
    code, out = run(command, problem=PROBLEM.replace("a b -", "a a b -"))
    assert code == 0, out
    assert "note:" in out
    assert "declared more than once among the objects" in out


def test_swapped_files_are_said_to_be_swapped(run):
    code, out = run("make", PROBLEM, DOMAIN)
    assert code == 2
    assert "the files are swapped" in out


@pytest.mark.parametrize("plan", ["", "\n\n", "; cost = 0 (unit cost)\n"])
def test_an_empty_file_is_the_plan_without_actions(run, plan):
    done = PROBLEM.replace("(:goal (light))", "(:goal (on a b))")
    code, out = run("plan", problem=done, plan=plan)
    assert (code, "valid plan of 0 actions" in out) == (0, True), out
    code, out = run("plan", plan=plan)
    assert code == 1, out
    assert "invalid" in out


def test_a_huge_name_is_cut_in_messages():
    with pytest.raises(PddlError) as error:
        read(problem=PROBLEM.replace("(on a b)", f"(on a {'b' * 1_000_000})"))
    assert len(str(error.value)) < 500
