# SPDX-License-Identifier: Apache-2.0
"""``fcp pddl``: write a PDDL domain and problem as they are read, for other planners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.terminal import check_outputs, escape_text, explain_errors, fail, open_console
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.syntax_checks import find_requirements
from fcp_ros.domain.pddl.syntax_writer import write_domain, write_problem
from fcp_ros.domain.pddl.task_reader import read_texts, with_goal

app = typer.Typer(add_completion=False)


@app.command()
def pddl(
    domain: Annotated[Path, typer.Argument(help="The domain file.")],
    problem: Annotated[Path, typer.Argument(help="The problem file.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for domain.pddl and problem.pddl.")
    ],
    goal: Annotated[
        str, typer.Option("--goal", "-g", help="A condition in PDDL in place of the goal.")
    ] = "",
) -> None:
    """Write a PDDL domain and problem as they are read: checked, in one order and layout."""
    targets = (out / "domain.pddl", out / "problem.pddl")
    check_outputs(targets, (domain, problem))
    console = open_console()
    with explain_errors():
        texts = read_texts(read_source(domain), read_source(problem), supported_only=False)
        if goal:
            texts = with_goal(texts, goal)
    used = find_requirements(texts.domain, texts.problem)
    read = replace(texts.domain, requirements=used)
    written = (
        write_domain(read, texts.problem.spelling),
        write_problem(texts.problem, read.constants),
    )
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path, text in zip(targets, written, strict=True):
            path.write_text(text, encoding="utf-8")
            console.print(escape_text(str(path)), soft_wrap=True)
    except OSError as error:
        fail(f"{out} can't be written: {error.strerror}")
    for note in (*texts.domain.notes, *texts.problem.notes):
        console.print(f"  note: {escape_text(str(note))}", soft_wrap=True)
