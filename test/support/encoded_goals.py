# SPDX-License-Identifier: Apache-2.0
"""A goal on a state, encoded with all that leads to it: for the tests of compiling."""

from types import SimpleNamespace

from exhaustive_compiler import compile_task

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.formula import find_wanted
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.request import Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.task.task import Conditions

PLAIN = Switches(*[False] * 4)
"""All optimisations switched off."""


def encode_goal(
    domain, instance, text, tnorm="lukasiewicz", known=lambda atom: None, on_demand=False, **options
):
    """The encoding of a goal, with all that led to it; ExpressionError where it makes no sense."""
    watch = Watch(PlanningOptions())
    goal = check_goal(parse_expression(text), domain, instance, text)
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
    if on_demand:
        task = RelevanceCompiler(domain).task(instance, find_wanted(formula), Breadth.FULL, watch)
    else:
        task = compile_task(domain, instance, watch)
    conditions = Conditions(task)
    alternatives = find_alternatives(formula, known, TNORMS[tnorm], task, watch)
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
