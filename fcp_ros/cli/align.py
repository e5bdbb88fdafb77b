# SPDX-License-Identifier: Apache-2.0
"""``fcp align``: find out which names of two domains, or of a scene, mean the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from fcp_ros.alignment.answer import (
    AlignmentOptions,
    AlignmentResult,
    AlignmentStatus,
    SynonymEvidence,
    write_action,
)
from fcp_ros.alignment.comparison import Comparison, compare_vocabularies, read_task
from fcp_ros.alignment.merging import merge_texts
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignmentOptions
from fcp_ros.alignment.pairing import (
    AlignmentTask,
    OtherWorld,
    open_domain,
    open_problem,
    unmark_names,
)
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.synonyms import NameMapping
from fcp_ros.cli.align_outcome import EXIT_CODES, print_outcome
from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.cli.options import DEFAULT_DOMAIN, JsonOption
from fcp_ros.cli.plan.interruption import Interruption, open_interruption
from fcp_ros.cli.plan.request import is_pddl
from fcp_ros.cli.session import open_session
from fcp_ros.cli.terminal import check_outputs, escape_text, explain_errors, fail, open_console, say
from fcp_ros.domain.pddl.syntax_writer import write_domain, write_problem
from fcp_ros.domain.pddl.task_reader import Check
from fcp_ros.planning.model.watch import RequestStart
from fcp_ros.planning.warm_up import compile_missing_kernels

OwnArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Your PDDL domain: its words state the goal. Or a scene: see --domain."
    ),
]
OtherArgument = Annotated[
    str,
    typer.Argument(
        help="The domain that plans are tried in: a PDDL file, or a YAML domain. Of a scene: "
        "another scene of the same place, if there is one."
    ),
]
ProblemOption = Annotated[
    Path | None, typer.Option("--problem", "-p", help="PDDL problem of your domain, with the goal.")
]
WordsOption = Annotated[
    str, typer.Option("--domain", "-d", help="For a scene: the domain that its names are read in.")
]
WorldOption = Annotated[
    str,
    typer.Option(
        "--world",
        "-w",
        help="PDDL problem of the other domain (without it, --problem), or scene of a YAML "
        "domain. Of a scene: the scene as it is, with the same ids, in the domain's words.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write mapping and evidence here (JSON); for a scene its overrides (YAML).",
    ),
]
MergedOption = Annotated[
    Path | None,
    typer.Option(
        "--merged", help="Folder for domain.pddl and problem.pddl with one name for each thing."
    ),
]
SameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--same",
        help="Names that may be one, with different numbers of arguments: "
        "'(on-table ?b) = (on ?b table)', your domain's left. Can be given several times.",
    ),
]
LimitOption = Annotated[
    float, typer.Option("--time-limit", "-t", min=0.01, help="Seconds for everything.")
]
TrialsOption = Annotated[
    int, typer.Option("--trials", min=1, help="Plans to try before giving up.")
]
SettleOption = Annotated[
    int,
    typer.Option(
        "--settle",
        min=0,
        help="Plans to try after a success, to tell names from others that fit as well.",
    ),
]
CandidatesOption = Annotated[
    int, typer.Option("--candidates", min=1, help="Pairs of names to consider.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Decides between equally good plans.")]


app = typer.Typer(add_completion=False)


@app.command("align")
def run_align(
    domain: OwnArgument,
    other: OtherArgument = "",
    problem: ProblemOption = None,
    words: WordsOption = DEFAULT_DOMAIN,
    world: WorldOption = "",
    out: OutOption = None,
    merged: MergedOption = None,
    same: SameOption = None,
    time_limit: LimitOption = 60.0,
    trials: TrialsOption = 200,
    settle: SettleOption = 3,
    candidates: CandidatesOption = 100_000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Find out which names mean the same, of two domains or of a scene and a domain."""
    if not is_pddl(str(domain)):
        # Formats of scenes are slow to import; PDDL needs none of them.
        from fcp_ros.cli.align_scene import SceneToAlign, align_scene_file

        if merged is not None or problem is not None:
            fail("--merged and --problem are for PDDL domains; a scene has --domain", BAD_INPUT)
        limits = SceneAlignmentOptions(time_limit, trials, seed)
        align_scene_file(SceneToAlign(str(domain), other, words, world, out, limits), as_json)
    files = _choose_files(domain, problem, other, world)
    options = AlignmentOptions(
        time_limit=time_limit,
        most_trials=trials,
        most_candidates=candidates,
        settling=settle,
        seed=seed,
    )
    _align_files(files, same or (), options, _Targets(out, merged), as_json)


