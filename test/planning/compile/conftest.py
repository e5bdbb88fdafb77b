# SPDX-License-Identifier: Apache-2.0
"""What the tests of compiling share: a goal on a state, encoded."""

from types import SimpleNamespace

import pytest

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.demand import Breadth, demand_task
from fcp_ros.planning.compile.encode import EncodeOptions, encode
from fcp_ros.planning.compile.formula import wanted_of
from fcp_ros.planning.compile.forward_compile import compile_task
from fcp_ros.planning.compile.goal_alternatives import goal_alternatives
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.model.request import Switches
from fcp_ros.planning.model.watch import Watch

PLAIN = Switches(*[False] * 6)
"""All optimisations switched off."""


def encoded(
    domain,
    instance,
    text,
    tnorm="lukasiewicz",
    known=lambda atom: None,
    on_demand=False,
    **options,
):
    """The encoding of a goal, with all that led to it; ExpressionError where it makes no sense."""
    watch = Watch(PlanningOptions())
    goal = check_goal(parse_expression(text), domain, instance, text)
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch)
    if on_demand:
        task = demand_task(domain, instance, wanted_of(formula), Breadth.FULL, watch)
    else:
        task = compile_task(domain, instance, watch)
    conditions = Conditions(task)
    alternatives = goal_alternatives(formula, known, TNORMS[tnorm], task, watch)
    options = EncodeOptions(**{"switches": PLAIN, **options})
    encoding = encode(task, conditions, alternatives, options, watch)
    return SimpleNamespace(
        goal=goal,
        task=task,
        conditions=conditions,
        formula=formula,
        alternatives=alternatives,
        encoding=encoding,
        flat=encoding.flat,
    )


@pytest.fixture(scope="session")
def encode_goal():
    """encode_goal(domain, instance, text, tnorm, known, optimise=..., switches=...)."""
    return encoded


@pytest.fixture(scope="session")
def plain():
    """All optimisations switched off."""
    return PLAIN
