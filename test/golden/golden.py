# SPDX-License-Identifier: Apache-2.0
"""Golden answers: what the project answers today, to be compared after a change: ``make golden``.

``python test/golden/golden.py [PART ...]`` asks the quick cases (some minutes) and compares,
``--full`` asks all (an hour), ``--write`` keeps the answers instead. Who changes an answer on
purpose writes it, and the difference is read in the commit. Only answers are kept here, neither
files nor sentences of others; a part whose data (../shared/bench) is absent says so.
Exits with 1 if an answer differs.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "support", HERE.parents[1], HERE):
    sys.path.insert(0, str(folder))

from golden_cases import (  # noqa: E402
    Answer,
    Case,
    MissingData,
    list_differences,
    read_answers,
    round_numbers,
    write_answers,
)

from fcp_ros.foundation.input_error import InputError  # noqa: E402

ANSWERS = HERE / "answers"


class Part(str, Enum):
    """A part; each is a file ``golden_NAME.py`` with a function ``list_cases``."""

    PLANNING = "planning"
    PREFERENCES = "preferences"
    SENTENCES = "sentences"
    GOALS = "goals"
    FUZZ = "fuzz"
    ALIGNMENT = "alignment"
    ABSTRACTION = "abstraction"
    SCENES = "scenes"

    @property
    def file(self) -> Path:
        """The file of its answers."""
        return ANSWERS / f"{self.value}.json"

    def list_cases(self) -> Iterator[Case]:
        """Yield its cases.

        Raises:
            MissingData: it needs data that is not on this machine.
        """
        cases: Iterable[Case] = importlib.import_module(f"golden_{self.value}").list_cases()
        yield from cases


def main(
    parts: Annotated[list[Part] | None, typer.Argument(help="By default all.")] = None,
    full: Annotated[bool, typer.Option("--full", help="All cases.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Keep the answers.")] = False,
    only: Annotated[str, typer.Option(help="Cases whose name has this.")] = "",
) -> None:
    """Ask all cases of the parts and compare their answers with those that are kept."""
    differences = 0
    with tempfile.TemporaryDirectory(prefix="golden-") as nowhere:
        hide_fetched_models(nowhere)
        for part in parts or list(Part):
            differences += ask_part(part, full, write, only)
    if differences:
        print(f"{differences} answers differ; if that is meant: --write")
    raise typer.Exit(differences > 0)


def hide_fetched_models(folder: str) -> None:
    """Let the packaged model judge, whatever else was fetched on this machine."""
    from fcp_ros.grounding.models.model_store import FOLDER_VARIABLE

    os.environ[FOLDER_VARIABLE] = folder


def ask_part(part: Part, full: bool, write: bool, only: str) -> int:
    """Ask the cases of a part; return the number of answers that differ."""
    kept = read_answers(part.file)
    asked: set[str] = set()
    begun, used, different = time.monotonic(), time.process_time(), 0
    try:
        for case in part.list_cases():
            if only in case.name and (full or case.quick):
                assert case.name not in asked, f"{case.name}: two cases have this name"
                asked.add(case.name)
                different += ask_case(case, kept, write)
    except MissingData as missing:
        print(f"{part.value}: {missing}: its {len(kept)} answers are not compared")
        return 0
    gone = sorted(set(kept) - asked) if full and not only else []
    for name in gone:
        print(f"  {name}: there is no such case any more")
        kept = {key: answer for key, answer in kept.items() if key != name}
    if write:
        write_answers(part.file, kept)
    seconds = f"{time.process_time() - used:.0f} s CPU, {time.monotonic() - begun:.0f} s"
    sums = f"{len(asked)} of {len(kept)} asked, {different} differ"
    print(f"{part.value}: {sums}, {seconds}", flush=True)
    return 0 if write else different + len(gone)


def ask_case(case: Case, kept: dict[str, Answer], write: bool) -> bool:
    """Ask one case; return True if its answer differs from the kept one."""
    used = time.process_time()
    try:
        answer = round_numbers(case.answer())
    except InputError as refusal:
        answer = {"refused": type(refusal).__name__}
    except Exception as error:  # the other cases go on
        print(f"  {case.name}: {type(error).__name__}: {error}", flush=True)
        return True
    if os.environ.get("GOLDEN_TIMES"):
        print(f"  {time.process_time() - used:7.2f} s CPU  {case.name}", flush=True)
    found = list(list_differences(kept.get(case.name, {}), answer))
    if found and not (write and case.name not in kept):
        print(f"  {case.name}: {'; '.join(found)}", flush=True)
    if write:
        kept[case.name] = answer
    return bool(found)


if __name__ == "__main__":
    typer.run(main)
