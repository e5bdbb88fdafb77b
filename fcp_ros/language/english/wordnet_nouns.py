# SPDX-License-Identifier: Apache-2.0
"""Nouns by WordNet: synonyms, kinds of things, and nouns that say what sort of thing.

What people call things otherwise, which WordNet lacks, is listed here. Without WordNet
(`foundation.wordnet`) that is all, and `MISSING` says so to the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from fcp_ros.foundation.wordnet import PACKAGE, Sense, find_wordnet

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("dining room", "dining"),
    ("sofa", "couch", "settee", "loveseat"),
    ("tv", "television", "telly", "tv set", "television set"),
    ("fridge", "refrigerator", "icebox"),
    (
        "bin",
        "trash can",
        "garbage can",
        "rubbish bin",
        "trashcan",
        "dustbin",
        "waste bin",
        "waste basket",
        "wastebasket",
        "garbage bin",
        "trash bin",
        "recycling bin",
    ),
    ("trash", "rubbish", "garbage", "waste", "litter"),
    ("cupboard", "cabinet"),
    ("closet", "wardrobe"),
    ("phone", "mobile", "mobile phone", "cell phone", "cellphone", "telephone", "smartphone"),
    ("living room", "living", "lounge", "sitting room", "parlour"),
    ("bathroom", "restroom", "washroom", "toilet", "loo"),
    ("corridor", "hallway", "hall", "passage", "entryway", "entrance"),
    ("clothing", "garment", "clothes", "apparel"),
    ("pants", "trousers"),
    ("sweater", "jumper", "pullover"),
    ("cutlery", "silverware", "flatware"),
    ("tap", "faucet"),
    ("stove", "hob", "cooker", "cooktop", "range"),
    ("counter", "countertop", "worktop", "kitchen counter", "work surface"),
    ("bookshelf", "bookcase"),
    ("computer", "pc", "desktop computer"),
    ("laptop", "notebook computer", "laptop computer"),
    ("monitor", "screen", "display", "computer screen", "computer monitor"),
    ("plant", "potted plant", "houseplant"),
    ("vacuum cleaner", "vacuum", "hoover"),
    ("washing machine", "washer", "laundry machine"),
    ("detergent", "washing powder", "laundry detergent", "washing liquid"),
    ("remote control", "remote"),
    ("rug", "carpet", "mat"),
    ("picture", "painting"),
    ("basin", "sink", "washbasin"),
    ("bedside table", "nightstand", "night stand"),
    ("office", "study"),
    ("case", "computer case", "pc case", "tower", "pc tower"),
    ("mainboard", "motherboard"),
    ("graphics card", "gpu", "video card"),
    ("processor", "cpu"),
    ("ram", "memory"),
    ("power supply", "psu"),
    ("hard drive", "hard disk", "ssd"),
    ("color", "colour"),
    ("gray", "grey"),
    ("locker", "safe"),
)
"""Nouns that may stand for one another if a scene lacks the one that was said."""


MISSING = (
    f"WordNet isn't installed ({PACKAGE} of Debian and Ubuntu), so only the domain's own nouns "
    "are known."
)
MOST_MEANINGS = 3
"""Concrete meanings of a spoken noun that count, the most frequent first."""
LEAST_DEPTH = 4
"""Wider meanings, such as "object" and "artifact", are no kinds that people speak of."""
_SUBSTANCE, _PLANT = 27, 20
"""Lexicographers' files of what things are made of, and of plants (lexnames(5WN))."""
_COMMON_SENSES = 3
"""Meanings of a noun that are looked at to know if it stands for somebody."""
_VETO = frozenset(
    ["toy", "model", "dummy", "substitute", "imitation", "fake", "replica", "picture"]
)
"""Modifiers of what is no such thing: a toy car is no car."""


def is_installed() -> bool:
    """Return True if there is a WordNet to ask."""
    return find_wordnet() is not None


