# SPDX-License-Identifier: Apache-2.0
"""From a ground goal to its encoding: relevance, constraints, alternatives, stages, flat task."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.encode import EncodeOptions, encode, make_no_macros
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.degree_formula import KnownDegree
from fcp_ros.planning.goal.division import divide_formula
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.stages import make_stages
from fcp_ros.planning.goal.symmetry import SymmetryClasses, is_canonical
from fcp_ros.planning.goal.trajectory.attachment import attach_constraints
from fcp_ros.planning.model.request import Phase
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.relevance.overwriting import expand_representatives
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Task

PhaseTimer = Callable[[Phase], AbstractContextManager[None]]
"""Makes a context in which the time counts for a phase."""


@dataclass(frozen=True)
class GoalSetting:
    """The setting of a goal."""

    compiler: RelevanceCompiler
    instance: Instance
    classes: SymmetryClasses
    tnorm: TNorm


@dataclass(frozen=True)
class CompiledGoal:
    """A goal on a compiled task."""

    task: Task
    conditions: Conditions
    encoding: Encoding


def compile_goal(
    goal: GroundGoal,
    setting: GoalSetting,
    breadth: Breadth,
    most: int,
    options: EncodeOptions,
    known: KnownDegree,
    watch: Watch,
    times: PhaseTimer,
) -> CompiledGoal:
    """Compile a goal and what leads to it."""
    with times(Phase.COMPILE):
        wanted = goal.find_wanted()
        task = setting.compiler.task(setting.instance, wanted, breadth, watch, most)
        if goal.constraints:
            task = attach_constraints(expand_representatives(task), goal.constraints, watch.check)
        conditions = Conditions(task)
    with times(Phase.GOAL):
        tnorm = setting.tnorm
        divided = divide_formula(
            goal.formula, lambda part: find_alternatives(part, known, tnorm, task, watch), task
        )
        finishes = [f for f in divided.finishes if is_canonical(f.alternative, setting.classes)]
        alternatives = [finish.alternative for finish in finishes]
        last = divided.last
        stages = make_stages(goal, alternatives, known, tnorm, task, watch, last)
        stages = replace(
            stages,
            moves=(*divided.moves, *stages.moves),
            targets=tuple(finish.target for finish in finishes),
            fulfilled=last,
        )
    with times(Phase.COMPILE):
        if goal.constraints or task.axioms:  # on each state, so none may be skipped
            switches = replace(options.switches, metric=False)
            options = replace(options, switches=switches, macros=make_no_macros)
        encoding = encode(task, conditions, alternatives, options, watch, stages)
    return CompiledGoal(task, conditions, encoding)
