# SPDX-License-Identifier: Apache-2.0
"""English nouns and the kinds that they belong to, read from the files of WordNet.

WordNet (Princeton, a licence like BSD's) comes as the package `wordnet-base` of Debian and Ubuntu.
Where it isn't installed, `find_wordnet` returns None, and its callers go without: a word that
neither the domain nor the judgements know then has no kind.

The files are searched on disk (wndb(5WN)): nothing is loaded, and a look-up takes some 20 us. NLTK
reads the same files, but its import takes 1.7 s and 100 MB, and its version 3.10 refuses folders
outside of its own.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

FOLDER_VARIABLE = "WNSEARCHDIR"  # WordNet's own variable for the folder of its files
DEFAULT_FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/local/WordNet-3.0/dict"))
PACKAGE = "wordnet-base"  # Package of Debian and Ubuntu that brings the files
ANIMAL, PERSON = 5, 18  # The lexicographers' files of animals and persons (lexnames(5WN))
CONCRETE = frozenset({3, ANIMAL, 6, 13, 17, PERSON, 20, 27})
"""Their files of what a robot may meet: unclassified ("thing"), animals, artifacts, food, natural
objects, persons, plants, substances."""
_MOSTLY = 8  # Uses as an adjective for each one as a verb, for what is an adjective
_WIDER, _INSTANCE = "@", "@i"
_POINTER = ("symbol", "offset", "part of speech", "words")
"""Fields of a pointer from one meaning to another."""
_ENDINGS = (
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
)
"""Endings of plurals, and those of the singular (morphy(7WN))."""
_VERB_ENDINGS = (("s", ""), ("es", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a noun."""

    offset: int  # Its place in the file of nouns, which identifies it
    topic: int  # Number of its lexicographers' file
    words: tuple[str, ...]  # All nouns with this meaning, in lower case, with spaces
    above: tuple[int, ...]  # Offsets of the next wider meanings
    is_name: bool = False  # True for the name of one person, place or star ("Crane", the writer)

    @property
    def is_concrete(self) -> bool:
        """True for what can stand, lie, walk or be touched."""
        return self.topic in CONCRETE and not self.is_name

    @property
    def is_person(self) -> bool:
        return self.topic == PERSON

    @property
    def is_alive(self) -> bool:
        """True for a kind of person or animal."""
        return self.topic in (PERSON, ANIMAL)


