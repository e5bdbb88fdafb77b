# SPDX-License-Identifier: Apache-2.0
"""``fcp person``: what a robot asks a person to do."""

from __future__ import annotations

from typing import Annotated

import typer

from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.terminal import escape_text, explain_missing_ros, fail, say

app = typer.Typer(add_completion=False)


@app.command()
def person(
    namespace: Annotated[str, typer.Option(help="Namespace of the robot's nodes.")] = "",
    done: Annotated[bool, typer.Option("--done", help="Say that it is done.")] = False,
    refuse: Annotated[
        bool, typer.Option("--refuse", help="Say that it is not done, and will not be.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Longest wait for the node, in seconds.")
    ] = 10.0,
) -> None:
    """Show which step the robot asks a person to do, and say how it ended."""
    if done and refuse:
        fail("--done and --refuse exclude each other: give one")
    with explain_missing_ros():
        from fcp_ros.client import FcpClient, FcpError
    try:
        with FcpClient(
            namespace=namespace, server_timeout=timeout, answer_timeout=timeout
        ) as client:
            question = client.person_request()
            if question is None:
                nothing = "Nobody is asked to do anything now."
                if done or refuse:
                    fail(nothing, FAILED)
                say(nothing)
                return
            say(escape_text(question.text))
            if done or refuse:
                answer = client.answer_person(question, is_done=done)
                if not answer.success:
                    fail(answer.message, FAILED)
                say(escape_text(answer.message))
    except FcpError as error:
        fail(str(error), FAILED)
