# SPDX-License-Identifier: Apache-2.0
"""Names and numbers in texts: near misses of unknown names, readable lists, exact decimals."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction

_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
_LONGEST = 100
"""Longer names are not compared with others: the comparison takes time of the product."""
_MOST_PLACES = 40  # Decimal places that are written; a number with more, such as 1/3, is rounded
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys, that break lines, or that turn the direction of a text."""
_LAYOUT = re.compile(r"[\t-\r\u2028-\u202e\u2066-\u2069]")
"""Those of them that a text of several lines, in any script, may hold."""
_VOWEL = re.compile(r"[aeio]|u(?!ni|s[aei]|te)", re.IGNORECASE)
_SIMILAR = 0.6
"""Least similarity (`difflib.SequenceMatcher.ratio`) of a name that was probably meant."""


def gather_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def choose_article(noun: str) -> str:
    """Choose "a" or "an" by the letters that a noun begins with."""
    return "an" if _VOWEL.match(noun) else "a"


def find_similar(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` was most likely meant to be, in any case, or None."""
    if len(name) > _LONGEST:
        return None
    by_folded = {one.casefold(): one for one in known if len(one) <= _LONGEST}
    matches = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=_SIMILAR)
    return by_folded[matches[0]] if matches else None


def suggest_name(name: str, known: Iterable[str], most: int = 8) -> str:
    """Say what to write instead of an unknown name: "did you mean x?", or `most` known names."""
    names = sorted(set(known))
    similar = find_similar(name, names)
    if similar is not None:
        return f"did you mean {similar}?"
    if not names:
        return "there is none to choose from"
    shown = ", ".join(names[:most])
    return f"known are {shown}{' ...' if len(names) > most else ''}"


def describe_unknown_name(what: str, name: object, known: Iterable[str], where: str) -> str:
    """Say that a name of a kind ("relation") doesn't exist there, and which ones do."""
    names = sorted(known)
    similar = find_similar(str(name), names)
    text = f"no {what} {name!r} in {where}"
    if similar is not None:
        return f"{text}; did you mean {similar!r}?"
    if not names:
        return f"{text}, which has none"
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{text}; there are: {shown}"


def list_names(names: Iterable[str], most: int = 5) -> str:
    """Return the first few names, and how many more there are: "a, b, c, d, e and 7 more"."""
    listed = list(names)
    shown = ", ".join(listed[:most])
    return f"{shown} and {len(listed) - most} more" if len(listed) > most else shown


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as in a sentence: "a", "a and b", "a, b and c". `words`: at least one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def shorten_words(text: str, most: int = 100) -> str:
    """Cut the words of a message that are longer than `most`, such as a name of a megabyte."""
    return re.sub(rf"(\S{{{most}}})\S+", r"\1...", text)


def find_control(text: str, *, multiline: bool = False) -> str:
    """Return the first control character of a text, such as "U+001B"; "" if there is none.

    `multiline`: allow line breaks, tabs, and marks of the direction of writing.
    """
    if text.isprintable():
        return ""
    controls = (found.group() for found in _CONTROLS.finditer(text))
    first = next((one for one in controls if not (multiline and _LAYOUT.match(one))), "")
    return f"U+{ord(first):04X}" if first else ""


def hide_controls(text: str) -> str:
    """Replace the control characters of a message but for its line breaks and tabs."""
    if text.isprintable():
        return text
    return _CONTROLS.sub(lambda found: found[0] if found[0] in "\n\t" else _UNPRINTABLE, text)


def to_printable(text: str) -> str:
    """Replace all characters of a name from a file that a terminal or a picture would obey."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _UNPRINTABLE for letter in text)


def write_decimal(value: Fraction) -> str:
    """Write a number with all its digits; one without a finite decimal form is rounded."""
    digits, places = abs(value), 0
    while digits.denominator > 1:
        digits, places = digits * 10, places + 1
        if places > _MOST_PLACES:
            return repr(float(value))
    text = f"{digits.numerator:0{places + 1}d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else sign + text


# --- names that nothing else has


def find_free_name(wanted: str, *taken: Container[str]) -> str:
    """Return `wanted`, or it with the first number from 2 on that is in none of `taken`."""
    name, number = wanted, 1
    while any(name in names for names in taken):
        number += 1
        name = f"{wanted}_{number}"
    return name


class FreeNames:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Take `wanted` if it is free, else ``wanted_2``, ``wanted_3``, ..."""
        name = wanted
        number = self._counts.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._counts[wanted] = number
        self._taken.add(name)
        return name
