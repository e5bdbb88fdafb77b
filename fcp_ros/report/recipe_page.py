# SPDX-License-Identifier: Apache-2.0
"""The page of a rewritten recipe: what changed is marked, with degrees and reasons."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from markupsafe import Markup, escape

from fcp_ros.foundation.wording import to_printable
from fcp_ros.recipes.cooking import Cooked
from fcp_ros.report.pages import make_environment, write_page

_WORD = re.compile(r"\s+|[\w'-]+|[^\w\s]")


def write_recipe_page(cooked: Cooked, path: Path) -> Path:
    template = make_environment().get_template("recipe.html.j2")
    page = template.render(
        cooked=cooked,
        recipe=cooked.recipe,
        new_lines={one.line for one in cooked.recipe.ingredients if one.is_new},
        mark_changes=mark_changes,
    )
    return write_page(page, path)


def mark_changes(before: str, after: str) -> Markup:
    """Write a text with what was put in and taken out since another one, word by word."""
    old, new = (_WORD.findall(to_printable(text)) for text in (before, after))
    parts = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            parts.append(escape("".join(old[start:end])))
            continue
        if end > start:
            parts.append(Markup("<del>{}</del>").format("".join(old[start:end])))
        if new_end > new_start:
            parts.append(Markup("<ins>{}</ins>").format("".join(new[new_start:new_end])))
    return Markup("").join(parts)
