# SPDX-License-Identifier: Apache-2.0
"""Words in a label that forbid a use: an empty bottle is nothing to drink.

Nouns are alike to a model that compares words, whatever stands before them: "dirty mug" is nearer
to "drinking" than "bowl" is. So what rules a use out is read off the label, by the word that says
it and by the purpose: an empty glass is good to drink from, since it can be filled, and a dirty mug
is not until it is washed. Only what stands in the name counts, or alone in brackets: "mug
(broken)".

A purpose is what somebody wants to do ("drinking", "wiping a surface"), or the name of what is
wanted, whose purpose it then is ("plate").
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from itertools import pairwise

from fcp_ros.foundation.labels import (
    ARTICLES,
    UNREAL,
    denies,
    is_holder,
    list_singulars,
    normalise_label,
    split_names,
    take_name,
)
from fcp_ros.foundation.wording import gather_words
from fcp_ros.foundation.wordnet import find_wordnet


class Defect(Enum):
    """A reason against a thing that a word gives; the value is a clause about it."""

    UNREAL = "it is not a real one"
    ANIMAL = "it is for an animal"
    BROKEN = "it is broken"
    SPOILED = "it has gone bad"
    SOILED = "it is not clean"
    EMPTY = "it is empty"
    ACCESSORY = "it only goes with one"


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(one.split()) for one in text.split(","))


_WORDS: dict[Defect, str] = {
    Defect.UNREAL: " ".join(sorted(UNREAL)),
    Defect.ANIMAL: "dog dogs cat cats pet pets puppy kitten hamster horse horses",
    Defect.BROKEN: "broken cracked shattered smashed damaged defective faulty torn ripped leaking "
    "leaky punctured jammed snapped burnt",
    Defect.SPOILED: "expired rotten rotting mouldy moldy spoiled spoilt stale rancid outdated",
    Defect.SOILED: "dirty filthy greasy stained soiled unwashed muddy grimy used contaminated",
    Defect.EMPTY: "empty emptied",
}
DEFECTS = {word: defect for defect, words in _WORDS.items() for word in words.split()}
"""Word -> what it says against the thing."""
_DISPOSAL = gather_words("""
    throw throwing discard discarding recycle recycling dispose disposing trash rubbish garbage
    waste repair repairing fix fixing compost composting
""")
"""For these nothing needs to be whole, clean or full."""
_PRETENCE = gather_words("""
    play playing pretend pretending decorate decorating decoration show child children
""")
_CLEANING = gather_words("""
    wash washing clean cleaning rinse rinsing scrub scrubbing refill
""")
_CLEANING_STEMS = ("wash", "dishwash", "clean", "rins", "scrub", "empt", "refill")
_CONTACT = gather_words("""
    eat eating drink drinking cook cooking bake baking serve serving sip sipping taste tasting
    breakfast lunch dinner supper meal soup wear wearing sleep sleeping dry drying blow blowing
    wrap bandage medicine nose mouth face skin
""")
"""Words for what touches food or a body."""
_CONTACT_KINDS = _phrases("""
    food, beverage, tableware, cutlery, drinking vessel, cup, glass, mug, dish, plate, bowl,
    spoon, fork, kitchen utensil, clothing, towel, linen, bedclothes, tissue, napkin, paper towel,
    toothbrush, comb, razor, medicine, bandage
""")
"""Kinds of things that do."""
_ACCESSORIES = gather_words("""
    holder bag case cover block rack stand charger sleeve hook opener remover cleaner frame topper
    handle blade poster picture photo painting drawing magazine book manual box lid cable brush
    dispenser hanger protector cushion pouch strap button sticker seat cap substitute replacement
    replica copy imitation dummy
""")
"""Heads of names of what only goes with a thing, shows it, or claims to do for it. Of other
heads the judges know more: a "drinking glass" and "walnut pieces" are what they are named after."""
_FOOD = frozenset(("food", "seasoning"))  # Pepper is cracked, and bread torn, to be used
_CONTENTS = gather_words("""
    food beverage liquid substance drug
""")
_INGESTION = gather_words("""
    eat eating drink drinking sip sipping taste tasting
""")
_DRINKING_VESSELS = _phrases("""
    drinking vessel, cup, glass, mug, bowl, tumbler
