# SPDX-License-Identifier: Apache-2.0
"""Lines of a list of ingredients as values; a grammar of our own for their quantities.

`ingredient-parser-nlp` reads more, but fetches data of NLTK from the network when it is imported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fcp_ros.foundation.wording import gather_words
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.measures import PIECE, convert, read_unit
from fcp_ros.recipes.recipe import ListedIngredient

_GRAMMAR = Path(__file__).with_name("ingredient_line.lark")
_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "half": 0.5, "quarter": 0.25, "few": 3,
    "couple": 2, "dozen": 12,
}  # fmt: skip
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"\*\*|__|[*`\u2022]")
_OPTIONAL = re.compile(r"\(?\s*\boptional(?:ly)?\b\s*[:,)]?", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")
_QUANTITY_IN_BRACKETS = re.compile(r"\(\s*((?:about |around |~\s*)?\d[^()]*)\)")
_QUANTITY_LAST = re.compile(
    r"^(?P<name>[^\d:]+?)\s*[:,-]\s*(?P<rest>(?:about |around |~\s*)?[\d].*)$", re.IGNORECASE
)
_CAPITALS = re.compile(r"[^\W\d_]{2,}")  # "2 Tbsp"; of single letters, T and t differ
_HYPHEN_FRACTION = re.compile(r"(\d)\s*-\s*(\d+/\d+)")
_BOUND = re.compile(
    r"\s(?:for|in|with|from|to|per|at|on|into|as|if|plus|enough|whisked|cut|depending)\s",
    re.IGNORECASE,
)
_SIZE_OF_UNIT = re.compile(
    r"^(an?|one|two|\d+) (?:small|large|big|heap(?:ing|ed)|level|generous|good) ", re.IGNORECASE
)
_PARSED = 90
"""Characters of a line that may hold its quantity; the grammar's time grows with the square."""
_EACH_OR = re.compile(r"\s*(?:\bor\b|/)\s*", re.IGNORECASE)
_EACH_AND = re.compile(r"\s*(?:\band\b|&|\+|,|;)\s*", re.IGNORECASE)
_PART_OF = re.compile(
    r"^(?P<part>zest|juice|rind|peel|whites?|yolks?)\s+(?:of|from)\s+"
    r"(?:an?\s+|the\s+)?(?P<count>\d+)?\s*(?:whole\s+)?(?P<whole>.+)$",
    re.IGNORECASE,
)
_SIZES = gather_words(
    """
    small medium large big whole half heaping level fresh freshly finely roughly thinly coarsely
    ripe raw chopped minced sliced diced grated shredded crushed melted softened peeled cooked
    beaten ground packed sifted warm hot cold boneless skinless of the a an some good quality few
    little bit any your favourite favorite
    """
)
_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019&-]*\w)?")


@dataclass(frozen=True, slots=True)
class LineAmount:
    """A quantity at the beginning of a line, and the food behind it."""

    quantity: float | None
    unit: str
    rest: str


def read_ingredients(line: str, knowledge: FoodKnowledge) -> list[ListedIngredient]:
    """Read a line; several for "salt and pepper". Without a food, the list is empty."""
    text = _clean(line)
    found = _read(text, line, knowledge)
    if "(" in text and not any(one.food for one in found):
        # "4 pinches of (mozzarella or Jack cheese)": the food itself is in brackets.
        inside = _read(" ".join(re.sub(r"[()]", " ", text).split()), line, knowledge)
        found = inside if any(one.food for one in inside) else found
    return found


def _read(text: str, line: str, knowledge: FoodKnowledge) -> list[ListedIngredient]:
    optional = _OPTIONAL.search(text) is not None
    amount = _read_amount(_OPTIONAL.sub(" ", text))
    more = _parse(amount.rest[1:].strip()) if amount.rest.startswith("+") else None
    if more is not None and amount.quantity is not None and more.quantity is not None:
        # "1 cup + 2 tbsp milk"; what doesn't convert is left out.
        added = convert(more.quantity, more.unit, amount.unit, "", knowledge) or 0.0
        amount = LineAmount(amount.quantity + added, amount.unit, more.rest)
    part = _PART_OF.match(amount.rest)
    if part is not None:
        count = float(part["count"]) if part["count"] else amount.quantity
        amount = LineAmount(count, PIECE, f"{part['whole'].rstrip('s')} {part['part']}")
    found: list[ListedIngredient] = []
    for one in _divide(amount.rest, amount.quantity is not None, knowledge):
        # The quantity of "2 tsp salt and pepper" is that of both together: nobody's own.
        shared = len(found) > 0 or one.is_shared
        quantity, unit = (None, "") if shared else (amount.quantity, amount.unit)
        shown = line.strip()
        found.append(
            ListedIngredient(one.name, one.food, quantity, unit, shown, one.alternatives, optional)
        )
    return found


def find_foods(text: str, knowledge: FoodKnowledge) -> Iterator[tuple[int, int, str]]:
    """Find the names of foods in a text, the longest first: (start, end, food), left to right."""
    words = list(_WORD.finditer(text))
    place = 0
    while place < len(words):
        for length in range(min(knowledge.longest_name, len(words) - place), 0, -1):
            first, last = words[place], words[place + length - 1]
            inside = text[first.start() : last.end()]
            if length > 1 and re.search(r"[^\w\s'\u2019&-]", inside):
                continue
            food = knowledge.find(inside)
            if food is not None:
                yield first.start(), last.end(), food
                place += length - 1
                break
        place += 1


