# SPDX-License-Identifier: Apache-2.0
"""The effort of reading: bounded where conditions would multiply, and ended when asked to."""

import time

import pytest
from call_count import count_calls
from effort import is_thorough, scaled
from random_adl import make_task

from fcp_ros.domain.pddl import drafting, parse_pddl, read_pddl
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.planning.model.result import Measure
from fcp_ros.planning.planner import plan

UNHURRIED = PlanningOptions(time_limit=300.0)

NESTED = """(define (domain nested) (:requirements :adl) (:types t)
 (:predicates (p ?a ?b ?c ?d - t) (q))
 (:action set :parameters (?a ?b ?c ?d - t) :precondition (and) :effect (p ?a ?b ?c ?d))
 (:action go :parameters () :precondition
  (forall (?a - t) (exists (?b - t) (forall (?c - t) (exists (?d - t) (p ?a ?b ?c ?d)))))
  :effect (q)))"""


def test_nested_quantifiers_are_kept_as_one_condition():
    problem = "(define (problem n) (:domain nested) (:objects a b c d e - t) (:init) (:goal (q)))"
    began = time.process_time()
    task = parse_pddl(NESTED, problem)
    assert time.process_time() - began < 20.0
    (rule,) = (rule for rule in task.domain.rules.values() if rule.executor == "go")
    assert len(rule.formulas) == 1


def switches(count):
    actions = "".join(
        f"(:action flip-{n} :parameters () :precondition (and (off-{n}) (on-{(n + 1) % count}))"
        f" :effect (and (on-{n}) (not (off-{n}))))"
        for n in range(count)
    )
    predicates = " ".join(f"(on-{n}) (off-{n})" for n in range(count))
    facts = " ".join(f"(off-{n})" for n in range(1, count))
    return (
        f"(define (domain switches) (:predicates {predicates}) {actions})",
        f"(define (problem s) (:domain switches) (:init (on-0) {facts}) (:goal (on-1)))",
    )


class Enough(Exception):
    pass


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_reading_can_be_stopped_anywhere(tmp_path, share):
    files = [tmp_path / "d.pddl", tmp_path / "p.pddl"]
    for file, text in zip(files, switches(30), strict=True):
        file.write_text(text)
    calls = []
    read_pddl(*files, check=lambda: calls.append(None))
    left = int(share * len(calls))

    def count_down():
        nonlocal left
        left -= 1
        if left == 0:
            raise Enough

    with pytest.raises(Enough):
        read_pddl(*files, check=count_down)


def test_many_identifications_keep_universal_conditions_whole():
    domain = """(define (domain many) (:requirements :adl) (:predicates (p ?a ?b) (q))
     (:action go :parameters (?x ?y ?w)
      :precondition (and (not (p ?x ?w))
       (forall (?b) (exists (?a) (and (p ?a ?y) (p ?a ?b)))))
      :effect (and (q) (p ?x ?x) (when (p ?w ?y) (p ?y ?w)))))"""
    problem = """(define (problem m) (:domain many) (:objects a b c d)
     (:init (p a b) (p a a) (p a c))
     (:goal (q)))"""
    began = time.process_time()
    task = parse_pddl(domain, problem)
    assert time.process_time() - began < 20.0
    assert all(rule.formulas for rule in task.domain.rules.values())


def test_an_action_of_few_instances_becomes_few_rules():
    """Of 64 instances, 2,035 rules were made, of which 35 can ever apply (issue 28)."""
    domain, problem = make_task(1812)
    task = parse_pddl(domain, problem)
    assert sum(rule.executor == "a2" for rule in task.domain.rules.values()) < 64


def test_instances_have_the_rules_of_their_action(monkeypatch):
    """Each instance that the lifted rules allow is allowed by those of the instances alone."""
    # The lifted rules of the first one take ten seconds.
    for seed in (*([1812] if is_thorough() else []), *range(scaled(20, quick=2))):
        texts = make_task(seed)
        with monkeypatch.context() as patched:
            patched.setattr(drafting, "FEW_RULES", 0)
            few = parse_pddl(*texts)
            patched.setattr(drafting, "MANY_RULES", 0)
            lifted = parse_pddl(*texts)
        answers = [
            plan(PlanningRequest(task.domain, task.instance, task.goal, UNHURRIED))
            for task in (few, lifted)
        ]
        assert answers[0].status.solved == answers[1].status.solved, seed
        if all(Measure.STEPS in answer.optimal_in for answer in answers):
            assert len(answers[0].plan.steps) == len(answers[1].plan.steps), seed


def write_type_chain(count):
    types = " ".join(f"t{n} - t{n - 1}" for n in range(1, count))
    return (
        f"""(define (domain chain) (:requirements :typing) (:types {types} t0 - object)
         (:predicates (p ?x - t{count - 1}) (q ?x - t0) (r ?x - t{count // 2}))
         (:action a :parameters (?x - t0) :precondition (not (q ?x)) :effect (q ?x)))""",
        f"""(define (problem c) (:domain chain) (:objects low - t{count - 1} high - t0)
         (:init (r low)) (:goal (q low)))""",
    )


def test_reading_takes_effort_in_proportion_to_the_number_of_types():
    small, large = write_type_chain(60), write_type_chain(240)
    parse_pddl(*small)  # what is prepared once is not counted
    fewer = count_calls(lambda: parse_pddl(*small))
    more = count_calls(lambda: parse_pddl(*large))
    assert more < 6 * fewer