""")
_MEANINGS = 3  # Meanings of a word among which a kind is looked for: "glass" is a substance first


@lru_cache(maxsize=16_384)
def find_veto(label: str, purpose: str) -> str:
    """Find what in a label ("Dirty_Mug_2") rules out a purpose, or a wanted name; "" if nothing."""
    wanted = frozenset(normalise_label(purpose).split())
    for word, defect in _list_defects(label):
        if word not in wanted and _forbids(defect, label, purpose, wanted):
            return defect.value
    return Defect.ACCESSORY.value if _is_accessory(label, purpose) else ""


def is_about_state(instruction: str) -> bool:
    """Return True for words about throwing away, repairing or cleaning: flaws are no matter.

    "A clean mug" is not: it says how the mug has to be.
    """
    words = normalise_label(instruction).split()
    for before, word in pairwise(["", *words]):
        describes = before in ARTICLES and not word.endswith("ing")
        if word in _DISPOSAL or (word.startswith(_CLEANING_STEMS) and not describes):
            return True
    return False


def _list_defects(label: str) -> list[tuple[str, Defect]]:
    """List the words before the noun, and alone in brackets or behind a comma."""
    first, *others = [normalise_label(name).split() for name in split_names(label)]
    name = take_name(label).split()
    said = [
        word
        for place, word in enumerate(name[:-1])
        if (word not in UNREAL or denies(name, place)) and name[:place][-1:] != ["hot"]
    ]
    # The name ends before words that describe: "mug which is broken".
    said += [word for word in first[len(name) :] if DEFECTS.get(word) in _STATES]
    said += [words[0] for words in others if len(words) == 1]
    return [(word, DEFECTS[word]) for word in said if word in DEFECTS]


_STATES = (Defect.BROKEN, Defect.SPOILED, Defect.SOILED, Defect.EMPTY)


def _forbids(defect: Defect, label: str, purpose: str, wanted: frozenset[str]) -> bool:
    if wanted & _DISPOSAL:
        return defect is Defect.UNREAL
    if defect is Defect.UNREAL:
        return not wanted & _PRETENCE
    if defect is Defect.ANIMAL:
        return not any(DEFECTS.get(word) is Defect.ANIMAL for word in wanted) and _touches(
            purpose, wanted
        )
    if defect is Defect.SOILED:
        return not wanted & _CLEANING and _touches(purpose, wanted)
    if defect is Defect.EMPTY:
        return not wanted & _CLEANING and _needs_contents(label, purpose, wanted)
    return defect is not Defect.BROKEN or not _is_kind(take_name(label), _FOOD)


def _touches(purpose: str, wanted: frozenset[str]) -> bool:
    """Return True for a purpose that touches food or a body."""
    return bool(wanted & _CONTACT) or _is_kind(purpose, _CONTACT_KINDS)


def _needs_contents(label: str, purpose: str, wanted: frozenset[str]) -> bool:
    """Return True if an empty thing is used up, or what was in it is wanted."""
    name = take_name(label)
    if not is_holder(_find_last(name)):
        return True
    if wanted & _INGESTION:
        return not _is_kind(name, _DRINKING_VESSELS)
    return _is_content(purpose)


def _is_accessory(label: str, purpose: str) -> bool:
    """Return True if a thing only has its name from what is wanted: a mug holder is no mug.

    A milk box may hold what is wanted, and a sleeping bag is for sleeping.
    """
    words, name = normalise_label(label).split(), take_name(label).split()
    wanted = frozenset(list_singulars(normalise_label(purpose)))
    if not name or _ACCESSORIES.isdisjoint(list_singulars(name[-1])):
        return False
    head = name[-1]
    if _find_last(purpose).endswith("ing") or not wanted.isdisjoint(list_singulars(head)):
        return False
    behind = words[len(name) :]
    depicted = behind[1:] if behind[:1] in (["of"], ["for"]) else []
    parts = [name[start:end] for start in range(len(name)) for end in range(start + 1, len(name))]
    parts += [depicted[start:] for start in range(len(depicted))]
    if not any(wanted & {*list_singulars(" ".join(part))} for part in parts):
        return False
    return not (is_holder(head) and _is_content(purpose))


def _is_content(purpose: str) -> bool:
    """Return True for the name of what is eaten, drunk or used up: "milk", no "milk box"."""
    is_name = not any(word.endswith("ing") for word in normalise_label(purpose).split())
    return is_name and _is_kind(purpose, _CONTENTS) and not is_holder(_find_last(purpose))


def _find_last(words: str) -> str:
    return next(reversed(normalise_label(words).split()), "")


def _is_kind(words: str, kinds: frozenset[str]) -> bool:
    """Return True if a noun names a kind of these; without WordNet, one of them."""
    nouns = find_wordnet()
    name = normalise_label(words)
    if nouns is None:
        forms = {*list_singulars(name), *list_singulars(_find_last(name))}
        return not kinds.isdisjoint(forms)
    return nouns.is_kind(name, kinds, most_meanings=_MEANINGS)
