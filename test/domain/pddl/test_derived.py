# SPDX-License-Identifier: Apache-2.0
"""Derived predicates of PDDL: read, settled once where nothing changes them, planned, verified."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pddl_states import RuleStates
from random_adl import make_task, read_twin

from fcp_ros.abstraction.proposers.proposer import read_training_task
from fcp_ros.alignment.comparison import read_task as read_aligned
from fcp_ros.cset import InstanceBuilder
from fcp_ros.cset.instance import has_same_content
from fcp_ros.domain.derived_facts import FactDerivation
from fcp_ros.domain.pddl import PddlError, UnsupportedPddl, parse_pddl
from fcp_ros.planning import Plan, PlanningOptions, PlanningRequest, PlanStatus, plan, verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import plan_from_actions
from fcp_ros.planning.verification.stepping import StepRules

BLOCKS = """(define (domain blocks) (:requirements :adl :derived-predicates) (:types block)
(:predicates (on ?x ?y - block) (table ?x - block) (held ?x - block) (clear ?x - block)
  (above ?x ?y - block) (free) (beside ?x ?y - block) (near ?x ?y - block))
(:derived (free) (forall (?x - block) (not (held ?x))))
(:derived (clear ?x) (and (not (held ?x)) (not (exists (?y - block) (on ?y ?x)))))
(:derived (above ?x ?y) (on ?x ?y))
(:derived (above ?x ?y) (exists (?z - block) (and (on ?x ?z) (above ?z ?y))))
(:derived (near ?x ?y) (or (beside ?x ?y) (exists (?z - block) (and (beside ?x ?z) (near ?z ?y)))))
(:action take :parameters (?x - block) :precondition (and (clear ?x) (table ?x) (free))
  :effect (and (held ?x) (not (table ?x))))
(:action put :parameters (?x - block) :precondition (held ?x)
  :effect (and (not (held ?x)) (table ?x)))
(:action unstack :parameters (?x ?y - block) :precondition (and (clear ?x) (on ?x ?y) (free))
  :effect (and (held ?x) (not (on ?x ?y))))
(:action stack :parameters (?x ?y - block) :precondition (and (clear ?y) (held ?x) GUARD)
  :effect (and (not (held ?x)) (on ?x ?y))))"""
TOWER = """(define (problem b) (:domain blocks) (:objects a b c d - block)
(:init (on a b) (on b c) (table c) (table d) (beside a b) (beside b c)) (:goal GOAL))"""
OPTIONS = PlanningOptions(alpha=0.0, time_limit=60.0)


def read(goal, guard="", domain=BLOCKS):
    return parse_pddl(domain.replace("GUARD", guard), TOWER.replace("GOAL", goal))


def solve(task, options=OPTIONS):
    return plan(PlanningRequest(task.domain, task.instance, task.goal, options))


def test_what_no_action_changes_is_settled_and_static():
    task = read("(near a c)")
    assert task.domain.derived == {"above", "clear", "free"}
    assert task.domain.schema.relation("near").static
    assert [stratum.relations for stratum in task.domain.strata] == [("above", "clear", "free")]


@pytest.mark.parametrize(
    ("goal", "guard", "steps"),
    [
        ("(and (above c d) (above d a))", "", 8),
        ("(not (above a c))", "", 1),
        ("(and (free) (not (above a c)))", "", 2),
        ("(and (above c a) (near a c))", "", 6),
        ("(forall (?x - block) (or (clear ?x) (held ?x)))", "", 3),
        ("(exists (?x - block) (and (above d ?x) (above ?x c)))", "", 2),
        # What stood below something once must not be put on it: no plan.
        ("(and (above c a) (near a c))", "(not (exists (?z - block) (near ?y ?z)))", None),
    ],
)
def test_plans_with_derived_predicates_are_the_shortest(goal, guard, steps):
    task = read(goal, guard)
    result = solve(task)
    if steps is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert len(result.plan.steps) == steps
    assert result.verification.ok


def test_the_verifier_derives_by_itself():
    task = read("(above d b)")
    good = plan_from_actions(task, (("take", ("d",)), ("stack", ("d", "a"))))
    assert verify(task.domain, task.instance, good, task.goal, NoMemberships(), alpha=0.0).ok
    short = Plan(good.goal, good.steps[:1], 1.0, 1.0, (), (), 1.0, "lukasiewicz", "")
    verdict = verify(task.domain, task.instance, short, task.goal, NoMemberships(), alpha=0.0)
    assert not verdict.ok


def test_what_a_state_holds_of_derived_relations_is_forgotten():
    task = read("(above c d)")
    builder = InstanceBuilder.of(task.instance)
    builder.relate("above", *map(task.instance.id_of, "da"))
    derived = FactDerivation.of(task.domain).derive(builder.build())
    assert has_same_content(derived, task.instance)
    assert FactDerivation((), task.domain.schema).derive(task.instance) is task.instance


def test_strata_follow_their_dependencies():
    domain = """(define (domain d) (:predicates (p ?x) (q ?x) (r ?x) (s ?x))
      (:derived (s ?x) (and (not (r ?x)) (q ?x)))
      (:derived (r ?x) (not (q ?x)))
      (:derived (q ?x) (or (p ?x) (r2 ?x)))
      (:derived (r2 ?x) (q ?x))
      (:action a :parameters (?x) :effect (p ?x)))""".replace("(s ?x))", "(s ?x) (r2 ?x))", 1)
    task = parse_pddl(domain, "(define (problem p) (:domain d) (:objects o) (:init) (:goal (s o)))")
    relations = [stratum.relations for stratum in task.domain.strata]
    assert relations == [("q", "r2"), ("r",), ("s",)]
    assert len(solve(task).plan.steps) == 1


@pytest.mark.parametrize(
    ("axioms", "cycle"),
    [
        ("(:derived (p ?x) (not (p ?x)))", r"p on \(not \(p \.\.\.\)\)\."),
        (
            "(:derived (p ?x) (q ?x)) (:derived (q ?x) (not (p ?x)))",
            r"q on \(not \(p \.\.\.\)\), p on q\.",
        ),
        (
            "(:derived (p ?x) (q ?x)) (:derived (q ?x) (r ?x))"
            "(:derived (r ?x) (imply (p ?x) (s ?x)))",
            r"r on \(not \(p \.\.\.\)\), p on q, q on r\.",
        ),
    ],
)
def test_a_predicate_by_its_own_negation_names_the_cycle(axioms, cycle):
    domain = f"(define (domain d) (:predicates (p ?x) (q ?x) (r ?x) (s ?x)) {axioms})"
    problem = "(define (problem p) (:domain d) (:objects o) (:init) (:goal (p o)))"
    with pytest.raises(PddlError, match=f"depends on its own negation: {cycle}"):
        parse_pddl(domain, problem)


def test_constraints_on_derived_facts_are_refused():
    task = parse_pddl(
        BLOCKS.replace("GUARD", ""),
        TOWER.replace("(:goal GOAL)", "(:goal (on d a)) (:constraints (always (not (above d b))))"),
    )
    result = solve(task)
    assert result.status is PlanStatus.UNSUPPORTED
    assert "which is derived" in result.message


def test_derived_predicates_are_refused_where_only_actions_are_understood(tmp_path):
    paths = [tmp_path / "d.pddl", tmp_path / "p.pddl"]
    for path, text in zip(
        paths, (BLOCKS.replace("GUARD", ""), TOWER.replace("GOAL", "(above d a)")), strict=True
    ):
        path.write_text(text)
    with pytest.raises(UnsupportedPddl, match="derived predicates in training tasks"):
        read_training_task(*paths)
    with pytest.raises(UnsupportedPddl, match="derived predicates in an alignment"):
        read_aligned(*paths, lambda: None)


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_random_tasks_hold_what_a_plain_fixpoint_derives(seed):
    domain, problem = make_task(seed, axioms=True)
    twin = read_twin(domain, problem)
    task = parse_pddl(domain, problem)
    states = RuleStates(task, twin)
    rules = StepRules(task.domain)

    def facts(instance):
        return {fact for fact in states.facts(instance) if not fact[0].startswith("known-")}

    assert facts(task.instance) == twin.initial
    for action, objects, _, _ in list(states.steps(task.instance))[:6]:
        names = tuple(task.instance.name_of(task.instance.id_of(name)) for name in objects)
        (step,) = plan_from_actions(task, ((action, names),)).steps or (None,)
        if step is not None:
            after = rules.apply(step, task.instance).instance
            assert facts(after) == twin.step(twin.initial, action, objects)
