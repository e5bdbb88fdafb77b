# SPDX-License-Identifier: Apache-2.0
"""The interpretation of an instruction, and the answer to a request, on standard output."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fcp_ros.cli.plan.request import PlanOutput
from fcp_ros.cli.terminal import escape_text, open_console
from fcp_ros.foundation.wording import to_printable
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.report.console import render_result

READINGS_SHOWN = 3
"""Only the best readings are shown; the JSON has all of them."""
_COLOURS = {WordRole.UNREAD: "red", WordRole.FILLER: "dim"}


def render_interpretation(interpretation: Interpretation) -> RenderableType:
    """Render how an instruction was understood: words, goal and paraphrase of each reading.

    A clear reading stands alone, and has no paraphrase if the message repeats it; otherwise the
    best few are shown, to choose from.
    """
    read = interpretation.status is ReadingStatus.READ
    colour = "green" if read else "yellow"
    headline = Text.from_markup(
        f"[bold {colour}]{interpretation.status.name}[/] "
        f"{escape(to_printable(interpretation.message))}"
    )
    parts: list[RenderableType] = [headline]
    for reading in interpretation.readings[: 1 if read else READINGS_SHOWN]:
        is_said = reading.paraphrase in interpretation.message
        parts += [_render_reading(reading, interpretation.instruction, is_said), Text()]
    return Group(*parts)


def _render_reading(reading: Reading, instruction: str, is_said: bool) -> RenderableType:
    """Render a reading; its paraphrase is left out if that `is_said` already."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("words", "taken for", "as", "degree"):
        table.add_column(column)
    for use in reading.words:
        table.add_row(*_build_row(use, instruction))
    paraphrase = Text(to_printable(reading.paraphrase), style="bold")
    goal = Text.assemble(
        (f"goal: {to_printable(reading.goal)}", "cyan"),
        f"  (fits to {reading.degree:.2f}: {reading.level.name.lower()})",
    )
    return Group(*([table] if reading.words else []), *([] if is_said else [paraphrase]), goal)


def _build_row(use: WordUse, instruction: str) -> tuple[Text, ...]:
    colour = _COLOURS.get(use.role, "")
    cells = (
        instruction[use.start : use.end],
        use.meaning or ("not understood" if use.role is WordRole.UNREAD else ""),
        use.role.value,
        "" if use.role in (WordRole.FILLER, WordRole.UNREAD) else f"{use.degree:.2f}",
    )
    return tuple(Text(to_printable(cell), style=colour) for cell in cells)


def print_result(answer: PlanOutput, *, explain: bool) -> None:
    """Print the result and the notes on the scene."""
    console = open_console()
    console.print(render_result(answer.result, explain=explain))
    for note in (*answer.result.policy_notes, *answer.notes):
        console.print(f"note: {escape_text(note)}", style="dim", soft_wrap=True)
