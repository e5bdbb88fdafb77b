# SPDX-License-Identifier: Apache-2.0
"""A small domain in PDDL with a policy: lamps to be lit, one place after the other."""

from fcp_ros.domain.identity import identify_domain
from fcp_ros.domain.pddl import parse_pddl

DOMAIN = """(define (domain lamps) (:requirements :strips)
  (:predicates (here ?x) (road ?x ?y) (lit ?x))
  (:action walk :parameters (?x ?y) :precondition (and (here ?x) (road ?x ?y))
    :effect (and (here ?y) (not (here ?x))))
  (:action light :parameters (?x) :precondition (here ?x) :effect (lit ?x)))
"""
PROBLEM = """(define (problem p) (:domain lamps) (:objects a b c d)
  (:init (here a) (road a b) (road b c) (road c d) (road d a))
  (:goal (and (lit b) (lit d))))
"""
_POLICY = """format: fcp_ros general policy
version: 1
name: lamps
domain: {name: lamps, hash: "HASH"}
goals: [lit]
features:
  way: "distance(here, road, and(goal.lit, not(lit)))"
  left: "count(and(goal.lit, not(lit)))"
goal: [left = 0]
actions:
  near: {when: [way > 0, left > 0], effects: [way decreases], programs: ["walk()"]}
  light:
    when: [way = 0, left > 0]
    effects: [left decreases, way increases]
    programs: ["light()"]
policy:
  - {when: [way > 0, left > 0], do: [near]}
  - {when: [way = 0, left > 0], do: [light]}
"""


def write_policy_text(domain: str = DOMAIN, problem: str = PROBLEM) -> str:
    """Return the file of the policy, for a version of the domain."""
    return _POLICY.replace("HASH", identify_domain(parse_pddl(domain, problem).domain))
