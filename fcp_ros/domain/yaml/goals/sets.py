# SPDX-License-Identifier: Apache-2.0
"""The section `sets` of a domain file: things that belong together."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.words import SetExtension, ThingSet
from fcp_ros.domain.yaml.entries import DomainFile, SetEntry
from fcp_ros.domain.yaml.goals.phrase_builder import PhraseBuilder
from fcp_ros.domain.yaml.types import check_name
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import suggest_name


def build_sets(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, ThingSet]:
    """Build the sets of a domain; report their faults."""
    builder = _SetBuilder(file, vocabulary, report)
    return {name: builder.build(name, entry) for name, entry in file.sets.items()}


class _SetBuilder:
    def __init__(self, file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> None:
        self._report = report
        self._labels = {
            normalise_label(word): type_ for type_, some in file.labels.items() for word in some
        }
        self._types = {normalise_label(type_): type_ for type_ in vocabulary.parents}
        self._kinds = {normalise_label(word) for word in file.kinds}
        self._owners: dict[str, str] = {}

    def build(self, name: str, entry: SetEntry) -> ThingSet:
        path: Path = ("sets", name)
        check_name(name, "set", path, self._report)
        words = self._read_words(entry.words, (*path, "words"), name)
        if not words:
            self._report.add((*path, "words"), f"set {name} has no word", "write what it is called")
        parts = tuple(normalise_label(word) for word in entry.parts)
        members = self._read_members(entry.members, (*path, "members"), f"set {name}")
        return ThingSet(name, words, parts, members, self._build_more(name, entry, path))

    def _build_more(self, name: str, entry: SetEntry, path: Path) -> tuple[SetExtension, ...]:
        builder, more = PhraseBuilder(self._report), []
        for position, given in enumerate(entry.more):
            here = (*path, "more", position)
            owner = f"extension {position + 1} of set {name}"
            phrases = builder.read(given.phrases, (*here, "phrases"), {}, owner)
            if not given.phrases:
                self._report.add((*here, "phrases"), f"{owner} has no phrase", "write what is said")
            more.append(
                SetExtension(phrases, self._read_members(given.members, (*here, "members"), owner))
            )
        return tuple(more)

    def _read_words(self, words: Iterable[str], path: Path, name: str) -> tuple[str, ...]:
        found = []
        for position, word in enumerate(words):
            known = normalise_label(word)
            other = self._owners.setdefault(known, name)
            fault = ""
            if not known:
                fault = f"set {name} has an empty word"
            elif known in self._types or known in self._kinds or known in self._labels:
                fault = f"{word} of set {name} is a type, a kind or a label already"
            elif other != name:
                fault = f"{word} stands for the set {other} and for {name}"
            if fault:
                self._report.add((*path, position), fault, "use another word")
            else:
                found.append(known)
        return tuple(dict.fromkeys(found))

    def _read_members(self, members: Iterable[str], path: Path, owner: str) -> tuple[str, ...]:
        found = [normalise_label(member) for member in members]
        if not found:
            self._report.add(path, f"{owner} has no members", "list labels or types")
        for position, member in enumerate(found):
            if member in self._types or member in self._kinds:
                continue
            if match_label(member, self._labels) is None:
                message = f"{member} in {owner} is neither a label, a type nor a kind"
                known = {**self._labels, **self._types}
                self._report.add((*path, position), message, suggest_name(member, known))
        return tuple(dict.fromkeys(found))
