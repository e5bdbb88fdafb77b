# SPDX-License-Identifier: Apache-2.0
"""The page of a planning request, with the path of the policy that made its plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from jinja2 import Environment
from markupsafe import Markup

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.qnp.state_space import build_policy_graph
from fcp_ros.planning import PlanningResult
from fcp_ros.planning.model.plan import PolicyTrace
from fcp_ros.report.console import StepGroup, describe_origin, group_steps
from fcp_ros.report.explored_goals import arrange_explored, count_outcomes, remove_reasons
from fcp_ros.report.pages import make_environment, write_page
from fcp_ros.report.policy_graph import draw_policy_graph
from fcp_ros.report.timeline import draw_timeline

LONGEST_TIMELINE = 60  # Steps of a plan with a timeline, which has a row for each
LONGEST_GOAL = 600  # Letters of a goal that are shown


@dataclass(frozen=True)
class PolicyPath:
    """The policy that made a plan, as a page shows it."""

    name: str
    trace: PolicyTrace
    graph: Markup  # the picture of the policy with the path of the run; empty without the policy
    groups: dict[int, StepGroup]  # by the number of steps that come before them


@dataclass(frozen=True)
class PlanRequest:
    """The request that a page answers."""

    domain: str
    scene: str  # name or file of the scene or PDDL problem
    goal: str = ""  # as it was asked for; "" for the goal of a PDDL problem

    @property
    def scene_name(self) -> str:
        return PurePath(self.scene).name


def write_plan_page(
    result: PlanningResult, request: PlanRequest, policy: GeneralPolicy | None, path: Path
) -> Path:
    return write_page(render_plan_page(result, request, policy), path)


def render_plan_page(
    result: PlanningResult, request: PlanRequest, policy: GeneralPolicy | None = None
) -> str:
    """Return the page as a complete HTML document; arguments as of `write_plan_page`."""
    plan = result.plan
    is_short = plan is not None and len(plan.steps) <= LONGEST_TIMELINE
    goal = result.goal or request.goal
    return (
        make_plan_environment()
        .get_template("plan.html.j2")
        .render(
            request=request,
            result=result,
            goal=goal if len(goal) <= LONGEST_GOAL else f"{goal[:LONGEST_GOAL]}\u2026",
            message=remove_reasons(result),
            # These are SVG that this package drew itself; everything else in the page is escaped.
            timeline=Markup(
                draw_timeline(plan, "time", result.traces) if plan and is_short else ""
            ),
            path=draw_policy_path(result, policy),
        )
    )


def draw_policy_path(result: PlanningResult, policy: GeneralPolicy | None) -> PolicyPath | None:
    """Draw the path of the policy, if at hand, that made a plan; None without a trace of it."""
    trace = result.policy_trace
    if trace is None or result.plan is None:
        return None
    # SVG that this package drew itself.
    graph = Markup("" if policy is None else _draw_graph(policy, trace))
    return PolicyPath(result.policy, trace, graph, group_steps(trace))


def make_plan_environment() -> Environment:
    environment = make_environment()
    environment.globals["describe_origin"] = describe_origin
    environment.globals.update(arrange_explored=arrange_explored, count_outcomes=count_outcomes)
    return environment


def _draw_graph(policy: GeneralPolicy, trace: PolicyTrace) -> str:
    """Draw what the policy may lead to from the qstate in which the run began."""
    visited = [*(move.values for move in trace.moves), trace.final]
    run = [sum(1 << bit for bit, value in enumerate(values) if value) for values in visited]
    graph = build_policy_graph(policy.qnp, policy.policy, run[:1])
    return draw_policy_graph(graph, run, [move.action for move in trace.moves])
