# SPDX-License-Identifier: Apache-2.0
"""Category labels: one spelling for all sources, and their match with a table of labels."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fcp_ros.foundation.wording import gather_words
from fcp_ros.foundation.wordnet import find_wordnet

DENIALS = gather_words("not no nothing neither isn't isnt")
"""Words in front of what a thing is said not to be; "never" may praise it ("never failing")."""
NEGATIONS = gather_words(
    "not no non never neither nor isn't aren't isnt arent hardly nothing cannot"
)
ARTICLES = gather_words(
    "a an the this that these those my your his her our their its some any every each another"
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
    may might must shall it they he she you we i here there
""")
JOINTS = gather_words("of with without")
"""Words behind which stands what belongs to a thing, or what it is of: "mug with a handle"."""
_EXISTENTIAL = (("there", "is"), ("there", "are"))
"""Words with which a caption may begin; the thing stands behind them."""
_DEPICTIONS = gather_words("""
    picture photo photograph image drawing painting poster portrait sketch statue sculpture
""")
"""What shows a thing and is none: all of them where WordNet isn't there to tell, and what is no
representation by WordNet."""
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
    """The places of the name in the words of a caption."""

    begin: int
    end: int  # behind it; `begin` where nothing is named
    is_denied: bool = False  # True for what a thing is said not to be


def find_name(words: Sequence[str]) -> Caption:
    begin = 2 if tuple(words[:2]) in _EXISTENTIAL else 0
    while begin < len(words) and words[begin] in ARTICLES:
        begin += 1
    if begin == len(words):
        return Caption(0, len(words))
    if words[begin] in DENIALS or tuple(words[begin : begin + 2]) == ("anything", "but"):
        return Caption(begin, begin, is_denied=True)
    for place in range(begin + 1, len(words)):
        if words[place] == "of" and is_depiction(words[place - 1]):
            return Caption(begin, place)  # a picture of a mug is no mug
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


def is_depiction(word: str) -> bool:
    """Return True for a noun of what only shows a thing: "picture", "statue"."""
    nouns = find_wordnet()
    kinds = frozenset(("representation",))
    return any(
        form in _DEPICTIONS or (nouns is not None and nouns.is_kind(form, kinds))
        for form in list_singulars(word)
        if form not in MEASURES  # "set of mugs"
    )


def denies(words: Sequence[str], place: int) -> bool:
    """Return True if a word before the noun at the end says that it is none: "toy knife"."""
    return words[place] in UNREAL and place < len(words) - 1 and words[-1] not in _STORAGE


def is_thing(word: str) -> bool:
    """Return True for a word that can name a thing: "painting", but not "sitting" or "ideal".

    Without WordNet, its ending decides.
    """
    nouns = find_wordnet()
    if nouns is None:
        return word.isalpha() and word not in _ENDS and not word.endswith(_DESCRIBING)
    senses = nouns.find_senses(word)
    if not senses:  # a maker, or a word of another language
        return word.isalpha() and word not in _ENDS and not nouns.is_no_noun(word)
    return any(sense.is_concrete for sense in senses[:MOST_MEANINGS])


MOST_MEANINGS = 3  # Rarer meanings of a word don't make it one for a thing

# --- category labels ---

_WORD_BREAK = re.compile(r"[\s_\-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_ALTERNATIVES = re.compile(r"[,;/|]")
_TRAILING_NUMBERS = re.compile(r"(?<=\S)(?:\s+\d+)+$")
_PREFIX_WORDS = "robothor|sm|sk|bp|prefab|asset|prop|obj|mesh"
_ASSET_PREFIX = re.compile(rf"(?:{_PREFIX_WORDS})[_\s\-]+", re.IGNORECASE)
_PLAIN_PREFIX = re.compile(rf"(?:robo thor|{_PREFIX_WORDS}) ")
_CODE = re.compile(r"\w{1,2}|\w*\d\w*")
_SIZES = ("small", "medium", "large", "big", "mini", "tall", "short", "wide", "narrow")
_BELONGING = ("with", "without")
_NUMBER = re.compile(r"(?:label|class|category|id)?[\s_\-]*(\d+)", re.IGNORECASE)
_UNNAMED = frozenset(
    {"", "unknown", "undefined", "none", "null", "nan", "unlabeled", "unlabelled", "n/a"}
    | {"wikidata qcode", "wikidata id", "qcode", "wn synset", "placeholder"}
)
"""Labels that say that there is none, and keys of tables that stand where a label belongs."""
_ANYTHING = frozenset(("thing", "object", "item", "other", "stuff", "misc", "article", "entity"))
"""Labels of perception that fit everything."""

_CODE_OF_WIKIDATA = re.compile(r"Q\d{2,}")
_NUMBERED_WORD = re.compile(r"([^\W\d]{3,})\d+")
_COUNTED_WORD = re.compile(r"[^\W\d]{3,}[1-9]\d?")


@lru_cache(maxsize=16_384)
def normalise_label(label: str) -> str:
    """Return a label in one spelling: ``Dining_Table_12``, ``DiningTable`` give ``dining table``.

    Lower case, underscores and hyphens as spaces, camel case split (``TVStand``: ``tv stand``),
    trailing numbers dropped (a label that is only a number stays).
    """
    words = " ".join(part for part in _WORD_BREAK.split(label) if part)
    return _TRAILING_NUMBERS.sub("", words.lower())


def is_named(label: str) -> bool:
    """Return True unless a label is a number (``label_5``), a code, or says that it is unknown."""
    text = label.strip()
    is_code = _NUMBER.fullmatch(text) or _CODE_OF_WIKIDATA.fullmatch(text)
    return normalise_label(label) not in _UNNAMED and not is_code


def names_a_kind(label: str) -> bool:
    """Return True for a label that says what a thing is: it is named, and not just an "object"."""
    return is_named(label) and normalise_label(label) not in _ANYTHING


def describe_label(label: str) -> str:
    """Return a label as a person understands it: "number 5, without a name" for ``label_5``."""
    number = _NUMBER.fullmatch(label.strip())
    return f"number {number[1]}, without a name" if number else label


def match_label(label: str, labels: Mapping[str, str]) -> str | None:
    """Look a label up in a table of normalised labels; None if no form of it is there.

    The whole label counts first, then its last words ("dining table" -> "table"); each also without
    a plural ending.
    """
    return next((labels[form] for form in label_forms(label) if form in labels), None)


def label_forms(label: str) -> tuple[str, ...]:
    """List the forms under which a label may be known, most specific first.

    A label that lists several names ("refrigerator, icebox", as in ADE20k) or has brackets
    ("refrigerator (stainless)") is known under each of them, the one in brackets last. Of a caption
    ("brick next to the milk") only the name has last words; a "toy knife" is a toy,
    and no knife. A "bottle of water" is both. Then come
    the readings of names of assets: without codes at the end ("Countertop_L_4x4", "Mug2"), and
    after the prefix of a collection ("RoboTHOR_dining_table_extendable") by the first words.
    """
    return _find_forms(label)


@lru_cache(maxsize=16_384)
def _find_forms(label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_list_all_forms(label)))


