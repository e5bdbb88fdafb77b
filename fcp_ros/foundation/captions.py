# SPDX-License-Identifier: Apache-2.0
"""The name of a thing in a caption: a noun with what stands before it; the rest describes it.

"Rock which is ideal for drinking", "brick next to the milk" and "sock used as a mug" are a rock, a
brick and a sock: an English noun phrase says what a thing is before the first preposition, relative
pronoun, conjunction, verb or article, and these are few words, which no author can add to.
"Not a mug" names nothing. Participles and adjectives at the end ("rock perfect | for drinking")
describe as well: what is left ends in a word for a thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.foundation.wording import gather_words
from fcp_ros.foundation.wordnet import find_wordnet

DENIALS = gather_words("not no nothing neither isn't isnt")
"""Words in front of what a thing is said not to be; "never" may praise it ("never failing")."""
NEGATIONS = gather_words(
    "not no non never neither nor isn't aren't isnt arent hardly nothing cannot"
)
ARTICLES = gather_words(
    "a an the this that these those my your his her our their its some any every each"
)
PREPOSITIONS = gather_words("""
    about above across after against along alongside amid among around as at atop before behind
    below beneath beside besides between beyond by despite during except for from in inside instead
    into like near next off on onto opposite out outside over past per resembling since through to
    toward towards under underneath unlike until up upon versus via within
""")
CLAUSES = gather_words("""
    aka which who whom whose where when while whilst because although though if unless than so and
    or but yet is are was were be been being am has had having does do did will would could should
    may might must shall it they he she you we i
""")
JOINTS = gather_words("of with without")
"""Words behind which stands what belongs to a thing, or what it is of: "mug with a handle"."""
NAMING = gather_words("called named labelled labeled titled dubbed termed branded")
"""Participles behind which another name stands without a preposition."""
HOLDING = gather_words("holding containing replacing imitating")
UNREAL = gather_words("""
    toy fake pretend mock dummy replica counterfeit faux substitute doll
""")
"""Words before a noun that deny it: a toy knife is no knife. Imitation and artificial food is
eaten."""
_STORAGE = gather_words("""
    box basket chest bin shelf bag rack crate drawer cabinet cupboard trunk store shop room
""")
"""Of toys these are full: a toy box is a box."""
MEASURES = gather_words("""
    pair piece slice loaf stack pile bunch roll sheet bar set head heap lump bit handful pack bundle
    plate ball cube drop portion helping row lot couple dozen
""")
"""Nouns behind whose "of" stands what a thing is, besides containers: "slice of bread"."""
_HOLDERS = gather_words("""
    bottle box bag can cup glass bowl basket pot carton jar mug tin crate tub bucket tray chest bin
    vase shelf rack drawer cupboard
""")
"""What holds things, where WordNet isn't there to tell; also what is no container by WordNet."""
_ENDS = NEGATIONS | ARTICLES | PREPOSITIONS | CLAUSES | NAMING | HOLDING
_DESCRIBING = ("ed", "ing", "ly", "able", "ible", "ful", "ous", "ive", "less", "al", "ect", "ble")
"""Endings of words that are no things, where WordNet isn't there to tell."""


@dataclass(frozen=True, slots=True)
class Caption:
    """The places of the name in the words of a caption.

    Args:
        begin: of the name.
        end: behind it; `begin` where nothing is named.
        is_denied: True for what a thing is said not to be.
    """

    begin: int
    end: int
    is_denied: bool = False


def find_name(words: Sequence[str]) -> Caption:
    """Find the name of a thing in a caption.

    Args:
        words: in lower case.
    """
    begin = 0
    while begin < len(words) and words[begin] in ARTICLES:
        begin += 1
    if begin == len(words):
        return Caption(0, len(words))
    if words[begin] in DENIALS or tuple(words[begin : begin + 2]) == ("anything", "but"):
        return Caption(begin, begin, is_denied=True)
    for place in range(begin + 1, len(words)):
        belongs = words[place] in ARTICLES and words[place - 1] in JOINTS
        if words[place] in _ENDS and not belongs:
            end = _find_last_thing(words, begin, place)
            if end == begin and words[place] in DENIALS:  # "it is not a mug"
                return Caption(begin, begin, is_denied=True)
            if end > begin:  # else a compound: "pull out couch", "7 up can"
                return Caption(begin, end)
    return Caption(begin, len(words))


def _find_last_thing(words: Sequence[str], begin: int, end: int) -> int:
    """Find the place behind the last word for a thing; `begin` if there is none."""
    if words[end] == "as" and words[end - 1].endswith(("ed", "ing")):
        end -= 1  # "serving as" is no helping of food
    while end > begin and not is_thing(words[end - 1]):
        end -= 1
    return end


def is_holder(word: str) -> bool:
    """Return True for a noun of a container, or of furniture that holds things."""
    nouns = find_wordnet()
    kinds = frozenset(("container", "cupboard"))
    return word in _HOLDERS or (nouns is not None and nouns.is_kind(word, kinds, most_meanings=2))


def denies(words: Sequence[str], place: int) -> bool:
    """Return True if a word before the noun at the end says that it is none: "toy knife"."""
    return words[place] in UNREAL and place < len(words) - 1 and words[-1] not in _STORAGE


def is_thing(word: str) -> bool:
    """Return True for a word that can name a thing: "painting", but neither "sitting" nor "ideal".

    Without WordNet, its ending decides.
    """
    nouns = find_wordnet()
    if nouns is None:
        return word.isalpha() and word not in _ENDS and not word.endswith(_DESCRIBING)
    senses = nouns.find_senses(word)
    if not senses:  # a maker, or a word of another language
        return word.isalpha() and word not in _ENDS and not nouns.is_no_noun(word)
    return any(sense.is_concrete for sense in senses[:MOST_MEANINGS])


MOST_MEANINGS = 3
"""Rarer meanings of a word don't make it one for a thing."""
