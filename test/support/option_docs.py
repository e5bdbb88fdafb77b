# SPDX-License-Identifier: Apache-2.0
"""The table of options in docs/planning.md, made from the table of planning options.

``python test/support/option_docs.py`` writes it again; a test compares the two.
"""

from __future__ import annotations

import math
from pathlib import Path

from fcp_ros.planning.model.option_table import OPTIONS, PlanningOption

FILE = Path(__file__).parents[2] / "docs" / "planning.md"
BEGIN, END = "<!-- options -->\n", "<!-- /options -->"
HEAD = """\
| option of `fcp plan` | field of `PlanningOptions` | parameter of the node | default | meaning |
| --- | --- | --- | --- | --- |
"""


def render_table() -> str:
    """Return the table, a row an option."""
    return HEAD + "".join(_render_row(option) for option in OPTIONS)


def _render_row(option: PlanningOption) -> str:
    flags = ", ".join(f"`{flag}`" for flag in option.flags if flag.startswith("--"))
    if option.is_parameter:
        parameter = f"`{option.name}`"
    else:
        parameter = "in the request" if option.message_field else ""
    words = option.sentence_with_unit
    if option.choices:
        words += f" One of {', '.join(f'`{choice}`' for choice in option.choices)}."
    words = words.replace("|", r"\|")
    return f"| {flags} | `{option.field}` | {parameter} | {_render_default(option)} | {words} |\n"


def _render_default(option: PlanningOption) -> str:
    if isinstance(option.default, bool):
        return "yes" if option.default else "no"
    if isinstance(option.default, float) and math.isinf(option.default):
        return "none"
    if isinstance(option.default, str):
        return f"`{option.default}`"
    return f"{option.default:,}" if isinstance(option.default, (int, float)) else "none"


def replace_table(text: str) -> str:
    """Return the page with the table as it should be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{render_table()}{END}{after}"


if __name__ == "__main__":
    FILE.write_text(replace_table(FILE.read_text(encoding="utf-8")), encoding="utf-8")
