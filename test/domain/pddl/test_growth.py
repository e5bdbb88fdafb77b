# SPDX-License-Identifier: Apache-2.0
"""The effort for large files grows with their size, not with its square (issue 28)."""

from call_count import count_calls

from fcp_ros.domain.pddl import parse_pddl


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
