# SPDX-License-Identifier: Apache-2.0
"""``fcp align``: names of two domains, or of a scene and a domain, that mean the same."""

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
    write_action,
)
from fcp_ros.alignment.comparison import Comparison, compare_vocabularies, read_task
from fcp_ros.alignment.merging import merge_texts
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim
from fcp_ros.alignment.ontology.scene_alignment import (
    SceneAlignment,
    SceneAlignmentOptions,
    align_scene,
)
from fcp_ros.alignment.pairing import (
    AlignmentTask,
    OtherWorld,
    open_domain,
    open_problem,
    unmark_names,
)
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.simulator import DomainSimulator, Simulator
from fcp_ros.alignment.synonyms import NameMapping, SynonymEvidence
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cli.exit_codes import BAD_INPUT, DONE, FAILED, to_exit_code
from fcp_ros.cli.options import DEFAULT_DOMAIN, JsonOption
from fcp_ros.cli.plan.interruption import Interruption, open_interruption
from fcp_ros.cli.plan.request import is_pddl
from fcp_ros.cli.session import open_session
from fcp_ros.cli.terminal import check_outputs, escape_text, explain_errors, fail, open_console, say
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.pddl.syntax_writer import write_domain, write_problem
from fcp_ros.domain.yaml.overrides import write_overrides
from fcp_ros.foundation.stopping import Check
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.scene import SceneGraph, read_scene

EXIT_CODES = {
    AlignmentStatus.ALIGNED: DONE,
    AlignmentStatus.NOTHING_TO_ALIGN: DONE,
    AlignmentStatus.NO_PLAN: to_exit_code(PlanStatus.UNSOLVABLE_PROVEN),
    AlignmentStatus.NOTHING_IN_COMMON: to_exit_code(PlanStatus.UNSOLVABLE_PROVEN),
    AlignmentStatus.UNEXPLAINED: FAILED,
    AlignmentStatus.UNRELIABLE_SIMULATOR: FAILED,
    AlignmentStatus.GAVE_UP: to_exit_code(PlanStatus.UNSOLVABLE_INCOMPLETELY),
    AlignmentStatus.TIMEOUT: to_exit_code(PlanStatus.TIMEOUT),
    AlignmentStatus.CANCELLED: to_exit_code(PlanStatus.CANCELLED),
}


def print_outcome(console: Console, result: AlignmentResult | SceneAlignment) -> None:
    colour = "green" if result.status.is_success else "red"
    console.print(
        f"[{colour}]{result.status.value}[/] {escape_text(result.message)} "
        f"({result.seconds:.2f} s)",
        soft_wrap=True,
    )
    for note in result.notes:
        console.print(f"  note: {escape_text(note)}", soft_wrap=True)


OwnArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Your PDDL domain: its words state the goal. Or a scene: see --domain."
    ),
]
OtherArgument = Annotated[
    str,
    typer.Argument(
        help="The domain that plans are tried in: a PDDL file, or a YAML domain; none for a scene."
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
        if other or merged is not None or problem is not None:
            what = "a second file, --merged and --problem"
            fail(f"{what} are for PDDL domains; a scene has --domain", BAD_INPUT)
        limits = SceneAlignmentOptions(time_limit, trials, seed)
        align_scene_file(SceneToAlign(str(domain), words, world, out, limits), as_json)
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
        return self.domain, self.problem, Path(self.other), Path(self.world)


@dataclass(frozen=True)
class _Targets:
    """The places that an answer is written to."""

    out: Path | None  # a JSON file; None to write none
    merged: Path | None  # a folder for the merged model; None to write none

    def check(self, read: Sequence[Path]) -> None:
        targets = [] if self.out is None else [self.out]
        if self.merged is not None:
            targets += [self.merged / "domain.pddl", self.merged / "problem.pddl"]
        check_outputs(targets, read)

    def write(self, found: Comparison, text: str) -> None:
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
    from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity

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
    domain: str  # name or path of the domain
    # a scene in the domain's words with the same ids, in which plans are tried; "" to try nothing
    world: str
    out: Path | None  # where overrides are written; None to write none
    options: SceneAlignmentOptions

    @property
    def inputs(self) -> list[Path]:
        """The scene and the world, if there is one, found by name or path."""
        return [find_scene(name) for name in (self.scene, self.world) if name]


def align_scene_file(asked: SceneToAlign, as_json: bool) -> NoReturn:
    """Align a scene with a domain, print the answer, write the overrides, and exit."""
    with explain_errors():
        inputs = asked.inputs
    check_outputs((asked.out,), inputs)
    if asked.world:
        compile_missing_kernels(say)
    with open_interruption() as interruption, explain_errors():
        result = _align_scene(asked, interruption)
        written = result.names if result.status.is_success else None
        if asked.out is not None and written:
            about = f"the names of {inputs[0].name} in the words of {asked.domain}, by fcp align"
            asked.out.write_text(write_overrides(written, about), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(result.to_plain(), indent=1))
    else:
        _print_answer(open_console(), result, asked.out if written else None)
    raise typer.Exit(EXIT_CODES[result.status])


def _align_scene(asked: SceneToAlign, interruption: Interruption) -> SceneAlignment:
    """Read the files and align them, within the limits from the first byte on."""
    from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity

    start = RequestStart.now()
    limits = PlanningOptions(time_limit=asked.options.time_limit)
    watch = Watch(limits, interruption.is_cancelled, start=start)
    try:
        with interruption.guard(watch.check):
            domain = load_domain(find_domain(asked.domain))
            graph = read_scene(find_scene(asked.scene))
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
        for reason in _list_scene_reasons(claim):
            console.print(f"    {escape_text(reason)}", soft_wrap=True)


def _describe(claim: NameClaim) -> str:
    if claim.meaning is None:
        return f"{claim.kind.value} {claim.name}"
    if claim.standing is ClaimStanding.REFUTED:
        return f"{claim.kind.value} {claim}"
    return f"{claim.kind.value} {claim}  probability {claim.probability:.2f}"


def _list_scene_reasons(claim: NameClaim) -> list[str]:
    reasons = list(claim.reasons)
    if claim.succeeded or claim.failed:
        plans = "plan" if claim.succeeded == 1 else "plans"
        reasons.insert(0, f"it held in {claim.succeeded} {plans}, {claim.failed} failed with it")
    title = "closest" if claim.meaning is None else "or else"
    likely = [f"{meaning} ({share:.2f})" for meaning, share in claim.rivals]
    return [*reasons, *([f"{title}: {', '.join(likely)}"] if likely else [])]
