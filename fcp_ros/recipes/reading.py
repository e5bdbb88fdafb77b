# SPDX-License-Identifier: Apache-2.0
"""The lines of a recipe as a `Recipe`: what each step takes and gives.

    lines -> ingredients -> per direction: syntax (spaCy) -> foods, products, tools, times -> steps

A food is found by its name in the knowledge file or the list, the longest name first, so that
"peanut butter" is no butter. The syntax tells nouns from verbs ("butter the dish"), and what is
denied ("without butter"). What was not understood is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.syntax import Tree, Word, parse_segments
from fcp_ros.recipes.direction_words import (
    GENERIC,
    PRODUCTS,
    PRONOUNS,
    find_step_numbers,
    find_temperatures,
    find_times,
)
from fcp_ros.recipes.ingredient_lines import read_ingredients
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import (
    FoodMention,
    ListedIngredient,
    MentionKind,
    Note,
    Recipe,
    RecipeCode,
    RecipeError,
    Step,
    check_order,
)
from fcp_ros.recipes.recipe_files import RecipeLines

UNREMARKABLE = frozenset({"water", "salt", "pepper", "black pepper", "ice"})
"""Foods that recipes use without listing them; any other one is noted."""
_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019&-]*\w)?")
_LINK_TARGET = re.compile(r"(?<=\])\([^)]*\)|https?://\S+")
_TOOL_BEHIND = re.compile(
    r"[ -](?:scoop|scooper|knife|press|mill|grinder|cutter|cooker|machine|beater|timer|spinner|pan|"
    r"tray|sheet|dish|stone|brush|peeler|bag|cloth)s?\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(\d\W])")
_GROUP = re.compile(
    r"\b(?P<which>all|all the|all of the|the (?:rest|remainder) of the|"
    r"(?:the )?(?:remaining|other)|(?:the )?(?:other )?dry|(?:the )?wet|rest of the|next \w+|the)"
    r"\s+(?:\w+\s+)?ingredients?\b",
    re.IGNORECASE,
)
_WET = frozenset({"liquid", "fat", "acid", "alcohol", "creaminess"})
_PARTS = frozenset(["yolk", "white", "zest", "juice", "rind", "peel", "leaf", "clove", "wash"])
"""Parts of a food that directions name where the list has the whole: the yolks of the eggs."""
FOOD_VERBS = frozenset(
    ["butter", "salt", "flour", "oil", "pepper", "sugar", "egg", "bread", "water"]
)
"""Names of foods that as verbs mean to put them on something."""
_ADDING = frozenset(
    [
        "add",
        "stir",
        "fold",
        "top",
        "sprinkle",
        "drizzle",
        "season",
        "pour",
        "spread",
        "garnish",
        "cover",
        "return",
        "whisk",
        "arrange",
        "throw",
        "toss",
        "put",
        "place",
    ]
)
"""Verbs that bring an ingredient to what the step before gave."""
MADE = "mixture"
PARTS_OF_MADE = 0.6
"""Share of the parts of a food that steps have used before it counts as made by them."""
_JOINING = frozenset(["combine", "unite", "incorporate", "assemble"])
"""Verbs that bring together all that was made so far."""
_RESULT = re.compile(
    r"\b(?:into|form|forms|make|makes|for|becomes?|is|get|have)\s+(?:an?|the|your)?\s*"
    r"(?:\w+\s+){0,3}?(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)


def read_recipe(lines: RecipeLines, knowledge: FoodKnowledge) -> Recipe:
    """Read the lines of a recipe.

    Raises:
        RecipeError: no line names a food, or steps need what only later ones give.
        InputError: spaCy or its English pipeline isn't installed.
    """
    ingredients: list[ListedIngredient] = []
    unread = [f"not a part of the recipe: {line}" for line in lines.left_over]
    for line in lines.ingredients:
        found = read_ingredients(line, knowledge)
        ingredients += found
        if not any(one.food for one in found):
            unread.append(f"no food known to the knowledge file in the ingredient: {line}")
    if not ingredients:
        sentence = "No line of the list of ingredients names anything: write one food a line."
        raise RecipeError(RecipeCode.NO_INGREDIENTS, sentence)
    reader = _Reader(_merge(ingredients), knowledge)
    steps = reader.read(lines.directions)
    check_order(steps, reader.ingredients)
    return Recipe(
        lines.title,
        tuple(reader.ingredients),
        tuple(steps),
        not_understood=(*unread, *reader.unread),
        notes=tuple(reader.notes),
    )


def _merge(ingredients: Iterable[ListedIngredient]) -> list[ListedIngredient]:
    """Give ingredients that are listed twice (dough, topping) names of their own."""
    merged: list[ListedIngredient] = []
    counts: dict[str, int] = {}
    for one in ingredients:
        counts[one.name] = number = counts.get(one.name, 0) + 1
        merged.append(one if number == 1 else replace(one, name=f"{one.name} ({number})"))
    return merged


@dataclass(slots=True)
class _Parsed:
    """The words of a direction by their place in the text, with their trees."""

    words: dict[int, tuple[Word, Tree]] = field(default_factory=dict)
    verbs: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    """The mentions in a direction."""

    mentions: list[FoodMention] = field(default_factory=list)
    products: list[str] = field(default_factory=list)  # nouns
    pronoun: bool = False


class _Reader:
    """Reads the directions of one recipe in their order."""

    def __init__(self, ingredients: list[ListedIngredient], knowledge: FoodKnowledge) -> None:
        self.ingredients = ingredients
        self.unread: list[str] = []
        self.notes: list[Note] = []
        self._knowledge = knowledge
        self._surfaces = _list_surfaces(ingredients, knowledge)
        self._longest = max((len(one.split()) for one in self._surfaces), default=1)
        self._longest = max(self._longest, knowledge.longest_name)
        self._tools = _list_tool_words(knowledge)
        self._used: set[int] = set()

    def read(self, directions: Sequence[str]) -> list[Step]:
        steps: list[Step] = []
        references: list[tuple[int, int]] = []
        for number, text in enumerate(directions):
            steps.append(self._read_step(text, steps))
            for wanted in find_step_numbers(text):
                if 1 <= wanted <= len(directions):
                    references.append((number, wanted - 1))
        for number, wanted in references:
            name = steps[wanted].gives
            if name and name not in steps[number].uses:
                steps[number] = replace(steps[number], uses=(*steps[number].uses, name))
            if wanted >= number:
                check_order_of_reference(number, wanted, steps)
        return steps

    def _read_step(self, text: str, earlier: Sequence[Step]) -> Step:
        parsed = _parse(text)
        found = self._find(text, parsed)
        self._find_groups(text, found)
        products = _resolve(found, earlier, parsed.verbs)
        names = dict.fromkeys(self.ingredients[one.ingredient].name for one in found.mentions)
        tools = tuple(self._find_tools(text, parsed.verbs))
        times, heat = list(find_times(text)), list(find_temperatures(text))
        if not names and not products and earlier and (found.pronoun or not (tools and heat)):
            last = next((one.gives for one in reversed(earlier) if one.gives), "")
            products = [last] if last else []
        if not (names or found.products or tools or times or found.pronoun):
            self.unread.append(f"nothing to use or do in the direction: {text}")
        self._used |= {one.ingredient for one in found.mentions}
        uses = (*names, *(one for one in products if one not in names))
        return Step(
            text,
            uses,
            _name_product(text, found, list(names), products, len(earlier) + 1),
            tools,
            sum(one.value for one in times) if times else None,
            next((round(one.value, 1) for one in _prefer_celsius(heat)), None),
            tuple(sorted(found.mentions, key=lambda one: one.start)),
            parsed.verbs,
        )

    # --- foods

    def _find(self, text: str, parsed: _Parsed) -> _Found:
        """Find the ingredients and products that a text names."""
        found = _Found()
        links = [match.span() for match in _LINK_TARGET.finditer(text)]
        words = [
            word
            for word in _WORD.finditer(text)
            if not any(start <= word.start() < end for start, end in links)
        ]
        place = 0
        while place < len(words):
            length = self._find_at(text, words, place, parsed, found)
            if not length:
                single = _singular(words[place][0].lower())
                if single in PRODUCTS:
                    found.products.append(single)
                found.pronoun |= single in PRONOUNS or words[place][0].lower() in PRONOUNS
            place += max(length, 1)
        return found

    def _find_at(
        self,
        text: str,
        words: Sequence[re.Match[str]],
        place: int,
        parsed: _Parsed,
        found: _Found,
    ) -> int:
        """Add what the words from a place on name; return their number, 0 for nothing."""
        for length in range(min(self._longest, len(words) - place), 0, -1):
            start, end = words[place].start(), words[place + length - 1].end()
            inside = text[start:end]
            if length > 1 and re.search(r"[^\w\s'\u2019&-]", inside):
                continue
            indices = self._find_named(inside.lower())
            if not indices and any(_singular(one) in PRODUCTS for one in [inside.lower()]):
                return 0
            if not indices:
                indices = self._find_kind(inside.lower())
                if indices and _joins_last(found, text, start, end):
                    return length  # "Parmigiano-Reggiano cheese"
            unlisted = "" if indices else (self._knowledge.find(inside) or "")
            if not indices and not unlisted:
                continue
            if unlisted and self._is_made(unlisted):
                found.products.append(MADE)  # "toss it with the pesto" that was just blended
                return length
            last = words[place + length - 1]
            if _TOOL_BEHIND.match(text, end):
                return length  # "ice cream scooper"
            kind, object_end = _find_kind_of_mention(last, parsed, length)
            if kind is not MentionKind.NOUN and _is_listed_with(found, text, start):
                kind, object_end = MentionKind.NOUN, -1
            if kind is None:
                return length  # denied, or another word: "cream butter and sugar"
            indices = indices or [self._add_unlisted(unlisted, inside)]
            # A word for several ingredients names none of them: it stays when one is replaced.
            shown = kind if len(indices) == 1 else MentionKind.SAME
            for index in indices:
                found.mentions.append(FoodMention(index, start, end, shown, object_end))
            return length
        return 0

    def _find_named(self, words: str) -> list[int]:
        for form in (words, words.replace("-", " "), _singular_last(words)):
            if form in self._surfaces:
                return self._surfaces[form]
        return []

    def _find_kind(self, words: str) -> list[int]:
        """Find the ingredients of a kind that words name: "nuts", "cheese"."""
        kind = _singular_last(words)
        names = {words, kind, self._knowledge.find(words)} - {None}
        return [
            index
            for index, one in enumerate(self.ingredients)
            if one.food and names & self._knowledge.kinds_of(one.food)
        ]

    def _is_made(self, food: str) -> bool:
        """Return True for a food whose own parts were used already: it comes of them."""
        known = self._knowledge.ingredients.get(food)
        parts = set(known.parts) if known is not None else set()
        foods = [self.ingredients[index].food for index in self._used]
        used = {kind for one in foods if one for kind in self._knowledge.kinds_of(one)}
        return len(parts & used) >= max(2, PARTS_OF_MADE * len(parts))

    def _add_unlisted(self, food: str, shown: str) -> int:
        """Add what only the directions name: diets and allergens hold for it, too."""
        *whole, part = food.split()
        wholes = {food, " ".join(whole)} if part in _PARTS else {food}
        known = (index for index, one in enumerate(self.ingredients) if one.food in wholes)
        index = next(known, len(self.ingredients))
        if index == len(self.ingredients):
            name = " ".join(shown.lower().split())
            listed = [one.food for one in self.ingredients if one.food and food in one.alternatives]
            self.ingredients.append(ListedIngredient(name, food, alternatives=tuple(listed)))
            self._surfaces.setdefault(name, []).append(index)
            self._surfaces.setdefault(food, []).append(index)
            if food not in UNREMARKABLE:
                sentence = f"The directions use {name}, which is not listed; it counts as listed."
                self.notes.append(Note(RecipeCode.UNLISTED, sentence))
        return index

    def _find_groups(self, text: str, found: _Found) -> None:
        """Add the ingredients that "all ingredients" and the like stand for."""
        for match in _GROUP.finditer(text):
            which = match["which"].lower()
            named = {one.ingredient for one in found.mentions}
            for index, one in enumerate(self.ingredients):
                wet = bool(_WET & self._knowledge.roles_of(one.food)) if one.food else False
                fits = one.line and index not in named
                if "dry" in which or "wet" in which:
                    fits = fits and wet == ("wet" in which) and index not in self._used
                elif which not in ("all", "all the", "all of the"):
                    fits = fits and index not in self._used
                if fits:
                    found.mentions.append(FoodMention(index, *match.span(), MentionKind.SAME))

    # --- tools

    def _find_tools(self, text: str, verbs: Sequence[str]) -> Iterator[str]:
        low = f" {' '.join(_singular(one.lower()) for one in _WORD.findall(text))} "
        spoken = set(verbs)
        seen = set()
        for word, tool in self._tools:
            if tool not in seen and (f" {word} " in low or word in spoken):
                seen.add(tool)
                yield tool


def check_order_of_reference(number: int, wanted: int, steps: Sequence[Step]) -> None:
    """Refuse a step that names one that comes later, or itself."""
    later = "itself" if wanted == number else f"step {wanted + 1}, which comes later"
    mutual = steps[number].gives in steps[wanted].uses and wanted != number
    hint = "each needs what the other gives" if mutual else "write it behind that one"
    sentence = f"Step {number + 1} takes what is made in {later}: {hint}."
    raise RecipeError(RecipeCode.CYCLIC, sentence)


def _parse(text: str) -> _Parsed:
    parsed = _Parsed()
    verbs = []
    for sentence in _split_sentences(text):
        for segment in parse_segments(tokenise(text[sentence.start : sentence.stop])):
            for word in segment.tree.words:
                if word.is_inserted:
                    continue
                parsed.words[sentence.start + word.start] = (word, segment.tree)
                modifies = word.role in ("aux", "auxpass", "amod", "compound")
                if word.is_verb and not modifies:
                    verbs.append(word.lemma)
    parsed.verbs = tuple(dict.fromkeys(verbs))
    return parsed


def _split_sentences(text: str) -> Iterator[slice]:
    start = 0
    for match in _SENTENCE.finditer(text):
        yield slice(start, match.start())
        start = match.end()
    yield slice(start, len(text))


def _find_kind_of_mention(
    last: re.Match[str], parsed: _Parsed, length: int
) -> tuple[MentionKind | None, int]:
    """Decide what part a food's name plays; None where it is denied or means something else."""
    found = parsed.words.get(last.start())
    if found is None:
        return MentionKind.NOUN, -1
    word, tree = found
    target = tree.find_child(word.place, "dobj")
    if word.is_verb and length == 1 and word.tag in ("VB", "VBP") and target is not None:
        if word.text not in FOOD_VERBS:
            return None, -1
        shift = last.start() - word.start
        return MentionKind.VERB, tree.get_span(tree.list_subtree(target.place))[1] + shift
    above = tree.words[word.head]
    if above.text == "without" or tree.find_child(word.place, "neg") is not None:
        return None, -1
    while above.head != above.place and not above.is_verb:
        above = tree.words[above.head]
    if above.is_verb and tree.find_child(above.place, "neg") is not None:
        return None, -1
    return MentionKind.NOUN, -1