def _choose_files(domain: Path, problem: Path | None, other: str, world: str) -> _Files:
    """Return the files of a request about two domains; exit if one is missing."""
    if not other or problem is None:
        fail("two domains need the second file and --problem, which has the goal", BAD_INPUT)
    if not is_pddl(other) and not world:
        fail(f"{other} is a YAML domain: give its scene with --world", BAD_INPUT)
    return _Files(domain, problem, other, world or str(problem))


def _align_files(
    files: _Files, same: Sequence[str], options: AlignmentOptions, targets: _Targets, as_json: bool
) -> NoReturn:
    targets.check(files.paths)
    compile_missing_kernels(say)
    start = RequestStart.now()
    with open_interruption() as interruption, explain_errors():
        found = _align(files, same, options, start, interruption)
        text = json.dumps(found.to_plain(), indent=1)
        targets.write(found, text)
    if as_json:
        typer.echo(text)
    else:
        _print_result(open_console(), found)
    raise typer.Exit(EXIT_CODES[found.result.status])


@dataclass(frozen=True)
class _Files:
    """The files of a request."""

    domain: Path
    problem: Path
    other: str
    world: str

    @property
    def paths(self) -> tuple[Path, ...]:
        """All of them."""
        return self.domain, self.problem, Path(self.other), Path(self.world)


@dataclass(frozen=True)
class _Targets:
    """The places that an answer is written to."""

    out: Path | None  # a JSON file; None to write none
    merged: Path | None  # a folder for the merged model; None to write none

    def check(self, read: Sequence[Path]) -> None:
        """Exit if a file that is read would be overwritten."""
        targets = [] if self.out is None else [self.out]
        if self.merged is not None:
            targets += [self.merged / "domain.pddl", self.merged / "problem.pddl"]
        check_outputs(targets, read)

    def write(self, found: Comparison, text: str) -> None:
        """Write an answer, and the merged model if there is one."""
        if self.out is not None:
            self.out.write_text(f"{text}\n", encoding="utf-8")
        if self.merged is not None and found.task is not None and found.result.status.is_success:
            _write_merged(found.task, found.result, self.merged)


def _align(
    files: _Files,
    same: Sequence[str],
    options: AlignmentOptions,
    start: RequestStart,
    interruption: Interruption,
) -> Comparison:
    """Read both domains and align them, within the limits from the first byte on."""
    from fcp_ros.grounding.models.sentence_encoder import EmbeddingLabelSimilarity

    return compare_vocabularies(
        lambda check: read_task(files.domain, files.problem, check),
        lambda check: _open_other(files, check),
        options,
        NameLikeness(EmbeddingLabelSimilarity()),
        same,
        cancelled=interruption.is_cancelled,
        start=start,
        guard=interruption.guard,
    )


def _open_other(files: _Files, check: Check) -> OtherWorld:
    """Open the world that plans are tried in: a PDDL problem, or a domain with a scene."""
    if is_pddl(files.other):
        return open_problem(read_task(Path(files.other), Path(files.world), check), check)
    session = open_session(files.other, files.world)
    return open_domain(session.domain, session.state.instance, check)


def _write_merged(task: AlignmentTask, result: AlignmentResult, folder: Path) -> None:
    """Write the model in which synonyms are one predicate."""
    synonyms = frozenset(one.proposal.synonym for one in result.mapping)
    ranks = {name: at for at, name in enumerate(_list_kept(result))}
    mapping = NameMapping(synonyms, lambda name: ranks.get(name, len(ranks)))
    texts = unmark_names(merge_texts(task.model, mapping))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domain.pddl").write_text(
        write_domain(texts.domain, texts.problem.spelling), encoding="utf-8"
    )
    (folder / "problem.pddl").write_text(
        write_problem(replace(texts.problem, domain=texts.domain.name), texts.domain.constants),
        encoding="utf-8",
    )


def _list_kept(result: AlignmentResult) -> list[str]:
    return sorted({image.name for image in result.names.values()})


# --- output


def _print_result(console: Console, found: Comparison) -> None:
    result = found.result
    print_outcome(console, result)
    _print_evidence(console, "one name each", result.mapping)
    _print_evidence(console, "also tried" if result.trials else "closest pairs", result.others)
    if result.status is AlignmentStatus.NO_PLAN and not result.candidates:
        console.print("  no two names have equally many arguments of types that fit")
    if found.goal:
        console.print(f"goal in the words of {escape_text(found.other)}:")
        console.print(f"  {escape_text(found.goal)}", soft_wrap=True)
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
    reasons += one.reasons
    if proposal.agreement is not None:
        reasons.append(f"{proposal.agreement:.0%} of the initial facts agree")
    if proposal.likeness is not None:
        reasons.append(f"likeness of the names {proposal.likeness:.2f}")
    return reasons + [f"would fit as well: {rival}" for rival in one.rivals[:3]]
