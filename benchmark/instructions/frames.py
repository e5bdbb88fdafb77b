# SPDX-License-Identifier: Apache-2.0
"""Commands in polite frames: read as the command alone, or not.

`frames.yaml` holds frames, commands and right goals.

    python -m benchmark.instructions.frames --model tuned
"""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
import yaml
from rich.console import Console

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.part_reading import Judged, Meaning, judge_meaning
from benchmark.tables import Line, Part, show_part
from fcp_ros.language.cascade import ReaderOptions, make_reader

FRAMES = Path(__file__).with_name("frames.yaml")


@dataclass(frozen=True)
class FramedCommand:
    """A command in all frames.

    Attributes:
        command: alone, as a sentence.
        meaning: its sentences, in the order of the frames, and its goal.
    """

    command: str
    meaning: Meaning


def read_frames(path: Path = FRAMES) -> tuple[tuple[str, ...], tuple[FramedCommand, ...]]:
    """Read the frames, and the commands in them."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    frames = tuple(document["frames"])
    return frames, tuple(
        _fill_frames(number, entry, frames, document)
        for number, entry in enumerate(document["commands"], start=1)
    )


def _fill_frames(
    number: int, entry: dict[str, str], frames: tuple[str, ...], document: dict[str, Any]
) -> FramedCommand:
    command = entry["command"]
    begun = command[0].upper() + command[1:]
    sentences = tuple(
        frame.format(command=command, Command=begun, gerund=entry["gerund"]) for frame in frames
    )
    meaning = Meaning(
        f"frame{number:02}",
        document["domain"],
        document["scene"],
        (entry["goal"],),
        False,
        (),
        sentences,
    )
    return FramedCommand(f"{begun}.", meaning)


def frames_part(setting: Setting, quick: bool, only: str = "") -> tuple[Part, list[Judged]]:
    """Read all commands in all frames; `quick` takes every third command."""
    frames, commands = read_frames()
    commands = tuple(one for one in commands if only in one.meaning.name)[:: 3 if quick else 1]
    by_command = [judge_meaning(one.meaning, setting) for one in commands]
    judged = [one for found in by_command for one in found]
    lines = [_line(one.command, found) for one, found in zip(commands, by_command, strict=True)]
    failed = Counter(
        frame
        for found in by_command
        for frame, one in zip(frames, found, strict=True)
        if not one.right
    )
    notes = [f"{count} of {len(commands)} wrong: {frame}" for frame, count in failed.most_common()]
    return Part("frames", [*lines, _line("all", judged)], [], notes), judged


def _line(name: str, judged: list[Judged]) -> Line:
    wrong = [one for one in judged if not one.right]
    figures = {
        "sentences": len(judged),
        "right": len(judged) - len(wrong),
        "right %": 100.0 * (len(judged) - len(wrong)) / len(judged),
        "wrong, unflagged": sum(not one.flagged for one in wrong),
        "needlessly flagged": sum(one.right and one.flagged for one in judged),
        "reading s, median": statistics.median(one.seconds for one in judged),
    }
    return Line(name, "fcp_ros", figures)


def main(model: str = "", quick: bool = False, only: str = "") -> None:
    """Read the frames by the rules alone, or with a model behind them, and print the table."""
    part, _ = frames_part(Setting(make_reader(ReaderOptions(model=model))), quick, only)
    show_part(part, Console(width=160))


if __name__ == "__main__":
    typer.run(main)
