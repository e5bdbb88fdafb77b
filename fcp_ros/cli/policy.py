# SPDX-License-Identifier: Apache-2.0
"""``fcp policy``: look at general policies, and at what they do in one task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from fcp_ros.abstraction.policy.general_policy import (
    GeneralPolicy,
    check_fit,
    write_condition,
    write_effects,
)
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.policy.programs import write_program
from fcp_ros.abstraction.policy.runner import Execution, ExecutionLimits, PolicyRunner
from fcp_ros.abstraction.proposers.faults import write_atom
from fcp_ros.abstraction.qnp.problem import describe_state
from fcp_ros.abstraction.qnp.state_space import build_policy_graph
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.cli.exit_codes import DONE, FAILED
from fcp_ros.cli.options import JsonOption
from fcp_ros.cli.task_files import read_tasks
from fcp_ros.cli.terminal import (
    check_outputs,
    escape_text,
    explain_errors,
    fail,
    make_table,
    open_console,
)
from fcp_ros.domain import Domain
from fcp_ros.domain.pddl.pddl_task import WORLD
from fcp_ros.report.policy_graph import draw_policy_graph

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Look at general policies (fcp generalize)."
)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The file of a policy.")]
InstanceArgument = Annotated[
    str, typer.Argument(help="A task to run it on: a PDDL problem or a scene; needs --domain.")
]
DomainOption = Annotated[
    str, typer.Option("--domain", "-d", help="Of the task: a PDDL domain, or a YAML domain.")
]
GoalOption = Annotated[
    str, typer.Option("--goal", "-g", help="The goal in a scene, a formula of the domain.")
]
PictureOption = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        help="Draw the policy's graph into this SVG file, with the way through it in the task.",
    ),
]
StepsOption = Annotated[int, typer.Option(min=1, help="Steps of a run at most.")]
MOST_STEPS = 1_000_000
"""Steps of a run, unless told otherwise."""
MOST_ROWS = 400
"""Abstract actions of a run that are printed."""


@app.callback()
def run_policy() -> None:
    """Look at general policies (fcp generalize)."""


@app.command()
def show(
    file: FileArgument,
    instance: InstanceArgument = "",
    domain: DomainOption = "",
    goal: GoalOption = "",
    picture: PictureOption = None,
    steps: StepsOption = MOST_STEPS,
    as_json: JsonOption = False,
) -> None:
    """Show features, abstract actions and policy; with a task also what the policy does in it."""
    if bool(instance) != bool(domain):
        fail("a task needs --domain, and --domain a task")
    check_outputs((picture,), (file, instance, domain))
    with explain_errors():
        policy = read_policy(file)
        run = _run_policy(policy, domain, instance, goal, steps) if instance else None
        if picture is not None:
            _save_picture(policy, run, picture)
    if as_json:
        typer.echo(json.dumps(_to_plain(policy, run), indent=1))
    else:
        console = open_console()
        print_policy(console, policy)
        if run is not None:
            print_run(console, policy, run)
    raise typer.Exit(DONE if run is None or run.reached else FAILED)


def _run_policy(
    policy: GeneralPolicy, domain: str, instance: str, goal: str, steps: int
) -> Execution:
    (task,) = read_tasks(domain, [instance], goal)
    check_fit(policy, task.domain)
    runner = PolicyRunner(policy, task.domain)
    state = build_state(task.domain, task.instance, task.goal)
    run = runner.run_state(state, task.goal, ExecutionLimits(steps=steps))
    return replace(run, steps=tuple(_leave_out_world(run.steps, task.domain)))


def _save_picture(policy: GeneralPolicy, run: Execution | None, file: Path) -> None:
    """Draw what the policy may do from any state in which it begins; a run is drawn stronger."""
    graph = build_policy_graph(policy.qnp, policy.policy)
    way = [move.qstate for move in run.trace] if run is not None else []
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(draw_policy_graph(graph, way), encoding="utf-8")


def _leave_out_world(
    steps: tuple[tuple[str, tuple[str, ...]], ...], domain: Domain
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Leave out the element that stands for PDDL's facts without arguments."""
    for rule, names in steps:
        parameters = zip(domain.rules[rule].parameters, names, strict=True)
        yield rule, tuple(name for parameter, name in parameters if parameter.name != WORLD)


