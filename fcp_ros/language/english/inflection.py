# SPDX-License-Identifier: Apache-2.0
"""Forms of English words: singular and plural, verb forms."""

from __future__ import annotations

from functools import lru_cache

_PLURALS = {
    "knives": "knife",
    "shelves": "shelf",
    "loaves": "loaf",
    "leaves": "leaf",
    "halves": "half",
    "scarves": "scarf",
    "mice": "mouse",
    "children": "child",
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "wives": "wife",
    "potatoes": "potato",
    "tomatoes": "tomato",
    "dice": "die",
    "bookcases": "bookcase",
    "vases": "vase",
    "cases": "case",
    "clothes": "clothing",
    "ones": "one",
}
_IRREGULAR_VERBS = {
    "put": "put puts putting",
    "take": "took taken taking takes",
    "bring": "brought brings bringing",
    "throw": "threw thrown throws throwing",
    "give": "gave given gives giving",
    "leave": "left leaves leaving",
    "keep": "kept keeps keeping",
    "make": "made makes making",
    "go": "went gone goes going",
    "set": "set sets setting",
    "get": "got gotten gets getting",
    "hold": "held holds holding",
    "hang": "hung hangs hanging",
    "lay": "laid lays laying",
    "shut": "shut shuts shutting",
    "sweep": "swept sweeps sweeping",
    "build": "built builds building",
    "find": "found finds finding",
    "eat": "ate eaten eats eating",
    "drink": "drank drunk drinks drinking",
    "write": "wrote written writes writing",
    "see": "saw seen sees seeing",
    "do": "did done does doing",
    "have": "had has having",
    "be": "is are was were been being am",
    "sit": "sat sits sitting",
    "stand": "stood stands standing",
    "lie": "lay lain lies lying",
    "ride": "rode ridden rides riding",
    "cut": "cut cuts cutting",
    "feed": "fed feeds feeding",
    "drive": "drove driven drives driving",
    "run": "ran runs running",
    "stick": "stuck sticks sticking",
    "slide": "slid slides sliding",
    "light": "lit lights lighting",
    "read": "read reads reading",
    "sleep": "slept sleeps sleeping",
    "dry": "dried dries drying",
    "tidy": "tidied tidies tidying",
    "empty": "emptied empties emptying",
    "carry": "carried carries carrying",
}
_STEMS = {form: verb for verb, forms in _IRREGULAR_VERBS.items() for form in (*forms.split(), verb)}


@lru_cache(maxsize=16_384)
def list_singulars(word: str) -> tuple[str, ...]:
    """Return the words that a plural may be of; empty if it does not look like a plural."""
    found: list[str] = []
    if word in _PLURALS:
        found.append(_PLURALS[word])
    if word.endswith("ies") and len(word) > 4:
        found.append(word[:-3] + "y")
    if word.endswith("es") and len(word) > 4 and word[-3] in "sxzho":
        found.append(word[:-2])
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        found.append(word[:-1])
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=16_384)
def list_stems(word: str) -> tuple[str, ...]:
    """Return the verbs that a word may be a form of, the word itself first."""
    found = [word]
    if word in _STEMS:
        found.append(_STEMS[word])
    for ending in ("ing", "ed", "es", "s"):
        if not word.endswith(ending) or len(word) - len(ending) < 2:
            continue
        stem = word[: -len(ending)]
        found.append(stem)
        if ending in ("ing", "ed"):
            found.append(stem + "e")
            if stem.endswith("i"):
                found.append(stem[:-1] + "y")
            if len(stem) > 2 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
        elif ending == "es" and stem.endswith("i"):
            found.append(stem[:-1] + "y")
    if word.endswith("ied") and len(word) > 4:
        found.append(word[:-3] + "y")
    return tuple(dict.fromkeys(found))


def write_gerund(verb: str) -> str:
    """Return the -ing form of a verb: "drink", "drinking"; "sit", "sitting"."""
    if verb.endswith("ing") and len(verb) > 5:
        return verb
    for form in _IRREGULAR_VERBS.get(verb, "").split():
        if form.endswith("ing"):
            return form
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return verb[:-1] + "ing"
    short = len(verb) == 3 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou"
    return verb + verb[-1] + "ing" if short else verb + "ing"
