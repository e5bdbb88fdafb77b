# SPDX-License-Identifier: Apache-2.0
"""Random flat tasks for property tests: small enough to enumerate, with everything in them."""

from __future__ import annotations

from hypothesis import strategies as st

from fcp_ros.planning.flat.builder import (
    FlatBlock,
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)
from fcp_ros.planning.flat.task import FlatAxiom

LOSSES = st.sampled_from([0.0, 0.0, 0.05, 0.1, 0.2, 0.5])
COSTS = st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.5])


@st.composite
def flat_tasks(
    draw,
    *,
    max_variables=4,
    max_values=3,
    max_operators=8,
    conditional=True,
    blocks=True,
    negative=True,
    resources=True,
    windows=True,
    axioms=False,
):
    """A flat task; the switches leave parts out, or put axioms in."""
    n = draw(st.integers(1, max_variables))
    domain = [draw(st.integers(2, max_values)) for _ in range(n)]
    derived = draw(st.integers(1, 3)) if axioms else 0
    domain += [2] * derived

    def assignment(exclude=(), end=None):
        among = range(end or len(domain))
        var = draw(st.sampled_from([v for v in among if v not in exclude] or list(among)))
        return var, draw(st.integers(0, domain[var] - 1))

    def some(limit, distinct=True):
        found = {}
        for _ in range(draw(st.integers(0, limit))):
            var, val = assignment()
            found.setdefault(var if distinct else (var, val), (var, val))
        return tuple(sorted(found.values()))

    def effect():
        var, val = assignment(end=n)
        if conditional and draw(st.integers(0, 3)) == 0:
            return FlatEffect(var, val, some(2), some(1) if negative else ())
        return FlatEffect(var, val)

    pools = []
    clock = -1
    if resources and draw(st.booleans()):
        pools.append(FlatResource(draw(st.sampled_from([2.0, 3.0, 5.0])), 0.0, 6.0))
    if windows and draw(st.integers(0, 2)) == 0:
        clock = len(pools)
        pools.append(FlatResource(0.0, 0.0, draw(st.sampled_from([4.0, 8.0]))))

    def operator():
        use = []
        for number in range(len(pools)):
            if number == clock:
                use.append(-draw(st.sampled_from([0.0, 1.0, 2.0])))
            else:
                use.append(draw(st.sampled_from([0.0, 1.0, 2.0, -1.0])))
        opens, closes = draw(
            st.sampled_from([(0.0, float("inf"))] * 3 + [(2.0, float("inf")), (0.0, 3.0)])
        )
        made = tuple(effect() for _ in range(draw(st.integers(1, 2))))
        guarded = ()
        if blocks and draw(st.integers(0, 4)) == 0:
            guarded = (FlatBlock(some(2), ((made[0].variable, made[0].value),)),)
        return FlatOperator(
            some(2),
            some(1) if negative else (),
            made,
            guarded,
            draw(LOSSES),
            draw(COSTS),
            tuple(use),
            opens if clock >= 0 else 0.0,
            closes if clock >= 0 else float("inf"),
        )

    strata = sorted(draw(st.integers(0, 2)) for _ in range(derived))

    def axiom(number):
        """One for a derived variable: others of its stratum must not be negated."""
        equal, unequal = [], []
        for _ in range(draw(st.integers(0, 3))):
            own = [d for d, stratum in enumerate(strata) if stratum == strata[number]]
            if draw(st.integers(0, 2)) == 0:
                equal.append((n + draw(st.sampled_from(own)), 1))
            else:
                (equal if draw(st.booleans()) else unequal).append(assignment(end=n + own[0]))
        return FlatAxiom(n + number, strata[number], tuple(equal), tuple(unequal))

    rules = [axiom(number) for number in range(derived) for _ in range(draw(st.integers(1, 3)))]
    count = draw(st.integers(1, max_operators))
    return FlatBuilder(
        domain,
        [draw(st.integers(0, size - 1)) for size in domain],
        some(2) or (assignment(),),
        [operator() for _ in range(count)],
        pools,
        clock,
        rules,
    ).build()
