# SPDX-License-Identifier: Apache-2.0
"""``fcp repair-domain``: let a language model add what a domain lacks, and write a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import (
    EndpointOption,
    LanguageModelOption,
    SceneOption,
    make_generator,
)
from fcp_ros.cli.terminal import escape_text, explain_errors, fail, open_console
from fcp_ros.cset import Instance
from fcp_ros.domain.yaml.domain_files import parse_domain, read_text
from fcp_ros.grounding.options import Device, Precision
from fcp_ros.language.domain_repair import MOST_ROUNDS, DomainProposal, RepairOptions, repair_domain
from fcp_ros.package_files import find_domain, find_scene

app = typer.Typer(add_completion=False)

DEFAULTS = RepairOptions()


NeedArgument = Annotated[
    str, typer.Argument(help='What the robot shall be able to do: "take clothes out of ..."')
]
BaseOption = Annotated[
    str, typer.Option("--domain", "-d", help="Domain to be amended; without it a new one is begun.")
]
DeviceOption = Annotated[Device, typer.Option(help="Device of --model.")]
PrecisionOption = Annotated[Precision, typer.Option(help="Numbers of --model.")]
RoundsOption = Annotated[
    int, typer.Option(min=1, max=MOST_ROUNDS, help="Answers that the model may give.")
]
TimeLimitOption = Annotated[float, typer.Option(min=1.0, help="Seconds for all of it.")]
AnySectionOption = Annotated[
    bool,
    typer.Option(
        "--any-section", help="Let it also add types, relations and labels, not only rules."
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write; standard output without.")
]


@app.command()
def repair(
    need: NeedArgument,
    domain: BaseOption = "",
    scene: SceneOption = "",
    model: LanguageModelOption = "",
    endpoint: EndpointOption = "",
    device: DeviceOption = Device.AUTO,
    precision: PrecisionOption = Precision.AUTO,
    rounds: RoundsOption = DEFAULTS.rounds,
    time_limit: TimeLimitOption = DEFAULTS.seconds,
    any_section: AnySectionOption = False,
    output: OutputOption = None,
) -> None:
    """Let a language model add what a domain lacks, and write a new file for you to read.

    The addition is validated as any domain, and the model is told its faults. Plans in the new
    domain are verified as all plans are; that the new rules describe the world is not.
    """
    # Standard output is for the domain where no file is given.
    console = open_console(stderr=output is None)
    with explain_errors():
        if not need.strip():
            fail("say what the robot shall be able to do")
        if output is not None and output.exists():
            fail(f"{output} exists: give a new file")
        if scene and not domain:
            fail("--scene shows the model things in the words of a domain: give --domain, too")
        base = read_text(find_domain(domain)) if domain else ""
        options = RepairOptions(
            rounds=rounds, seconds=time_limit, rules_only=bool(base) and not any_section
        )
        proposal = repair_domain(
            base,
            need,
            make_generator(model, endpoint, time_limit, device=device, precision=precision),
            options,
            instance=_read_instance(base, scene) if scene else None,
        )
        _print_attempts(console, proposal)
        if proposal.domain is None:
            raise typer.Exit(FAILED)
        if output is None:
            typer.echo(proposal.text, nl=False)
        else:
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(proposal.text, encoding="utf-8")
            console.print(f"written to {escape_text(str(output))}", soft_wrap=True)


def _read_instance(base: str, scene: str) -> Instance:
    domain = parse_domain(base)
    graph = load_scene_for(find_scene(scene), domain.schema, domain.mapping)
    return scene_to_instance(graph, domain.schema, domain.mapping).instance


def _print_attempts(console: Console, proposal: DomainProposal) -> None:
    for number, attempt in enumerate(proposal.attempts, start=1):
        verdict = "[red]refused[/]" if attempt.faults else "[green]valid[/]"
        console.print(f"attempt {number}: {verdict}")
        for line in (attempt.text if not attempt.faults else "").splitlines():
            console.print(f"    {escape_text(line)}", soft_wrap=True)
        for fault in attempt.faults:
            console.print(f"    {escape_text(str(fault))}", soft_wrap=True)
    console.print(escape_text(proposal.message), soft_wrap=True)
