# SPDX-License-Identifier: Apache-2.0
"""A predicate that is replaced by an absence tells heuristics no less than the predicate itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sliding_tiles import DOMAIN, SWAPPING_DOMAIN, write_random_puzzle

from fcp_ros.domain.pddl import parse_pddl, task_reader
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan, solver
from fcp_ros.planning.encoding import encode
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.heuristics.landmarks import find_landmarks
from fcp_ros.planning.heuristics.relaxed_task import relax
from fcp_ros.planning.relevance.closure import Breadth


class EncodingTaken(BaseException):
    """The planner has encoded the task; nothing more is wanted of it."""


def encode_task(domain, problem, replaces):
    """The encoding of the widest task; None if the goal holds or can never be reached."""
    found = []

    def take(*arguments):
        found.append(encode_goal(*arguments))
        raise EncodingTaken

    encode_goal = encode.encode
    with pytest.MonkeyPatch.context() as patch:
        if not replaces:
            patch.setattr(task_reader, "find_definitions", lambda *_: {})
        task = parse_pddl(domain, problem)
        assert ("free" in task.replaced) == replaces
        patch.setattr(encode, "encode", take)
        patch.setattr(
            solver.Solver,
            "_list_stages",
            lambda self: iter([(self._problem.goal.formula, Breadth.FULL)]),
        )
        with pytest.raises(EncodingTaken):
            plan(PlanningRequest(task.domain, task.instance, task.goal, PlanningOptions(), None))
    return found[0]


def estimate(encoding, code):
    flat = encoding.flat
    return Estimator(flat, code, np.ones(len(flat.loss))).estimate(flat.initial)


def find_fact_landmarks(encoding):
    """The facts other than `free` that every relaxed plan reaches, and some that hold initially."""
    flat = encoding.flat
    relaxed = relax(flat, np.ones(len(flat.loss)))
    landmarks = find_landmarks(relaxed, flat.initial)
    values = encoding.variables.values
    places = [
        (var, val)
        for var, val, other in zip(landmarks.var, landmarks.val, landmarks.other, strict=True)
        if not other and var < len(values) and values[var][val] is not None
    ]
    named = {str(encoding.task.facts[values[var][val]]) for var, val in places}
    return {name for name in named if not name.startswith("free")}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), swaps=st.booleans())
def test_an_absence_tells_no_less_than_the_predicate(seed, swaps):
    domain = SWAPPING_DOMAIN if swaps else DOMAIN
    problem = write_random_puzzle(seed)
    compiled, plain = (encode_task(domain, problem, replaces) for replaces in (True, False))
    least, plain_least = (estimate(one, HeuristicCode.MAX) for one in (compiled, plain))
    assert least >= plain_least
    if np.isinf(estimate(plain, HeuristicCode.FF)):
        assert np.isinf(least)
    elif np.isfinite(least):
        assert find_fact_landmarks(compiled) >= find_fact_landmarks(plain)
        # A relaxed plan with the absence is one with the predicate, so it costs no less than that
        # one's lower bound.
        bound = estimate(plain, HeuristicCode.LM_CUT)
        assert bound <= estimate(compiled, HeuristicCode.FF)
