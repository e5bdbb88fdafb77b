# SPDX-License-Identifier: Apache-2.0
"""Random PDDL tasks: rules, state and goal do what an interpreter of PDDL does, state by state."""

from __future__ import annotations

from hypothesis import Phase, given, settings
from pddl_interpreter import Interpreter
from pddl_states import RuleStates
from random_pddl import tasks

from fcp_ros.domain import check_goal, evaluate
from fcp_ros.domain.pddl.library import Parser
from fcp_ros.domain.pddl.reader import read_texts, work_out
from fcp_ros.domain.pddl.source import Source
from fcp_ros.fuzzy import tnorm_by_name

PARSER = Parser()


@settings(max_examples=120, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
@given(tasks())
def test_random_tasks_are_translated_faithfully(texts):
    domain, problem = texts
    read = read_texts(Source("domain", domain), Source("problem", problem), PARSER)
    twin, task = Interpreter(read), work_out(read)
    tnorm = tnorm_by_name("lukasiewicz")
    check_goal(task.goal, task.domain, task.instance)
    reached = RuleStates(task).reachable(limit=6)
    assert twin.initial in reached
    for state, (instance, transitions) in reached.items():
        assert transitions == twin.transitions(state)
        degree = evaluate(task.goal, instance, lambda *_: 0.0, tnorm)
        assert bool(degree) == twin.reaches_goal(state)
