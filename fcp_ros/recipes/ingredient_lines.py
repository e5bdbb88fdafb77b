# SPDX-License-Identifier: Apache-2.0
"""Lines of a list of ingredients as values.

`ingredient-parser-nlp` reads more, but fetches data of NLTK from the network when it is imported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.foundation.wording import gather_words
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.measures import NUMBER, PIECE, RANGE, UNIT, convert, read_number, read_unit
from fcp_ros.recipes.recipe import ListedIngredient

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
_ABOUT = r"(?:about|around|approx(?:imately)?\.?|at least|up to|some|a little|enough|roughly|~|<|>)"
_OF = r"(?:\s*\bof\s+(?:an?\s+|the\s+)?)?"
_AMOUNT = re.compile(
    rf"(?:{_ABOUT}\s*)?(?P<count>{RANGE})(?:"
    # "2 x (28 oz) cans plum tomatoes", "1 15-ounce can"
    rf"\s*(?:x\s*)?\(\s*(?P<each>{RANGE})\s*-?\s*(?P<each_unit>{UNIT})\s*\)\s*(?:{UNIT})?"
    rf"|\s*(?P<size>{NUMBER})\s*-?\s*(?P<size_unit>{UNIT})\s+{UNIT}"
    rf"|{_OF}\s*-?\s*(?P<unit>{UNIT}))?{_OF}"
    # the same in other units: "1 cup (240 ml) milk", "400 g | 14 oz", "1 cup or 240 ml"
    rf"(?:\s*(?:\(|[|/]|or\b)\s*(?:{_ABOUT}\s*)?{RANGE}\s*-?\s*{UNIT}\s*\)?{_OF})*",
    re.IGNORECASE,
)
"""The quantity at the beginning of a line; what follows is the food."""
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
WORD = re.compile(r"[^\W\d_](?:[\w'\u2019&-]*\w)?")


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


def unlink(text: str) -> str:
    """Write the words of links instead of the links."""
    return _LINK.sub(r"\1", text)


def find_foods(text: str, knowledge: FoodKnowledge) -> Iterator[tuple[int, int, str]]:
    """Find the names of foods in a text, the longest first: (start, end, food), left to right."""
    words = list(WORD.finditer(text))
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
    text = _MARKS.sub(" ", unlink(line)).strip(" -.\t")
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


def _parse(text: str) -> LineAmount | None:
    """Parse the quantity that a text begins with; None without one."""
    match = _AMOUNT.match(text)
    if match is None or re.search(r"\bper\b", text):  # for each of what nobody has counted
        return None
    quantity, rest = read_number(match["count"]), text[match.end() :].strip()
    for size, unit in (("each", "each_unit"), ("size", "size_unit")):
        if match[size]:
            return LineAmount(*read_unit(match[unit], quantity * read_number(match[size])), rest)
    unit = match["unit"]
    return LineAmount(*(read_unit(unit, quantity) if unit else (quantity, PIECE)), rest)


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
    choice = _read_choice(text, knowledge)
    if choice is not None:
        return [choice]
    each = [one for one in _EACH_AND.split(text if not has_quantity else head) if one]
    named = [_name(one, knowledge) for one in each]
    if len(named) > 1 and all(one.food for one in named):
        return [replace(one, is_shared=has_quantity) for one in named]
    one = _name(head, knowledge)
    return [one] if re.search(r"\w", one.name) else []


def _read_choice(text: str, knowledge: FoodKnowledge) -> _Named | None:
    """Read "parsley, oregano or cumin": the first one, and the others as alternatives."""
    pieces = [one for one in re.split(r",|\bor\b|/", text) if re.search(r"\w", one)]
    found = [next((food for *_, food in find_foods(one, knowledge)), "") for one in pieces]
    foods = list(dict.fromkeys(filter(None, found)))
    if len(foods) < 2 or 2 * len(foods) < len(pieces) or not re.search(r",.*\bor\b", text):
        return None
    return replace(_name_one(pieces[found.index(foods[0])], knowledge), alternatives=(*foods[1:],))


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