def _list_all_forms(label: str) -> Iterator[str]:
    names = split_names(label)
    for name in names:
        words = normalise_label(name).split(" ")
        yield from list_singulars(" ".join(words))
        for part in _split_measure(_find_name_words(words)):
            yield from _list_tails(part)
    for name in names:
        bare = _drop_codes(normalise_label(name).split(" "))
        if bare:
            yield from _list_tails(bare)
        yield from _list_tails(_drop_sizes(normalise_label(name).split(" ")))
        prefix = _ASSET_PREFIX.match(name)
        if prefix is not None:
            words = normalise_label(name[prefix.end() :]).split(" ")
            yield from (" ".join(words[:end]) for end in range(len(words) - 1, 0, -1))


def _split_measure(words: list[str]) -> list[list[str]]:
    """Split "bottle of water" into what is measured and the measure; else there is one part.

    What is measured comes first: it says more of what may be done with a thing.
    """
    if "of" not in words[1:-1]:
        return [words]
    place = words.index("of", 1)
    return [words, words[:place]]


def take_name(label: str) -> str:
    """Take the name of the thing out of a label; "" if it only says what a thing is not."""
    return " ".join(_find_name_words(normalise_label(split_names(label)[0]).split(" ")))


def _find_name_words(words: list[str]) -> list[str]:
    """Find the words of a caption that name the thing, without what belongs to the thing."""
    if len(words) == 1:
        return words
    found = find_name(words)
    name = words[found.begin : found.end]
    for place in range(1, len(name)):
        if name[place] in _BELONGING:
            return name[:place]
        if name[place] == "of" and place + 1 < len(name):
            belongs = name[place + 1] in ARTICLES
            if belongs or not (name[place - 1] in MEASURES or is_holder(name[place - 1])):
                return name[:place]
    return name


def _list_tails(words: list[str]) -> Iterator[str]:
    """Yield the last words, most first, each with and without a plural ending."""
    for start in range(len(words)):
        yield from list_singulars(" ".join(words[start:]))
        if denies(words, start):
            yield words[start]
            return


def list_singulars(name: str) -> Iterator[str]:
    """Yield a name with and without a plural ending, by a rule of thumb."""
    yield name
    if name.endswith("s") and not name.endswith("ss"):
        yield name[:-1]
        if name.endswith("es"):
            yield name[:-2]


def _drop_sizes(words: list[str]) -> list[str]:
    """Return words without sizes at the end, which names of assets have there; one word stays."""
    end = len(words)
    while end > 1 and words[end - 1] in _SIZES:
        end -= 1
    return words[:end] if end < len(words) else []


def _drop_codes(words: list[str]) -> list[str]:
    """Return words without codes at the end; empty if there are none, or nothing else."""
    end = len(words)
    while end and _CODE.fullmatch(words[end - 1]):
        end -= 1
    if end == len(words):
        return []
    numbered = _NUMBERED_WORD.fullmatch(words[end])
    return [*words[:end], numbered[1]] if numbered is not None else words[:end]


def drop_asset_prefix(words: Sequence[str]) -> list[str]:
    """Drop the prefix of a collection of assets ("sm", "robo thor") from a normalised label."""
    text = " ".join(words)
    prefix = _PLAIN_PREFIX.match(text)
    return text[prefix.end() :].split(" ") if prefix is not None else list(words)


def drop_asset_codes(words: Sequence[str], known: Container[str] = ()) -> list[str]:
    """Drop codes and numbers at a normalised label's end but `known` words ("tv"); one stays."""
    left = list(words)
    while len(left) > 1 and _CODE.fullmatch(left[-1]) and left[-1] not in known:
        if _COUNTED_WORD.fullmatch(left[-1]):
            break
        left.pop()
    numbered = _NUMBERED_WORD.fullmatch(left[-1])
    return [*left[:-1], numbered[1]] if numbered is not None else left


def split_names(label: str) -> list[str]:
    """Split a label into the names that it lists; a single name is the label itself."""
    bracketed = _IN_BRACKETS.findall(label)
    names = _ALTERNATIVES.split(_IN_BRACKETS.sub(" ", label) if bracketed else label)
    if len(names) == 1 and not bracketed:
        return [label]
    return [name for name in (*names, *bracketed) if name.strip()] or [label]