def _is_listed_with(found: _Found, text: str, start: int) -> bool:
    """Return True if a name continues an enumeration of foods: "salt, and pepper"."""
    before = max((one.end for one in found.mentions), default=-1)
    return before >= 0 and re.fullmatch(r"\s*(?:,|,?\s*and|&)\s*", text[before:start]) is not None


def _joins_last(found: _Found, text: str, start: int, end: int) -> bool:
    """Let the last mention reach to the end of a kind that directly follows it."""
    last = found.mentions[-1] if found.mentions else None
    if last is None or not text[last.end : start].isspace():
        return False
    found.mentions[-1] = replace(last, end=end)
    return True


def _list_surfaces(
    ingredients: Sequence[ListedIngredient], knowledge: FoodKnowledge
) -> dict[str, list[int]]:
    """List the words by which directions may speak of each ingredient."""
    surfaces: dict[str, list[int]] = {}

    def add(words: str, index: int) -> None:
        if words and index not in surfaces.setdefault(words, []):
            surfaces[words].append(index)

    for index, one in enumerate(ingredients):
        name = re.sub(r" \(\d+\)$", "", one.name)
        for full in (name, _singular_last(name), one.food):
            add(full, index)
    whole = set(surfaces)
    for index, one in enumerate(ingredients):
        words = re.sub(r" \(\d+\)$", "", one.name).split()
        for number, word in enumerate(words):
            single = _singular(word)
            # The head names it ("flour" of "bread flour"); another word if it is a food itself.
            is_head = number == len(words) - 1
            known = knowledge.find(single) is not None
            if single not in whole and (is_head or known) and len(single) > 2:
                add(single, index)
    return surfaces


