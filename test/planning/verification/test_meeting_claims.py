# SPDX-License-Identifier: Apache-2.0
"""From random worlds through the encoded task and the bidirectional search to the verifier."""

from types import SimpleNamespace

import pytest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from plan_claims import Claims
from random_worlds import DEGREES, atom, worlds
from rewriting_twin import Twin, wandered

from fcp_ros.cset import Fact, facts
from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import Goedel, Hamacher, Lukasiewicz, Product
from fcp_ros.planning import PlanningOptions, verify
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.handover import claim_meeting
from fcp_ros.planning.model.request import Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.search.bidirectional import BidirectionalSearch
from fcp_ros.planning.search.half_plans import Meeting
from fcp_ros.planning.search.partial_states import PartialState
from fcp_ros.planning.search.settings import Objective, SearchOutcome
from fcp_ros.planning.task.task import Conditions

TNORMS = (Lukasiewicz(), Product(), Goedel(), Hamacher(2.0))
GRADED = [atom("g", [a]) for a in ("a1", "a2")] + [
    atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")
]


def encoded(domain, instance, goal, tnorm, known):
    """The encoding of a ground goal."""
    watch = Watch(PlanningOptions())
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
    task = compile_task(domain, instance, watch)
    alternatives = find_alternatives(formula, known, tnorm, task, watch)
    # Interchangeable objects would have to be named back first; nothing else is switched off.
    options = EncodeOptions(switches=Switches(symmetry=False))
    return encode(task, Conditions(task), alternatives, options, watch)


@settings(
    max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(
    world=worlds(),
    tnorm=st.sampled_from(TNORMS),
    judged=st.lists(DEGREES, min_size=len(GRADED), max_size=len(GRADED)),
    rng=st.randoms(use_true_random=False),
    length=st.integers(1, 5),
)
def test_a_bidirectional_plan_is_the_best_and_passes(degrees, world, tnorm, judged, rng, length):
    domain, instance = world
    assume(facts(instance))
    source = degrees(dict(zip(GRADED, judged, strict=True)))
    parts = wandered(domain, instance, source, tnorm, rng, length)
    assume(parts)
    goal = check_goal(parse_expression(" and ".join(parts)), domain, instance)
    encoding = encoded(domain, instance, goal, tnorm, lambda a: source.given.get(atom(*a)))
    flat = encoding.with_losses(lambda a: source.given.get(atom(*a), 1.0), tnorm)
    search = BidirectionalSearch(flat, Objective(composition=tnorm.composition))
    ends = (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)
    while (report := search.run(500)).outcome not in ends:
        pass
    twin = Twin(domain, instance, goal, source, tnorm)
    twin.run(instance)
    assume(twin.complete)
    assert report.outcome is SearchOutcome.OPTIMAL
    assert tnorm.degree_of(report.best.loss) == pytest.approx(twin.best, abs=1e-9)
    steps = encoding.decode(report.best.operators).steps
    plan = Claims(domain, instance, source, tnorm).plan(
        [(step.rule.name, step.arguments) for step in steps], goal
    )
    assert plan.membership == pytest.approx(twin.best, abs=1e-9)
    meeting = claim_meeting(search.meeting, encoding, tnorm)
    verdict = verify(domain, instance, plan, goal, source, alpha=plan.membership, meeting=meeting)
    assert verdict.problems == ()
    if meeting.wanted:
        claims = meeting.wanted[0]
        turned = tuple((fact, not holds) for fact, holds in claims)
        if len(turned) == 1:
            wrong = type(meeting)(meeting.index, (turned,), meeting.requirement)
            refused = verify(domain, instance, plan, goal, source, alpha=0.0, meeting=wrong)
            assert not refused.ok


def test_a_pattern_over_values_says_the_same_over_facts():
    f = [Fact("at", (name,)) for name in "abcd"]
    encoding = SimpleNamespace(
        variables=SimpleNamespace(values=((0, 1, None), (2, 3))),
        task=SimpleNamespace(facts=f),
        decode=lambda operators: SimpleNamespace(steps=tuple(operators[1:])),
    )

    def claims(units, *clauses):
        pattern = PartialState(units, frozenset(clauses))
        return claim_meeting(Meeting(2, (5, 6, 7), pattern, 0.25), encoding, Lukasiewicz())

    assert claims(((0, 1), (1, 2))).wanted == (((f[0], True),), ((f[3], True),))
    assert claims(((0, 3),)).wanted == (((f[0], True), (f[1], True)),)
    assert claims(((0, 4),)).wanted == (((f[0], False),), ((f[1], False),))
    assert claims(((0, 5),)).wanted == (((f[1], False),),)
    assert claims((), ((0, 4), (1, 1))).wanted == (
        ((f[0], False), (f[2], True)),
        ((f[1], False), (f[2], True)),
    )
    # The last variable is the goal's own.
    made = claims(((2, 1),), ((0, 1), (2, 1)))
    assert (made.index, made.wanted, made.requirement) == (1, (), 0.75)