@lru_cache(maxsize=4096)
def list_synonyms(noun: str) -> tuple[str, ...]:
    """List nouns with the same meaning, those of the most frequent meaning first.

    Beside those are the words of its next narrower or wider meanings that share its head:
    "fridge" is an electric refrigerator. The head of the noun itself is none: a dining room is a
    room, and "dining room" does not mean any of them. Nor is a word that mostly means something
    else: a wheel may be a bicycle, but who says bicycle means no wheels.
    """
    found: dict[str, None] = {}
    own = noun.rpartition(" ")[2]
    for sense in _list_meanings(noun):
        found.update(dict.fromkeys(word for word in sense.words if _mostly_means(word, sense)))
        for word in sense.words:
            head = word.rpartition(" ")[2]
            if head not in (word, own) and any(head in above.words for above in _list_above(sense)):
                found[head] = None
    found.pop(noun, None)
    return tuple(found)


def list_kinds(noun: str, labels: Iterable[str]) -> tuple[str, ...]:
    """List the labels of things that are kinds of what a noun means: guitars for "instrument".

    A label counts in its most frequent concrete meaning alone: a screwdriver is no drink.
    """
    wanted = _find_wanted(noun)
    return tuple(one for one in labels if one != noun and not wanted.isdisjoint(_find_above(one)))


@lru_cache(maxsize=4096)
def _find_wanted(noun: str) -> frozenset[int]:
    wordnet = find_wordnet()
    if wordnet is None:
        return frozenset()
    depths = ((one.offset, wordnet.measure_depth(one)) for one in _list_meanings(noun))
    return frozenset(offset for offset, depth in depths if depth >= LEAST_DEPTH)


@lru_cache(maxsize=65_536)
def _find_above(label: str) -> frozenset[int]:
    """Find all that a label is a kind of."""
    wordnet = find_wordnet()
    if wordnet is None:
        return frozenset()
    meaning = next((sense for sense in wordnet.find_head(label) if sense.is_concrete), None)
    if meaning is None:
        return frozenset()
    return frozenset(kind.offset for kind in wordnet.list_kinds(meaning))


@lru_cache(maxsize=4096)
def says_sort(modifier: str, head: str) -> bool:
    """Return True if a noun before another one only says what sort of thing that is.

    A coffee mug is a mug and a dog toy a toy. What a thing is made of ("steel bottle") tells it
    from others, and a toy gun is no gun.
    """
    if modifier in _VETO:
        return False
    wordnet = find_wordnet()
    if wordnet is None:
        return False
    compound = wordnet.find_senses(f"{modifier} {head}")
    if compound:
        return any(head in kind.words for one in compound for kind in wordnet.list_kinds(one, 3))
    senses = wordnet.find_senses(modifier)
    return bool(senses) and senses[0].is_concrete and senses[0].topic not in (_SUBSTANCE, _PLANT)


def _list_meanings(noun: str) -> list[Sense]:
    """List the concrete meanings of a noun; none if it mostly means an act: "return", "washing"."""
    wordnet = find_wordnet()
    senses = () if wordnet is None else wordnet.find_senses(noun)
    if not senses or not senses[0].is_concrete:
        return []
    return [sense for sense in senses if sense.is_concrete][:MOST_MEANINGS]


def _mostly_means(word: str, sense: Sense) -> bool:
    wordnet = find_wordnet()
    return wordnet is not None and wordnet.find_senses(word)[:1] == (sense,)


def _list_above(sense: Sense) -> list[Sense]:
    wordnet = find_wordnet()
    return [] if wordnet is None else list(wordnet.list_kinds(sense, 1))[1:]


def names_person(noun: str) -> bool:
    """Return True for a noun that often stands for somebody; without WordNet only "person"."""
    wordnet = find_wordnet()
    senses = wordnet.find_senses(noun) if wordnet else ()
    # WordNet files the word itself among its topmost concepts, not among persons
    return noun == "person" or any(sense.is_person for sense in senses[:_COMMON_SENSES])