class WordNet:
    """The nouns of a folder of WordNet. Safe to use from several threads.

    It holds `data.noun`, `noun.exc`, `cntlist.rev`, and all indexes (OSError,
    ValueError).
    """

    def __init__(self, folder: Path) -> None:
        self._index = _map_file(folder / "index.noun")
        self._others = [_map_file(folder / f"index.{part}") for part in ("adj", "adv", "verb")]
        self._data = _map_file(folder / "data.noun")
        self._counts = _map_file(folder / "cntlist.rev")
        lines = (folder / "noun.exc").read_text(encoding="ascii").splitlines()
        self._irregular = {plural: single for plural, single, *_ in map(str.split, lines)}
        self._find = lru_cache(maxsize=16_384)(self._look_up)
        self._find_first = lru_cache(maxsize=1024)(self._look_up_first)
        self._read = lru_cache(maxsize=65_536)(partial(_read_sense, self._data))
        self.rate_verb = lru_cache(maxsize=16_384)(self._rate_verb)
        self.is_adjective = lru_cache(maxsize=4096)(self._is_adjective)

    def find_senses(self, noun: str) -> tuple[Sense, ...]:
        """Find the meanings of a noun (in lower case, with spaces), the most frequent first.

        A plural has those of its singular, after its own ("glasses").
        """
        return self._find(noun)

    def list_kinds(self, sense: Sense, most_steps: int | None = None) -> Iterator[Sense]:
        """List a meaning and all wider ones, nearest first; up to so many steps above it."""
        for steps, layer in enumerate(self._list_layers(sense)):
            if most_steps is not None and steps > most_steps:
                return
            yield from layer

    def measure_depth(self, sense: Sense) -> int:
        """Count the steps to the widest meaning, on the longest way."""
        return sum(1 for _ in self._list_layers(sense)) - 1

    def _list_layers(self, sense: Sense) -> Iterator[list[Sense]]:
        layer, seen = [sense], {sense.offset}
        while layer:
            yield layer
            above = [offset for one in layer for offset in one.above if offset not in seen]
            seen.update(above)
            layer = [self._read(offset) for offset in dict.fromkeys(above)]

    def find_head(self, phrase: str) -> tuple[Sense, ...]:
        """Find the meanings of a phrase, or else of its longest end: "old dining table"."""
        words = phrase.split()
        ends = (" ".join(words[begin:]) for begin in range(len(words)))
        return next((found for found in map(self.find_senses, ends) if found), ())

    def is_kind(self, phrase: str, nouns: frozenset[str], *, most_meanings: int = 1) -> bool:
        """Return True if a phrase ("paring knife") names a kind of one of these nouns.

        Each noun in its most frequent concrete meaning, the phrase in its `most_meanings` first
        ones.
        """
        wanted = self._find_first(nouns)
        meanings = [sense for sense in self.find_head(phrase) if sense.is_concrete]
        return any(
            kind.offset in wanted
            for sense in meanings[:most_meanings]
            for kind in self.list_kinds(sense)
        )

    def is_no_noun(self, word: str) -> bool:
        """Return True for an adjective, adverb or verb, inflected or not, that is no noun, too."""
        if self.find_senses(word):
            return False
        forms = (
            word,
            *(
                word[: -len(ending)] + base
                for ending, base in _VERB_ENDINGS
                if word.endswith(ending)
            ),
        )
        return any(_find_line(index, form) for index in self._others for form in forms)

    def is_verb(self, word: str) -> bool:
        return bool(_find_line(self._others[2], word))

    def _rate_verb(self, word: str) -> float:
        """Return how often a base form is a verb rather than a noun, in [0, 1].

        By the uses in SemCor (cntlist(5WN)), with half of a use added for the noun and a
        quarter for the verb.
        """
        verb, noun = self.is_verb(word), bool(self._find_offsets(word))
        uses = [0.25 * verb, 0.5 * noun]
        if verb and noun:
            uses = [0.25 + self._count_uses(word, 2), 0.5 + self._count_uses(word, 1)]
        return uses[0] / sum(uses) if verb else 0.0

    def _is_adjective(self, word: str) -> bool:
        """Return True for a word that is hardly ever a verb beside its use as an adjective."""
        adjective = self._count_uses(word, 3) + self._count_uses(word, 5)  # 5: satellites
        return adjective >= _MOSTLY * (1 + self._count_uses(word, 2))

    def _count_uses(self, word: str, part: int) -> int:
        """Count the uses of all meanings of a word that are one part of speech."""
        key = f"{word.replace(' ', '_')}%{part}:".encode("utf-8", "replace")
        counts, total = self._counts, 0
        low, high = 0, len(counts)
        while low < high:  # the lines are in the order of their bytes
            begin = counts.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = counts.find(b"\n", begin) + 1 or len(counts)
            if counts[begin : begin + len(key)] < key:
                low = end
            else:
                high = begin
        while counts[low : low + len(key)] == key:
            end = counts.find(b"\n", low) + 1 or len(counts)
            total += int(counts[low:end].split()[-1])
            low = end
        return total

    def _look_up_first(self, nouns: frozenset[str]) -> frozenset[int]:
        meanings = (
            next((sense for sense in self.find_senses(noun) if sense.is_concrete), None)
            for noun in nouns
        )
        return frozenset(meaning.offset for meaning in meanings if meaning is not None)

    def _look_up(self, noun: str) -> tuple[Sense, ...]:
        found = dict.fromkeys(
            offset for form in self._list_forms(noun) for offset in self._find_offsets(form)
        )
        return tuple(self._read(offset) for offset in found)

    def _list_forms(self, noun: str) -> Iterator[str]:
        yield noun
        if noun in self._irregular:
            yield self._irregular[noun].replace("_", " ")
        if noun.endswith("ss"):
            return
        for ending, single in _ENDINGS:
            if noun.endswith(ending) and len(noun) > len(ending) + 1:
                yield noun[: -len(ending)] + single

    def _find_offsets(self, noun: str) -> tuple[int, ...]:
        fields = _find_line(self._index, noun)
        return tuple(map(int, fields[-int(fields[2]) :])) if fields else ()


def _find_line(index: mmap.mmap, word: str) -> list[bytes]:
    """Find the fields of a word's line by bisection: the lines are in the order of their bytes."""
    wanted = word.replace(" ", "_").encode("utf-8", "replace")
    if not wanted:
        return []  # it would find a line of the licence, which begins with a space
    low, high = 0, len(index)
    while low < high:
        begin = index.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = index.find(b"\n", begin)
        end = len(index) if end < 0 else end
        found = index[begin : index.find(b" ", begin, end)]
        if found == wanted:
            return index[begin:end].split()
        if found < wanted:
            low = end + 1
        else:
            high = begin
    return []


def _read_sense(data: mmap.mmap, offset: int) -> Sense:
    line = data[offset : data.find(b"|", offset)].decode("ascii").split()
    count = int(line[3], 16)
    words = line[4 : 4 + 2 * count : 2]
    pointers = line[4 + 2 * count + 1 :]
    symbols = pointers[:: len(_POINTER)]
    above = (
        int(target)
        for symbol, target in zip(symbols, pointers[1 :: len(_POINTER)], strict=False)
        if symbol in (_WIDER, _INSTANCE)
    )
    names = tuple(word.replace("_", " ").lower() for word in words)
    return Sense(offset, int(line[1]), names, tuple(above), _INSTANCE in symbols)


def _map_file(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@lru_cache(maxsize=1)
def find_wordnet() -> WordNet | None:
    """Find WordNet on this machine, once; None where it isn't installed."""
    given = os.environ.get(FOLDER_VARIABLE)
    for folder in (Path(given),) if given else DEFAULT_FOLDERS:
        try:
            return WordNet(folder)
        except (OSError, ValueError):
            continue
    return None