def print_policy(console: Console, policy: GeneralPolicy) -> None:
    qnp = policy.qnp
    name = escape_text(policy.name)
    domain = f"{escape_text(policy.domain_name)} ({policy.domain_hash[:12]})"
    console.print(f"[bold]{name}[/], a policy for the domain {domain}", soft_wrap=True)
    goals = ", ".join(policy.goal_relations)
    console.print(f"goals over: {escape_text(goals or 'nothing')}", soft_wrap=True)
    features = make_table("feature", "value", "of the state")
    for variable in qnp.variables:
        kind = "true or false" if variable in qnp.booleans else "number"
        features.add_row(*map(escape_text, (variable, kind, policy.features[variable].text)))
    console.print(features)
    console.print(f"begins where: {_join(write_condition(qnp, qnp.initial))}", soft_wrap=True)
    console.print(f"done where: {_join(write_condition(qnp, qnp.goal))}", soft_wrap=True)
    actions = make_table("abstract action", "when", "effects", "programs")
    for action in qnp.actions:
        actions.add_row(
            escape_text(action.name),
            _join(write_condition(qnp, action.when)),
            _join(write_effects(action.effects)),
            "\nor ".join(map(escape_text, _write_programs(policy, action.name))),
        )
    console.print(actions)
    rules = make_table("in a state with", "do")
    for state, names in policy.policy.items():
        rules.add_row(
            escape_text(describe_state(qnp, state)), escape_text(" or ".join(names) or "stop")
        )
    console.print(rules)
    origin = policy.provenance
    console.print(
        f"proposed by {escape_text(origin.proposer or 'nobody known')} in {origin.seconds:.2f} s; "
        f"tried on {escape_text(', '.join(origin.training) or 'nothing')}",
        soft_wrap=True,
    )
    for remark in origin.remarks:
        console.print(f"  {escape_text(remark)}", soft_wrap=True)


def print_run(console: Console, policy: GeneralPolicy, run: Execution) -> None:
    colour = "green" if run.reached else "red"
    moves = len(run.trace)
    console.print(
        f"[{colour}]{run.status.value}[/] {len(run.steps)} steps, {moves} abstract actions, "
        f"{run.seconds * 1000:.2f} ms {escape_text(run.reason)}",
        soft_wrap=True,
    )
    table = make_table("state", "abstract action", "steps")
    done = 0
    for move in run.trace[:MOST_ROWS]:
        steps = [escape_text(write_atom(*step)) for step in run.steps[done : move.steps]]
        done = move.steps
        state = describe_state(policy.qnp, move.qstate)
        table.add_row(escape_text(state), escape_text(move.action), "\n".join(steps))
    console.print(table)
    if moves > MOST_ROWS:
        console.print(f"and {moves - MOST_ROWS} more abstract actions")


def _write_programs(policy: GeneralPolicy, action: str) -> list[str]:
    return [write_program(program) for program in policy.refinement.programs.get(action, ())]


def _join(parts: list[str]) -> str:
    return escape_text(", ".join(parts) or "anything")


def _to_plain(policy: GeneralPolicy, run: Execution | None) -> dict[str, Any]:
    qnp = policy.qnp
    data: dict[str, Any] = {
        "name": policy.name,
        "domain": {"name": policy.domain_name, "hash": policy.domain_hash},
        "goals": list(policy.goal_relations),
        "features": {name: policy.features[name].text for name in qnp.variables},
        "initial": write_condition(qnp, qnp.initial),
        "goal": write_condition(qnp, qnp.goal),
        "actions": {
            action.name: {
                "when": write_condition(qnp, action.when),
                "effects": write_effects(action.effects),
                "programs": _write_programs(policy, action.name),
            }
            for action in qnp.actions
        },
        "policy": [
            {"state": describe_state(qnp, state), "do": list(names)}
            for state, names in policy.policy.items()
        ],
        "proposer": policy.provenance.proposer,
        "training": list(policy.provenance.training),
    }
    if run is not None:
        data["run"] = {
            "status": run.status.value,
            "reason": run.reason,
            "seconds": run.seconds,
            "steps": [[rule, *names] for rule, names in run.steps],
            "moves": [
                {"state": describe_state(qnp, m.qstate), "action": m.action, "steps": m.steps}
                for m in run.trace
            ],
        }
    return data
