# SPDX-License-Identifier: Apache-2.0
"""From random worlds through the encoded task and the bidirectional search to the verifier."""

import pytest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from plan_claims import Claims
from random_worlds import DEGREES, atom, worlds
from rewriting_twin import Twin, wandered

from fcp_ros.cset import facts
from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import Goedel, Hamacher, Lukasiewicz, Product
from fcp_ros.planning import PlanningOptions, verify
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.request import Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.search.bidirectional import BidirectionalSearch
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
    verdict = verify(domain, instance, plan, goal, source, alpha=plan.membership)
    assert verdict.problems == ()
