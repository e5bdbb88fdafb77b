# SPDX-License-Identifier: Apache-2.0
"""``fcp align``: find out which names of two PDDL domains mean the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus, SynonymEvidence, write_action
from fcp_ros.alignment.candidates.pairing import (
    AlignmentTask,
    open_world,
    pair_domains,
    unmark_names,
)
from fcp_ros.alignment.engine import align
from fcp_ros.alignment.names.likeness import NameLikeness
from fcp_ros.alignment.names.migration import merge_vocabularies
from fcp_ros.alignment.names.synonyms import NameMapping
from fcp_ros.alignment.search.options import AlignmentOptions
from fcp_ros.cli.exit_codes import BAD_INPUT, DONE, FAILED, to_exit_code
from fcp_ros.cli.options import JsonOption
from fcp_ros.cli.plan.interruption import Interruption, open_interruption
from fcp_ros.cli.terminal import escape_text, explain_errors, fail, open_console, say
from fcp_ros.domain.pddl.reader import Check, PddlTexts, read_texts
from fcp_ros.domain.pddl.syntax.source import read_source
from fcp_ros.domain.pddl.syntax.writer import write_domain, write_problem
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.warm_up import compile_missing_kernels

app = typer.Typer(add_completion=False)

_EXIT_CODES = {
    AlignmentStatus.ALIGNED: DONE,
    AlignmentStatus.NOTHING_TO_ALIGN: DONE,
    AlignmentStatus.NO_PLAN: to_exit_code(PlanStatus.UNSOLVABLE_PROVEN),
    AlignmentStatus.UNEXPLAINED: FAILED,
    AlignmentStatus.UNRELIABLE_SIMULATOR: FAILED,
    AlignmentStatus.GAVE_UP: to_exit_code(PlanStatus.UNSOLVABLE_INCOMPLETELY),
    AlignmentStatus.TIMEOUT: to_exit_code(PlanStatus.TIMEOUT),
    AlignmentStatus.CANCELLED: to_exit_code(PlanStatus.CANCELLED),
}


@app.command("align")
def run_align(
    domain: Annotated[Path, typer.Argument(help="Your PDDL domain: its words state the goal.")],
    other: Annotated[Path, typer.Argument(help="The PDDL domain that plans are tried in.")],
    problem: Annotated[
        Path, typer.Option("--problem", "-p", help="PDDL problem of your domain, with the goal.")
    ],
    world: Annotated[
        Path | None,
        typer.Option(
            "--world", "-w", help="PDDL problem of the other domain; without it, --problem."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write mapping and evidence here (JSON).")
    ] = None,
    merged: Annotated[
        Path | None,
        typer.Option(
            "--merged", help="Folder for domain.pddl and problem.pddl with one name for each thing."
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", "-t", min=0.01, help="Seconds for everything.")
    ] = 60.0,
    trials: Annotated[
        int, typer.Option("--trials", min=1, help="Plans to try before giving up.")
    ] = 200,
    settle: Annotated[
        int,
        typer.Option(
            "--settle",
            min=0,
            help="Plans to try after a success, to tell names from others that fit as well.",
        ),
    ] = 3,
    candidates: Annotated[
        int, typer.Option("--candidates", min=1, help="Pairs of names to consider.")
    ] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="Decides between equally good plans.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Find out which names of two PDDL domains mean the same, by trying plans."""
    files = (domain, other, problem, world or problem)
    _check_targets(out, merged, files)
    compile_missing_kernels(say)
    start = RequestStart.now()
    options = AlignmentOptions(
        time_limit=time_limit,
        most_trials=trials,
        most_candidates=candidates,
        settling=settle,
        seed=seed,
    )
    with open_interruption() as interruption, explain_errors():
        task, result = _align(files, options, start, interruption)
        if out is not None:
            out.write_text(json.dumps(result.to_plain(), indent=1) + "\n", encoding="utf-8")
        if merged is not None and task is not None and result.status.is_success:
            _write_merged(task, result, merged)
    if as_json:
        typer.echo(json.dumps(result.to_plain(), indent=1))
    else:
        _print_result(open_console(), result)
    raise typer.Exit(_EXIT_CODES[result.status])


