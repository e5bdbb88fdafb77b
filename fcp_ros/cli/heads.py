# SPDX-License-Identifier: Apache-2.0
"""``fcp grounding``: train and measure heads on the vectors or hidden states of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from fcp_ros.cli.options import WeightsOption
from fcp_ros.cli.terminal import explain_errors, fail, make_table, open_console, show_steps
from fcp_ros.grounding.heads.feature_maker import locate_features
from fcp_ros.grounding.heads.head_training import HeadComparison, TrainingRequest
from fcp_ros.grounding.heads.head_training import train as train_model
from fcp_ros.grounding.heads.pair_features import make_encoder
from fcp_ros.grounding.heads.state_features import read_wordings
from fcp_ros.grounding.judged_pairs import collect_pairs, save_pairs
from fcp_ros.grounding.judgement_set import hash_judgements, read_judgements
from fcp_ros.grounding.models.bert_encoder import can_encode
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
        help="The model to train on, a sentence model or a causal language model: a name of `fcp "
        "models list`, or a folder; empty takes mpnet where it was fetched, else minilm."
    ),
]


@app.callback()
def grounding() -> None:
    """Train and measure heads on the vectors or hidden states of a model."""


@app.command()
def train(
    judgements: JudgementsOption = None,
    out: WeightsOption = Path("heads.safetensors"),
    model: ModelOption = "",
    layers: Annotated[
        str, typer.Option(help="Layers of a causal model, such as 16,20; empty: at 4/7 and 5/7.")
    ] = "",
    own_only: Annotated[
        bool,
        typer.Option("--own-only", help="Leave the package's judgements out; needs --judgements."),
    ] = False,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Tune the sentence model itself, to read both sides of a pair together; some 20 "
            "minutes of one core for minilm, 70 for mpnet.",
        ),
    ] = False,
    heads: Annotated[
        list[Path] | None,
        typer.Option(
            help="With --tune: heads that the tuned model will help; the packaged ones of the "
            "model without it. May be given several times."
        ),
    ] = None,
) -> None:
    """Train a head for each set of judgements, and measure it on the judgements held out.

    What the model computes is kept on disk: a training that was stopped goes on where it was.
    """
    console = open_console()
    if own_only and not judgements:
        fail("--own-only leaves nothing to train on: give your own folder with --judgements")
    folders = [*([] if own_only else [config_folder() / "judgements"]), *(judgements or [])]
    if tune:
        _tune(console, model, folders, own_only, heads or [], out)
        return
    with explain_errors():
        sets = read_judgements(folders)
        request = TrainingRequest(
            model,
            sets,
            read_wordings(folders, sets),
            out,
            {name: collect_pairs(kind) for name, kind in sets.items()} if judgements else {},
            _read_layers(layers),
        )
        with show_steps() as report:
            comparisons = train_model(request, report)
    console.print(_build_table(comparisons))
    console.print(
        f"wrote {out}: set the grounder's parameter heads (or GroundingOptions.heads) to use it",
        soft_wrap=True,
    )


def _tune(
    console: Console, model: str, folders: list[Path], own_only: bool, heads: list[Path], out: Path
) -> None:
    # torch takes seconds to import.
    from fcp_ros.grounding.tuning.tuned_training import TuningRequest, find_heads, tune

    with explain_errors():
        sets = read_judgements(folders)
        encoder = make_encoder(model)
        if not isinstance(encoder, SentenceEncoder) or not can_encode(encoder.folder):
            fail(f"only sentence models such as minilm and mpnet can be tuned, not {model!r}")
        found = find_heads(heads, encoder)
        context = config_folder() / "judgements" / "context"
        extra = None if own_only else read_judgements([context])
        request = TuningRequest(encoder.folder, sets, found, out, locate_features(), extra)
        with show_steps() as report:
            figures = tune(request, report)
    table = make_table("heads", "set", "held out", "mean error", "rank correlation", "AUC")
    for (helped, name), one in figures.items():
        numbers = (f"{one.mean_error:.3f}", f"{one.rank:.2f}", f"{one.area:.3f}")
        table.add_row(helped, name, str(one.count), *numbers)
    console.print(table)
    console.print(
        f"wrote {out}: set the grounder's option tuned (GroundingOptions.tuned) to use it",
        soft_wrap=True,
    )


@app.command()
def collect(out: WeightsOption) -> None:
    """Collect the package's judged pairs, which are looked up before any model is asked."""
    with explain_errors():
        sets = read_judgements([config_folder() / "judgements"])
        pairs = {name: collect_pairs(kind) for name, kind in sets.items()}
        save_pairs(pairs, hash_judgements(sets), out)


def _read_layers(text: str) -> tuple[int, ...]:
    try:
        layers = tuple(sorted({int(part) for part in text.split(",")})) if text else ()
    except ValueError:
        layers = (0,)
    if layers and layers[0] < 1:
        fail(f"--layers is {text!r}; give numbers of layers from 1, such as 16,20")
    return layers


def _build_table(comparisons: dict[str, HeadComparison]) -> Table:
    table = make_table("set", "held out", "by", "mean error", "rank correlation", "AUC")
    for name, comparison in comparisons.items():
        for by, figures in (("head", comparison.head), ("raw cosine", comparison.cosine)):
            if figures is not None:
                table.add_row(
                    name,
                    str(figures.count),
                    by,
                    f"{figures.mean_error:.3f}",
                    f"{figures.rank:.2f}",
                    f"{figures.area:.3f}",
                )
    return table
