# SPDX-License-Identifier: Apache-2.0
"""BLEU and chrF against references by hand: whole recipes, and the changed lines alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from benchmark.recipes.rivals import Document, as_document
from benchmark.recipes.scores import (
    canonicalise,
    changed_lines,
    compare,
    interval_of_lead,
    lines_of,
)
from benchmark.recipes.setting import QUICK_TASKS, Setting
from benchmark.recipes.tasks import Reference, read_references
from benchmark.tables import Line, Part, Verdict

AHEAD = 10.0  # Points of BLEU of the changed lines that ours should be above SubDB-Retrieve


def measure_rewriting(setting: Setting) -> Part:
    """Each rival on the tasks of the references, all and those with a changed procedure.

    Where a rival has no answer its recipe is the unchanged one, and its changed lines are none.
    """
    references = read_references(not setting.held_out, setting.words)
    references = references[:QUICK_TASKS] if setting.quick else references
    found = {rival.name: [rival.cook(one.task) for one in references] for rival in setting.rivals}
    kinds = {
        "all": [True for _ in references],
        "changed procedure": [one.procedure for one in references],
        "SubDB-Retrieve answers": [one is not None for one in found["SubDB-Retrieve"]],
    }
    lines = [
        _score(kind, who, list(compress(zip(references, documents, strict=True), chosen)), setting)
        for kind, chosen in kinds.items()
        for who, documents in found.items()
    ]
    bleu = {line.who: line.figures["changed BLEU"] for line in lines if line.task == "all"}
    ahead = float(bleu["ours"] or 0) - float(bleu["SubDB-Retrieve"] or 0)
    texts = [
        [
            _join_changes(one, document, setting)
            for one, document in zip(references, found[who], strict=True)
        ]
        for who in ("ours", "SubDB-Retrieve")
    ]
    wanted = [" ".join(map(canonicalise, one.changed)) for one in references]
    low, high = interval_of_lead(*texts, wanted)
    verdict = Verdict(
        "BLEU of changed lines above SubDB-Retrieve",
        f"{ahead:+.1f} ({low:+.1f} to {high:+.1f})",
        f"at least +{AHEAD:g}",
        ahead >= AHEAD,
    )
    return Part(
        "rewriting, against references by hand",
        lines,
        [verdict],
        ["BLEU of whole recipes: look at the row `nothing done` before you believe any other"],
    )


def _join_changes(reference: Reference, document: Document | None, setting: Setting) -> str:
    recipe = reference.task.recipe
    lines = lines_of(document or as_document(recipe, setting.words))
    return " ".join(changed_lines(recipe, lines))


def _score(
    kind: str,
    who: str,
    pairs: Sequence[tuple[Reference, Document | None]],
    setting: Setting,
) -> Line:
    whole, wanted, changed, wanted_changed = [], [], [], []
    for reference, document in pairs:
        recipe = reference.task.recipe
        lines = lines_of(document or as_document(recipe, setting.words))
        whole.append(" ".join(map(canonicalise, lines)))
        wanted.append(" ".join(map(canonicalise, (*reference.ingredients, *reference.directions))))
        changed.append(_join_changes(reference, document, setting))
        wanted_changed.append(" ".join(map(canonicalise, reference.changed)))
    names = {"whole": compare(whole, wanted), "changed": compare(changed, wanted_changed)}
    figures = {f"{name} {key}": value for name, one in names.items() for key, value in one.items()}
    silent = sum(document is None for _, document in pairs)
    return Line(kind, who, {"references": len(pairs), "no answer": silent, **figures})
