# SPDX-License-Identifier: Apache-2.0
"""``fcp goals``: the goals of a running executive, whoever sent them."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer

from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import JsonOption
from fcp_ros.cli.terminal import (
    escape_text,
    explain_missing_ros,
    fail,
    make_table,
    open_console,
    say,
)

app = typer.Typer(add_completion=False)

SHOWN = 8
"""Digits of an id that are shown; as many of it as tell it from others are enough to name it."""


@app.command()
def goals(
    namespace: Annotated[str, typer.Option(help="Namespace of the robot's nodes.")] = "",
    stop: Annotated[
        list[str] | None,
        typer.Option("--stop", help="Stop the goal whose id begins so (repeatable)."),
    ] = None,
    stop_all: Annotated[bool, typer.Option("--stop-all", help="Stop all goals.")] = False,
    pause: Annotated[
        bool, typer.Option("--pause", help="Let no further step begin; the present one goes on.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Let steps begin again.")] = False,
    step: Annotated[
        bool, typer.Option("--step", help="Let one more step begin, and pause then.")
    ] = False,
    remaining: Annotated[
        bool, typer.Option("--remaining", help="Show what is left of the plan in execution.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Longest wait for the executive, in seconds.")
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """List the goals of a running executive, stop them, or pause it between two steps."""
    if pause + resume + step > 1:
        fail("--pause, --resume and --step exclude each other: give one")
    with explain_missing_ros():
        from fcp_ros.client import FcpClient, FcpError
    try:
        with FcpClient(
            namespace=namespace, server_timeout=timeout, answer_timeout=timeout
        ) as client:
            control = client.goals
            # A pause comes before a stop: else the next goal would begin in between.
            if pause:
                _say_answer(control.pause())
            if step:
                _say_answer(control.step())
            if stop or stop_all:
                _stop(control, stop or [], stop_all)
            if resume:
                _say_answer(control.resume())
            if remaining:
                _show_remaining(control)
            else:
                _show(control.fetch(), as_json)
    except FcpError as error:
        fail(str(error), FAILED)


def _say_answer(answer: Any) -> None:
    if not answer.success:
        fail(answer.message, FAILED)
    say(answer.message)


def _stop(control: Any, beginnings: list[str], stop_all: bool) -> None:
    listed = _list(control)
    chosen = [goal for goal in listed if stop_all or _find_id(goal).startswith(tuple(beginnings))]
    for beginning in beginnings:
        count = sum(_find_id(goal).startswith(beginning) for goal in listed)
        if count != 1:
            fail(
                f"{count or 'no'} goal{'s have' if count > 1 else ' has'} an id that begins with "
                f"{beginning}: run fcp goals, and give more of it",
                FAILED,
            )
    for goal in control.stop(chosen):
        say(f"Asked to stop: {_find_id(goal)[:SHOWN]} {goal.text}")


def _list(control: Any) -> list[Any]:
    answer = control.fetch()
    if not answer.success:
        fail(answer.message, FAILED)
    return list(answer.goals)


def _find_id(goal: Any) -> str:
    return bytes(goal.id.uuid).hex()


def _show(answer: Any, as_json: bool) -> None:
    if not answer.success:
        fail(answer.message, FAILED)
    rows = [_describe(goal) for goal in answer.goals]
    console = open_console()
    if as_json:
        print(json.dumps({"paused": answer.paused, "goals": rows}, indent=2))
        return
    table = make_table("id", "status", "since", "priority", "robots", "goal", "note")
    for row in rows:
        since = time.strftime("%H:%M:%S", time.localtime(row["since"]))
        cells = (row["status"], since, str(row["priority"]), ", ".join(row["agents"]))
        texts = (row["id"][:SHOWN], *cells, row["text"], row["note"])
        table.add_row(*map(escape_text, texts))
    if rows:
        console.print(table)
    console.print(answer.message + (" Paused: no further step begins." if answer.paused else ""))


def _describe(goal: Any) -> dict[str, Any]:
    statuses = ("WAITING", "PLANNING", "EXECUTING", "PAUSED", "STOPPING")
    names = {getattr(type(goal), name): name.lower() for name in statuses}
    return {
        "id": _find_id(goal),
        "action": goal.action,
        "text": goal.text,
        "status": names.get(goal.status, str(goal.status)),
        "since": goal.since.sec + goal.since.nanosec * 1e-9,
        "priority": goal.priority,
        "agents": list(goal.agents),
        "note": goal.note,
    }


def _show_remaining(control: Any) -> None:
    answer = control.remaining_plan()
    if not answer.success:
        fail(answer.message, FAILED)
    console = open_console()
    for position, step in zip(answer.positions, answer.steps, strict=True):
        arguments = ", ".join(one.value for one in step.arguments)
        console.print(escape_text(f"{position + 1}. {step.rule}({arguments})"))
    console.print(answer.message)
