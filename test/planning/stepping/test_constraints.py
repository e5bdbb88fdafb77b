# SPDX-License-Identifier: Apache-2.0
"""What a step newly brings about, looked up from what it added, equals all matches compared."""

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_worlds import worlds

from fcp_ros.cset import find_homs, find_matches, rewrite
from fcp_ros.domain import build_span
from fcp_ros.domain.span_conditions import DomainSpans
from fcp_ros.planning.stepping.rules import find_new_matches


def by_comparison(pattern, before, after):
    """The slow twin: everything that matches after and did not before."""

    def found(target):
        return {
            ", ".join(
                f"{pattern.name_of(element)} = {target.name_of(match.mapping[element])}"
                for element in pattern.all_elements()
            )
            for match in find_homs(pattern, target)
        }

    return found(after) - found(before)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(world=worlds(), seed=st.integers(0, 1000))
def test_new_matches_are_found_from_what_was_added(world, seed):
    domain, state = world
    constraints = DomainSpans(domain).constraints
    rng = random.Random(seed)
    spans = [build_span(rule, domain.schema) for rule in domain.rules.values()]
    for _ in range(4):
        results = [
            rewrite(span.rule, match) for span in spans for match in find_matches(span.rule, state)
        ]
        results = [result for result in results if result.instance is not None]
        if not results:
            return
        for result in results:
            for _, pattern in constraints:
                matches = find_new_matches(pattern, result.instance, result.change.added)
                found = [
                    ", ".join(f"{name} = {element}" for name, element in binding.items())
                    for binding in matches
                ]
                assert len(found) == len(set(found))
                assert set(found) == by_comparison(pattern, state, result.instance)
        state = rng.choice(results).instance
