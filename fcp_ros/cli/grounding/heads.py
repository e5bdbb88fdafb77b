# SPDX-License-Identifier: Apache-2.0
"""``fcp grounding``: train and measure the heads of the embedding oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from fcp_ros.cli.terminal import explain_errors, fail, open_console
from fcp_ros.grounding.heads.head_file import save_heads
from fcp_ros.grounding.heads.training import HeadComparison, train_heads
from fcp_ros.grounding.judged.judged_pairs import collect_pairs, save_pairs
from fcp_ros.grounding.judged.judgement_set import hash_judgements, read_judgements
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.package_files import config_folder

app = typer.Typer(add_completion=False, no_args_is_help=True)

JudgementsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--judgements",
        "-j",
        help="Folder with CSV files of your own judgements; they are added to the package's and "
        "overrule them. May be given several times.",
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        help="The sentence-transformers model to train on: a name of `fcp models list`, or a "
        "folder; empty takes the packaged one."
    ),
]


@app.callback()
def grounding() -> None:
    """Train and measure the heads of the embedding oracle."""


@app.command()
def train(
    judgements: JudgementsOption = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="safetensors file to write.")] = Path(
        "heads.safetensors"
    ),
    model: ModelOption = "",
    own_only: Annotated[
        bool,
        typer.Option("--own-only", help="Leave the package's judgements out; needs --judgements."),
    ] = False,
) -> None:
    """Train a head for each set of judgements, and measure it on the judgements held out."""
    console = open_console()
    if own_only and not judgements:
        fail("--own-only leaves nothing to train on: give your own folder with --judgements")
    with explain_errors():
        packaged = [] if own_only else [config_folder() / "judgements"]
        sets = read_judgements([*packaged, *(judgements or [])])
        encoder = SentenceEncoder(Path(model) if model else None)
        with _open_progress(console) as progress:
            task = progress.add_task("reading")
            heads, comparisons = train_heads(
                sets,
                encoder,
                report=lambda what, done, steps: progress.update(
                    task, description=what, completed=done, total=steps
                ),
            )
        own = {name: collect_pairs(kind) for name, kind in sets.items()} if judgements else {}
        save_heads(heads, out, own)
    console.print(_build_table(comparisons))
    console.print(
        f"wrote {out}: set the grounder's parameter heads (or GroundingOptions.heads) to use it",
        soft_wrap=True,
    )


@app.command()
def collect(
    out: Annotated[Path, typer.Option("--out", "-o", help="safetensors file to write.")],
) -> None:
    """Collect the package's judged pairs, which are looked up before any model is asked."""
    with explain_errors():
        sets = read_judgements([config_folder() / "judgements"])
        pairs = {name: collect_pairs(kind) for name, kind in sets.items()}
        save_pairs(pairs, hash_judgements(sets), out)


def _open_progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console
    )


def _build_table(comparisons: dict[str, HeadComparison]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("set", "held out", "by", "mean error", "rank correlation", "AUC"):
        table.add_column(column)
    for name, comparison in comparisons.items():
        for by, figures in (("head", comparison.head), ("raw cosine", comparison.cosine)):
            table.add_row(
                name,
                str(figures.count),
                by,
                f"{figures.mean_error:.3f}",
                f"{figures.rank:.2f}",
                f"{figures.area:.3f}",
            )
    return table