def _check_targets(out: Path | None, merged: Path | None, read: Sequence[Path]) -> None:
    targets = [] if out is None else [out]
    targets += [] if merged is None else [merged / "domain.pddl", merged / "problem.pddl"]
    both = {path.resolve() for path in targets} & {path.resolve() for path in read}
    if both:
        fail(f"{min(both)} would be overwritten, but it is read: give another place", BAD_INPUT)


def _align(
    files: Sequence[Path],
    options: AlignmentOptions,
    start: RequestStart,
    interruption: Interruption,
) -> tuple[AlignmentTask | None, AlignmentResult]:
    """Read both domains and align them, within the limits from the first byte on."""
    from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity

    watch = Watch(
        PlanningOptions(time_limit=options.time_limit), interruption.is_cancelled, start=start
    )
    domain, other, problem, world = files
    try:
        with interruption.guard(watch.check):
            own_texts = _read(domain, problem, watch.check)
            other_texts = _read(other, world, watch.check)
            task = pair_domains(own_texts, other_texts)
            simulator = open_world(other_texts, watch.check)
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        return None, AlignmentResult(status, reason.sentence)
    likeness = NameLikeness(EmbeddingLabelSimilarity())
    cancelled = interruption.is_cancelled
    return task, align(task, simulator, options, likeness, cancelled=cancelled, start=start)


def _read(domain: Path, problem: Path, check: Check) -> PddlTexts:
    return read_texts(read_source(domain), read_source(problem), check=check)


def _write_merged(task: AlignmentTask, result: AlignmentResult, folder: Path) -> None:
    """Write the model in which synonyms are one predicate."""
    synonyms = frozenset(one.proposal.synonym for one in result.mapping)
    ranks = {name: at for at, name in enumerate(_list_kept(result))}
    mapping = NameMapping(synonyms, lambda name: ranks.get(name, len(ranks)))
    texts = unmark_names(merge_vocabularies(task.model, mapping))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domain.pddl").write_text(
        write_domain(texts.domain, texts.problem.spelling), encoding="utf-8"
    )
    (folder / "problem.pddl").write_text(
        write_problem(replace(texts.problem, domain=texts.domain.name), texts.domain.constants),
        encoding="utf-8",
    )


def _list_kept(result: AlignmentResult) -> list[str]:
    return sorted({image for image, _ in result.names.values()})


# --- output


def _print_result(console: Console, result: AlignmentResult) -> None:
    colour = "green" if result.status.is_success else "red"
    console.print(
        f"[{colour}]{result.status.value}[/] {escape_text(result.message)} "
        f"({result.seconds:.2f} s)",
        soft_wrap=True,
    )
    for note in result.notes:
        console.print(f"  note: {escape_text(note)}", soft_wrap=True)
    _print_evidence(console, "one name each", result.mapping)
    _print_evidence(console, "also tried" if result.trials else "closest pairs", result.others)
    if result.status is AlignmentStatus.NO_PLAN and not result.candidates:
        console.print("  no two names have equally many arguments of types that fit")
    if result.plan:
        console.print("plan that succeeded:")
        for action in result.plan:
            console.print(f"  {escape_text(write_action(action))}", soft_wrap=True)


def _print_evidence(console: Console, title: str, known: Sequence[SynonymEvidence]) -> None:
    """Print synonyms in short lines, which neither a narrow terminal nor a pipe cuts."""
    if known:
        console.print(f"{title}:")
    for one in known:
        standing = f"{one.standing.value}, confidence {one.confidence:.2f}"
        console.print(
            f"  {escape_text(str(one.proposal.synonym))}  [bold]{standing}[/]", soft_wrap=True
        )
        for reason in _list_reasons(one):
            console.print(f"    {escape_text(reason)}", soft_wrap=True)


def _list_reasons(one: SynonymEvidence) -> list[str]:
    proposal = one.proposal
    reasons = []
    if one.succeeded or one.failed:
        plans = "plan" if one.succeeded == 1 else "plans"
        reasons.append(f"{one.succeeded} {plans} succeeded, {one.failed} failed")
    reasons += proposal.reasons
    if proposal.agreement is not None:
        reasons.append(f"{proposal.agreement:.0%} of the initial facts agree")
    if proposal.likeness is not None:
        reasons.append(f"likeness of the names {proposal.likeness:.2f}")
    return reasons + [f"would fit as well: {rival}" for rival in one.rivals[:3]]
