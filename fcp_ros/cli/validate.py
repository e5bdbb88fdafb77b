# SPDX-License-Identifier: Apache-2.0
"""``fcp validate``: check a domain, a scene or a plan."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DEFAULT_SCENE,
    AssetsOption,
    DomainOption,
    JudgeChoice,
    SceneOption,
    expand_options,
    open_grounder,
)
from fcp_ros.cli.plan.request import is_pddl
from fcp_ros.cli.session import SceneChoice, open_session
from fcp_ros.cli.terminal import escape_lines, escape_text, explain_errors, fail, open_console
from fcp_ros.domain import check_goal, load_domain, parse_expression
from fcp_ros.domain.diagnostics import list_warnings
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.domain.pddl.pddl_task import PddlNotation
from fcp_ros.domain.pddl.task_reader import is_condition
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.foundation.bounded_file import FileError, read_bytes, read_text
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import CannotReplay, plan_from_actions, read_ipc_plan
from fcp_ros.report.plain_json import read_plan
from fcp_ros.scene import SceneLimits

app = typer.Typer(add_completion=False)


@app.command()
@expand_options
def validate(
    *,
    file: Annotated[
        str,
        typer.Argument(
            help='A domain (YAML), a scene, a PDDL problem, or a plan: the output of "fcp plan '
            '--json", or, with --domain and --scene as PDDL files, the actions of any planner.'
        ),
    ],
    domain: DomainOption = DEFAULT_DOMAIN,
    scene: SceneOption = DEFAULT_SCENE,
    assets: AssetsOption = None,
    judges: JudgeChoice,
) -> None:
    """Check a domain, a scene against a domain, or a plan on a scene by replaying it."""
    console = open_console()
    limits = SceneLimits(asset_folders=tuple(assets or ()))
    with explain_errors():
        if _holds_plan(file):
            _validate_plan(console, file, domain, scene, limits, judges)
        elif _holds_actions(file, is_pddl(domain)):
            _validate_actions(console, file, domain, scene)
        elif is_pddl(file):
            _validate_pddl(console, file, domain)
        elif is_pddl(domain):
            fail(f"{file} is not a plan: give a file of actions, or the output of fcp plan --json")
        elif _is_domain(file):
            loaded = load_domain(find_domain(file))
            console.print(
                f"[green]valid[/] domain {loaded.name} {loaded.version}: "
                f"{len(loaded.rules)} rules, {len(loaded.graded)} graded predicates"
            )
            for warning in list_warnings(loaded):
                console.print(f"  [yellow]warning[/]: {escape_text(warning)}", soft_wrap=True)
        else:
            against = load_domain(find_domain(domain))
            graph = load_scene_for(find_scene(file), against.schema, against.mapping, limits=limits)
            state = scene_to_instance(graph, against.schema, against.mapping)
            console.print(
                f"[green]valid[/] scene for domain {against.name}: "
                f"{len(graph.nodes)} nodes, {len(graph.relations)} relations"
            )
            for note in (*graph.notes, *state.notes):
                console.print(f"  note: {escape_text(note)}", soft_wrap=True)


def _validate_plan(
    console: Console, file: str, domain: str, scene: str, limits: SceneLimits, judges: JudgeChoice
) -> None:
    text = read_text(Path(file))
    try:
        plan = read_plan(text)
    except ValueError as error:
        fail(f"{file}: {error}")
    notation: PddlNotation | None = None
    goal: Expression | None = None
    if domain.endswith(".pddl"):
        in_pddl = is_condition(plan.goal)
        task = read_pddl(domain, scene, plan.goal if in_pddl else "")
        plan_domain, instance, notation = task.domain, task.instance, PddlNotation(task)
        goal = task.goal if in_pddl else None
    else:
        session = open_session(domain, scene, SceneChoice(limits=limits))
        plan_domain, instance = session.domain, session.state.instance
    plan_domain, instance = shift_elements(plan_domain, instance, plan.shifts)
    if goal is None:
        goal = check_goal(parse_expression(plan.goal), plan_domain, instance)
    with closing(open_grounder(plan_domain, judges)) as grounder:
        verdict = verify(plan_domain, instance, plan, goal, grounder, alpha=plan.alpha)
    _report_verdict(
        console,
        verdict.problems,
        f"plan of {len(plan.steps)} steps, membership "
        f"{plan.membership:.2f} >= alpha {plan.alpha:.2f}, replayed on the scene",
        notation,
    )


def _validate_actions(console: Console, file: str, domain: str, problem: str) -> None:
    if not (domain.endswith(".pddl") and problem.endswith(".pddl")):
        fail(f"{file} holds actions: give the PDDL files with --domain and --scene")
    text = read_text(Path(file))
    try:
        actions = read_ipc_plan(text)
    except ValueError as error:
        fail(f"{file}: {error}")
    task = read_pddl(domain, problem)
    try:
        plan = plan_from_actions(task, actions)
    except CannotReplay as reason:
        _report_verdict(console, [str(reason)], "")
    verdict = verify(task.domain, task.instance, plan, task.goal, NoMemberships(), alpha=1.0)
    _report_verdict(
        console,
        verdict.problems,
        f"plan of {len(actions)} actions, replayed from {problem}",
        PddlNotation(task),
    )


def _validate_pddl(console: Console, file: str, domain: str) -> None:
    if not is_pddl(domain) or domain == file:
        fail(f"{file}: give the problem here, and its PDDL domain with --domain")
    task = read_pddl(domain, file)
    console.print(
        f"[green]valid[/] problem {escape_text(task.name)} for domain "
        f"{escape_text(task.domain.name)}: {len(list(task.instance.names()))} elements, "
        f"{len(task.domain.rules)} rules",
        soft_wrap=True,
    )
    for note in task.notes:
        console.print(f"  note: {escape_text(str(note))}", soft_wrap=True)


def _report_verdict(
    console: Console, problems: Sequence[str], valid: str, notation: PddlNotation | None = None
) -> None:
    """Print the verifier's problems and leave with FAILED, or print `valid`."""
    if notation is not None:
        problems = [notation.write_sentence(problem) for problem in problems]
    if not problems:
        console.print(f"[green]valid[/] {escape_text(valid)}", soft_wrap=True)
        return
    for problem in problems:
        console.print(f"[red]invalid[/] {escape_lines(problem)}", soft_wrap=True)
    raise typer.Exit(FAILED)


def _is_domain(file: str) -> bool:
    """Return True for a YAML file whose text has rules: a broken domain is still a domain."""
    path = find_domain(file)
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return False
    lines = _peek(path).splitlines()
    return any(line.startswith(("rules:", "schema:")) for line in lines)


def _peek(path: Path) -> str:
    """Read a text to see what it holds, whatever its encoding; "" if it can't be read."""
    try:
        return read_bytes(path).decode("utf-8", errors="replace")
    except FileError:
        return ""


def _holds_plan(file: str) -> bool:
    path = Path(file)
    if path.suffix != ".json" or not path.is_file():
        return False
    return '"membership_after"' in _peek(path)


def _holds_actions(file: str, for_pddl: bool) -> bool:
    """Return True for a text of actions in parentheses; PDDL itself begins with ``(define``.

    An empty text (or only comments) is the plan without actions, where a PDDL domain is given.
    """
    path = Path(file)
    if path.suffix in (".json", ".yaml", ".yml", ".pddl") or not path.is_file():
        return False
    lines = _peek(path).splitlines()
    code = [line.partition(";")[0].strip() for line in lines]
    first = next(filter(None, code), None)
    return for_pddl if first is None else first.endswith((")", "]"))
