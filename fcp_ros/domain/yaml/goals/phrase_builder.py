# SPDX-License-Identifier: Apache-2.0
"""Phrases read from a domain file, each with one meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.phrases import (
    Phrase,
    PhraseError,
    PhraseSlot,
    list_slots,
    parse_phrase,
    write_variant,
)
from fcp_ros.foundation.wording import suggest_name


@dataclass
class PhraseBuilder:
    """Reads phrases, and remembers what each way to say one means.

    `meanings`: words and types of slots -> the owner (rule, relation ...) and the slots in order.
    """

    report: Diagnostics
    meanings: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def build(
        self, texts: Iterable[str], path: Path, types: Mapping[str, str], owner: str
    ) -> tuple[Phrase, ...]:
        """Read phrases over parameters of some types, of which each names at least one."""
        phrases = self.read(texts, path, types, owner)
        for phrase in phrases:
            bare = next((v for v in phrase.variants if not list_slots(v)), None)
            if bare is not None:
                message = f"`{write_variant(bare)}` of {owner} has no slot"
                fix = f"name one of {', '.join(types)} in braces, or describe a task"
                self.report.add_at(phrase.line, message, fix)
        return phrases

    def read(
        self, texts: Iterable[str], path: Path, types: Mapping[str, str], owner: str
    ) -> tuple[Phrase, ...]:
        """Read phrases; those with faults are reported and left out."""
        found = []
        for position, text in enumerate(texts):
            here = (*path, position)
            phrase = self._read_phrase(text, here, types, owner)
            if phrase is not None:
                found.append(phrase)
                self._check_new(phrase, types, owner, here)
        return tuple(found)

    def _read_phrase(
        self, text: str, path: Path, types: Mapping[str, str], owner: str
    ) -> Phrase | None:
        try:
            phrase = parse_phrase(text, self.report.line(path))
        except PhraseError as error:
            self.report.add(path, f"`{text}` of {owner}: {error.message}", error.fix)
            return None
        unknown = sorted(phrase.slots - types.keys())
        for slot in unknown:
            message = f"`{text}` of {owner} has the unknown slot {{{slot}}}"
            self.report.add(path, message, suggest_name(slot, types))
        return None if unknown else phrase

    def _check_new(self, phrase: Phrase, types: Mapping[str, str], owner: str, path: Path) -> None:
        for variant in phrase.variants:
            key = tuple(
                f"{{{types[part.name]}}}" if isinstance(part, PhraseSlot) else part.text
                for part in variant
            )
            meaning = (owner, list_slots(variant))
            other = self.meanings.setdefault(key, meaning)
            if other != meaning:
                message = f"`{write_variant(variant)}` stands for {other[0]} and for {owner}"
                if other[0] == owner:
                    message = f"`{write_variant(variant)}` of {owner} can be read in two ways"
                self.report.add(path, message, "keep it in one place, or give it other words")
                return