def _list_tool_words(knowledge: FoodKnowledge) -> list[tuple[str, str]]:
    pairs = [
        (_singular_last(word), name)
        for name, one in knowledge.tools.items()
        for word in (name, *one.also, *one.words)
    ]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _singular(word: str) -> str:
    return next(iter(list_singulars(word)), word)


def _singular_last(words: str) -> str:
    *before, last = words.split() or [""]
    return " ".join([*before, _singular(last)])


def _prefer_celsius(found: Sequence) -> list:  # type: ignore[type-arg]
    return sorted(found, key=lambda one: one.is_fahrenheit)


def _resolve(found: _Found, earlier: Sequence[Step], verbs: Sequence[str]) -> list[str]:
    """Return the products of earlier steps that a direction takes."""
    given = [one.gives for one in earlier if one.gives]
    used = {name for one in earlier for name in one.uses if name != one.gives}
    still_open = list(dict.fromkeys(name for name in given if name not in used))
    taken: list[str] = []
    nouns = {_noun_of(name) for name in given}
    if given and found.mentions and verbs and not nouns & set(found.products):
        if verbs[0] in _JOINING:
            taken += still_open or given[-1:]
        elif verbs[0] in _ADDING:
            taken.append(given[-1])
    for noun in found.products:
        same = [name for name in given if _noun_of(name) == noun]
        if same:
            taken.append(same[-1])
        elif noun in GENERIC and given:
            taken.append(given[-1])
    if found.pronoun and given and not taken and not found.mentions:
        taken.append(given[-1])
    return list(dict.fromkeys(taken))


def _name_product(
    text: str, found: _Found, names: Sequence[str], products: Sequence[str], number: int
) -> str:
    """Name what a step gives, "" if it takes nothing."""
    if not names and not products:
        return ""
    taken = {_noun_of(one) for one in products}
    for match in _RESULT.finditer(text):
        noun = _singular(match["noun"].lower())
        if noun in PRODUCTS and noun not in taken:
            return noun
    for noun in found.products:
        if noun not in taken and noun not in GENERIC:
            return noun
    if products and not (names and " of step " in products[-1]):
        return products[-1]
    names = [*names, *products]
    return f"{names[0] if len(names) == 1 else 'mixture'} of step {number}"


def _noun_of(product: str) -> str:
    return product.split(" of step")[0].split()[-1]