def _clean(line: str) -> str:
    """Return a line without markup, with fractions in digits."""
    text = _MARKS.sub(" ", _LINK.sub(r"\1", line)).strip(" -.\t")
    text = "".join(
        f" {unicodedata.normalize('NFKC', one).replace(chr(0x2044), '/')} "
        if unicodedata.category(one) == "No"
        else one
        for one in text
    )
    text = " ".join(_HYPHEN_FRACTION.sub(r"\1 \2", text).split())
    text = _CAPITALS.sub(lambda match: match[0].lower(), text)
    return _SIZE_OF_UNIT.sub(r"\1 ", text)


def _read_amount(text: str) -> LineAmount:
    """Read the quantity of a line, wherever it stands."""
    last = _QUANTITY_LAST.match(text)
    if last is not None:
        read = _parse(last["rest"])
        if read is not None:
            return replace(read, rest=f"{last['name']}, {read.rest}".strip(", "))
    read = _parse(text)
    if read is None:
        bracket = _QUANTITY_IN_BRACKETS.search(text)
        inner = _parse(bracket[1]) if bracket else None
        rest = _BRACKETS.sub(" ", text)
        return LineAmount(inner.quantity, inner.unit, rest) if inner else LineAmount(None, "", rest)
    return replace(read, rest=_BRACKETS.sub(" ", read.rest))


@lru_cache(maxsize=4096)
def _parse(text: str) -> LineAmount | None:
    """Parse the quantity that a text begins with; None without one."""
    from lark.exceptions import LarkError

    if re.search(r"\bper\b", text):  # for each of what nobody has counted
        return None
    try:
        # With a rest, "50 grams" can't be 50 pieces of grams.
        tree = _load_grammar().parse(f"{text[:_PARSED]} .")
    except LarkError:
        return None
    rest = next((str(one) for one in tree.children if getattr(one, "type", "") == "REST"), "")
    rest = rest.removesuffix(".").rstrip() + text[_PARSED:]
    amount = next(one for one in tree.children if getattr(one, "data", "") in _AMOUNTS)
    counts = [_read_count(one) for one in amount.find_data("count")]
    own = [one for one in amount.children if getattr(one, "data", "") == "count"]
    units = [str(one) for one in amount.children if getattr(one, "type", "") == "UNIT"]
    if amount.data == "counted":
        # "2 (400 g) chicken breasts": the weight says more than the pieces do.
        inner = list(amount.find_data("in_brackets"))
        if inner:
            unit = next(str(one) for one in inner[0].children if getattr(one, "type", "") == "UNIT")
            return LineAmount(*read_unit(unit, counts[-1]), rest)
        return LineAmount(_read_count(own[0]), PIECE, rest)
    quantity = _read_count(own[0])
    if amount.data in ("packed", "canned") and len(own) > 1:
        return LineAmount(*read_unit(units[0], quantity * _read_count(own[1])), rest)
    return LineAmount(*read_unit(units[0], quantity), rest)


_AMOUNTS = ("measured", "packed", "canned", "counted")


@lru_cache(maxsize=1)
def _load_grammar() -> Any:
    from lark import Lark

    return Lark(_GRAMMAR.read_text(encoding="utf-8"), parser="earley", lexer="dynamic")


def _read_count(tree: Any) -> float:
    """Return the number of a count, the middle of a range."""
    numbers = [_read_number(one) for one in tree.children if hasattr(one, "data")]
    return sum(numbers) / len(numbers)


def _read_number(tree: Any) -> float:
    texts = [str(one) for one in tree.children]
    if tree.data == "word":
        words = texts[0].lower().split()
        return max(
            (_WORDS[one] for one in words if one in _WORDS and one not in ("a", "an")), default=1.0
        )
    total = 0.0
    for text in texts:
        above, _, below = text.replace(",", ".").partition("/")
        total += float(above) / (float(below) or 1.0) if below else float(above)
    return total


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    food: str
    alternatives: tuple[str, ...] = ()
    is_shared: bool = False


def _divide(text: str, has_quantity: bool, knowledge: FoodKnowledge) -> list[_Named]:
    """Divide what follows the quantity into foods."""
    text = _BOUND.split(f" {text} ")[0].strip(" ,;")
    head = text.split(",")[0]
    each = [one for one in _EACH_AND.split(text if not has_quantity else head) if one]
    named = [_name(one, knowledge) for one in each]
    if len(named) > 1 and all(one.food for one in named):
        return [replace(one, is_shared=has_quantity) for one in named]
    one = _name(head, knowledge)
    return [one] if re.search(r"\w", one.name) else []


def _name(text: str, knowledge: FoodKnowledge) -> _Named:
    """Find the food of a text; of "butter or margarine" the second one is an alternative."""
    named = [_name_one(one, knowledge) for one in _EACH_OR.split(text) if one.strip()]
    first, *others = named or [_Named("", "")]
    alternatives = tuple(one.food for one in others if one.food and one.food != first.food)
    return replace(first, alternatives=alternatives)


def _name_one(text: str, knowledge: FoodKnowledge) -> _Named:
    found = list(find_foods(text, knowledge))
    if found:
        # The longest name; of several, the head of an English noun is the last one.
        start, end, food = max(
            found, key=lambda one: (one[1] - one[0] > 0, len(one[2].split()), one[0])
        )
        return _Named(" ".join(text[start:end].lower().split()), food)
    words = [word for word in text.lower().split() if word.strip(",.") not in _SIZES]
    return _Named(" ".join(words).strip(" ,.;:-"), "")
