# SPDX-License-Identifier: Apache-2.0
"""``fcp align SCENE``: find out what the names of a scene mean in a domain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from fcp_ros.alignment.answer import AlignmentStatus
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim
from fcp_ros.alignment.ontology.scene_alignment import (
    SceneAlignment,
    SceneAlignmentOptions,
    align_scene,
)
from fcp_ros.alignment.simulator import DomainSimulator, Simulator
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cli.align_outcome import EXIT_CODES, print_outcome
from fcp_ros.cli.plan.interruption import Interruption, open_interruption
from fcp_ros.cli.terminal import check_outputs, escape_text, explain_errors, fail, open_console, say
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.yaml.overrides import write_overrides
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.scene import SceneGraph, read_scene

_TITLES = {
    ClaimStanding.KEPT: ("tried, and kept", "green"),
    ClaimStanding.PROPOSED: ("likely, not tried", "green"),
    ClaimStanding.DOUBTFUL: ("doubtful, not written", "yellow"),
    ClaimStanding.REFUTED: ("refuted", "red"),
    ClaimStanding.UNKNOWN: ("mean nothing in the domain", "yellow"),
}


@dataclass(frozen=True)
class SceneToAlign:
    """The files and limits of a request."""

    scene: str  # name or path of the scene
    other: str  # another scene of the same place; "" if there is none
    domain: str  # name or path of the domain
    # a scene in the domain's words with the same ids, in which plans are tried; "" to try nothing
    world: str
    out: Path | None  # where overrides are written; None to write none
    options: SceneAlignmentOptions

    @property
    def inputs(self) -> list[Path]:
        """The scenes, found by name or path: the one, the other, the world as far as given."""
        return [find_scene(name) for name in (self.scene, self.other, self.world) if name]


def align_scene_file(asked: SceneToAlign, as_json: bool) -> NoReturn:
    """Align a scene with a domain, print the answer, write the overrides, and exit."""
    with explain_errors():
        inputs = asked.inputs
    check_outputs((asked.out,), inputs)
    if asked.world:
        compile_missing_kernels(say)
    with open_interruption() as interruption, explain_errors():
        result = _align(asked, interruption)
        written = result.names if result.status.is_success else None
        if asked.out is not None and written:
            about = f"the names of {inputs[0].name} in the words of {asked.domain}, by fcp align"
            asked.out.write_text(write_overrides(written, about), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(result.to_plain(), indent=1))
    else:
        _print_answer(open_console(), result, asked.out if written else None)
    raise typer.Exit(EXIT_CODES[result.status])


def _align(asked: SceneToAlign, interruption: Interruption) -> SceneAlignment:
    """Read the files and align them, within the limits from the first byte on."""
    from fcp_ros.grounding.models.sentence_encoder import EmbeddingLabelSimilarity

    start = RequestStart.now()
    limits = PlanningOptions(time_limit=asked.options.time_limit)
    watch = Watch(limits, interruption.is_cancelled, start=start)
    try:
        with interruption.guard(watch.check):
            domain = load_domain(find_domain(asked.domain))
            graph = read_scene(find_scene(asked.scene))
            other = read_scene(find_scene(asked.other)) if asked.other else None
            world = find_scene(asked.world) if asked.world else None
            simulator = None if world is None else _open_world(world, domain, graph)
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        return SceneAlignment(status, reason.sentence)
    return align_scene(
        graph,
        domain,
        simulator,
        EmbeddingLabelSimilarity(),
        asked.options,
        other=other,
        cancelled=interruption.is_cancelled,
        start=start,
    )


def _open_world(world: Path, domain: Domain, graph: SceneGraph) -> Simulator:
    true = load_scene_for(world, domain.schema, domain.mapping)
    if true.nodes.keys().isdisjoint(graph.nodes):
        fail(f"{world.name} has none of the ids of the scene: plans can't be tried in it")
    return DomainSimulator(domain, scene_to_instance(true, domain.schema, domain.mapping).instance)


# --- output


def _print_answer(console: Console, result: SceneAlignment, out: Path | None) -> None:
    print_outcome(console, result)
    for standing, (title, style) in _TITLES.items():
        _print_claims(console, title, style, result.list_standing(standing))
    if out is not None:
        console.print(f"wrote {escape_text(str(out))}", soft_wrap=True)


def _print_claims(console: Console, title: str, style: str, claims: Sequence[NameClaim]) -> None:
    if not claims:
        return
    console.print(f"[{style}]{title}:[/]")
    for claim in claims:
        console.print(f"  {escape_text(_describe(claim))}", soft_wrap=True)
        for reason in _list_reasons(claim):
            console.print(f"    {escape_text(reason)}", soft_wrap=True)


def _describe(claim: NameClaim) -> str:
    if claim.meaning is None:
        return f"{claim.kind.value} {claim.name}"
    if claim.standing is ClaimStanding.REFUTED:
        return f"{claim.kind.value} {claim}"
    return f"{claim.kind.value} {claim}  probability {claim.probability:.2f}"


def _list_reasons(claim: NameClaim) -> list[str]:
    reasons = list(claim.reasons)
    if claim.succeeded or claim.failed:
        plans = "plan" if claim.succeeded == 1 else "plans"
        reasons.insert(0, f"it held in {claim.succeeded} {plans}, {claim.failed} failed with it")
    title = "closest" if claim.meaning is None else "or else"
    likely = [f"{meaning} ({share:.2f})" for meaning, share in claim.rivals]
    return [*reasons, *([f"{title}: {', '.join(likely)}"] if likely else [])]
