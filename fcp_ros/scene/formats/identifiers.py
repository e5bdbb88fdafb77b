# SPDX-License-Identifier: Apache-2.0
"""Plain ids in place of source ids that goals and PDDL cannot hold (``Fridge|-00.50|+00.90``).

One rule for all formats:

- a source id that is a plain identifier is kept (``fridge_twin00_0``);
- a number gets its category before it (13, "coffee table" gives ``coffee_table_13``);
- anything else gets its category and a count, in the order of the file (``fridge_1``).

Ids are unique even if case is ignored (PDDL folds it). The source's own id is kept as the attribute
``source_id`` wherever it was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import AttributeValue, SceneError

SOURCE_ID = "source_id"
"""Attribute that holds the source's id."""

SourceId = str | int

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ODD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class PlainIds:
    """Our ids of the elements of a file.

    Attributes:
        by_source: Our id by the source's id; one to one.
        notes: Changes beyond the rule.
    """

    by_source: Mapping[SourceId, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, source: SourceId) -> str:
        return self.by_source[source]

    def __contains__(self, source: object) -> bool:
        return source in self.by_source

    def attributes(self, source: SourceId) -> dict[str, AttributeValue]:
        """Return ``source_id`` as an attribute if the id was changed."""
        return {} if self.by_source[source] == source else {SOURCE_ID: source}


def assign_ids(elements: Iterable[tuple[SourceId, str]]) -> PlainIds:
    """Give each element of a file an id.

    Args:
        elements: Source id and category of each, in the order of the file.

    Raises:
        SceneError: Two elements have the same source id, or one has an empty id.
    """
    categories: dict[SourceId, str] = {}
    for source, category in elements:
        if source == "":
            raise SceneError("an element has an empty id", advice="Export the scene again.")
        if source in categories:
            raise SceneError(
                "this id is given to two elements",
                element=str(source),
                advice="Ids must be unique in the file: export the scene again.",
            )
        categories[source] = category
    taken: dict[str, str] = {}
    named: dict[SourceId, str] = {}
    clashing = []
    for source in categories:
        if isinstance(source, str) and _PLAIN.fullmatch(source):
            if source.lower() in taken:
                clashing.append(f"{taken[source.lower()]} and {source}")
            else:
                taken[source.lower()] = named[source] = source
    counts: dict[str, int] = {}
    for source, category in categories.items():
        if source not in named:
            id_ = _number_id(source, to_identifier(category), taken, counts)
            taken[id_.lower()] = named[source] = id_
    notes = []
    if clashing:
        notes.append(
            f"ids that differ in case only: {list_names(clashing)}; the second of each was renamed"
        )
    return PlainIds({source: named[source] for source in categories}, tuple(notes))


def _number_id(
    source: SourceId, word: str, taken: Mapping[str, str], counts: dict[str, int]
) -> str:
    if isinstance(source, int) and source >= 0 and f"{word}_{source}" not in taken:
        return f"{word}_{source}"
    number = counts.get(word, 0) + 1
    while f"{word}_{number}" in taken:
        number += 1
    counts[word] = number
    return f"{word}_{number}"


def to_identifier(category: str) -> str:
    """Convert a category to a plain identifier: ``DiningTable`` to ``dining_table``."""
    word = _ODD.sub("_", normalise_label(category)).strip("_")
    return word if _PLAIN.fullmatch(word) else f"thing_{word}".rstrip("_")
