# SPDX-License-Identifier: Apache-2.0
"""Names of food in the directions of a recipe: their places, and the part that they play.

A food is found by its name in the list or the knowledge file, the longest name first, so that
"peanut butter" is no butter. The syntax tells nouns from verbs ("butter the dish"), and what is
denied ("without butter").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.syntax import Tree, Word, parse_segments
from fcp_ros.recipes.direction_words import PRODUCTS, PRONOUNS
from fcp_ros.recipes.ingredient_lines import WORD
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import FoodMention, ListedIngredient, MentionKind, Note, RecipeCode

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
_PARTS = frozenset(["yolk", "white", "zest", "juice", "rind", "peel", "leaf", "clove", "wash"])
"""Parts of a food that directions name where the list has the whole: the yolks of the eggs."""
MADE = "mixture"
PARTS_OF_MADE = 0.6
"""Share of the parts of a food that steps have used before it counts as made by them."""


@dataclass(slots=True)
class ParsedText:
    """The words of a direction by their place in the text, with their trees."""

    words: dict[int, tuple[Word, Tree]] = field(default_factory=dict)
    verbs: tuple[str, ...] = ()


@dataclass(slots=True)
class FoundFood:
    """The mentions in a direction."""

    mentions: list[FoodMention] = field(default_factory=list)
    products: list[str] = field(default_factory=list)  # nouns
    pronoun: bool = False


class FoodFinder:
    """Finds the food in the directions of one recipe, in their order."""

    def __init__(self, ingredients: list[ListedIngredient], knowledge: FoodKnowledge) -> None:
        self.ingredients = ingredients  # what only the directions name is added
        self.notes: list[Note] = []
        self._knowledge = knowledge
        self._surfaces = _list_surfaces(ingredients, knowledge)
        longest = max((len(one.split()) for one in self._surfaces), default=1)
        self._longest = max(longest, knowledge.longest_name)
        self._used: set[int] = set()

    def find(self, text: str, parsed: ParsedText) -> FoundFood:
        """Find the ingredients and products that a direction names."""
        found = self._find(text, parsed)
        self._find_groups(text, found)
        self._used |= {one.ingredient for one in found.mentions}
        return found

    def _find(self, text: str, parsed: ParsedText) -> FoundFood:
        """Find the ingredients and products that a text names."""
        found = FoundFood()
        links = [match.span() for match in _LINK_TARGET.finditer(text)]
        words = [
            word
            for word in WORD.finditer(text)
            if not any(start <= word.start() < end for start, end in links)
        ]
        place = 0
        while place < len(words):
            length = self._find_at(text, words, place, parsed, found)
            if not length:
                single = singular(words[place][0].lower())
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
        parsed: ParsedText,
        found: FoundFood,
    ) -> int:
        """Add what the words from a place on name; return their number, 0 for nothing."""
        for length in range(min(self._longest, len(words) - place), 0, -1):
            start, end = words[place].start(), words[place + length - 1].end()
            inside = text[start:end]
            if length > 1 and re.search(r"[^\w\s'\u2019&-]", inside):
                continue
            indices = self._find_named(inside.lower())
            if not indices and singular(inside.lower()) in PRODUCTS:
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
            behind = words[place + length] if place + length < len(words) else None
            adjoins = behind is not None and text[end : behind.start()].isspace()
            if indices and behind and adjoins and singular(behind[0].lower()) in _PARTS:
                length, end = length + 1, behind.end()  # the yolks of "beaten egg yolks"
            last = words[place + length - 1]
            if _TOOL_BEHIND.match(text, end):
                return length  # "ice cream scooper"
            kind, object_end = self._find_kind_of_mention(last, parsed, length)
            if kind is not MentionKind.NOUN and _is_listed_with(found, text, start):
                kind, object_end = MentionKind.NOUN, -1
            if kind is None:
                return length  # denied, or another word: "cream butter and sugar"
            indices = indices or [self._add_unlisted(unlisted, inside)]
            if len(indices) == 1 and _names_again(found, indices[0], text, start, end):
                return length
            shown = kind if len(indices) == 1 else MentionKind.SHARED
            for index in indices:
                found.mentions.append(FoodMention(index, start, end, shown, object_end))
            return length
        return 0

    def _find_kind_of_mention(
        self, last: re.Match[str], parsed: ParsedText, length: int
    ) -> tuple[MentionKind | None, int]:
        """Decide what part a food's name plays; None where it is denied or means something else."""
        found = parsed.words.get(last.start())
        if found is None:
            return MentionKind.NOUN, -1
        word, tree = found
        target = tree.find_child(word.place, "dobj")
        if word.is_verb and length == 1 and word.tag in ("VB", "VBP") and target is not None:
            if word.text not in self._knowledge.facts.food_verbs:
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

    def _find_named(self, words: str) -> list[int]:
        for form in (words, words.replace("-", " "), singular_last(words)):
            if form in self._surfaces:
                return self._surfaces[form]
        return []

    def _find_kind(self, words: str) -> list[int]:
        """Find the ingredients of a kind that words name: "nuts", "cheese"."""
        kind = singular_last(words)
        names = {words, kind, self._knowledge.find(words)} - {None}
        return [
            index
            for index, one in enumerate(self.ingredients)
            if one.food and names & self._knowledge.kinds_of(one.food)
        ]

    def _is_made(self, food: str) -> bool:
        """Return True for a food whose own parts were used already: it comes of them."""
        known = self._knowledge.facts.ingredients.get(food)
        parts = set(known.parts) if known is not None else set()
        foods = [self.ingredients[index].food for index in self._used]
        used = {kind for one in foods if one for kind in self._knowledge.kinds_of(one)}
        return len(parts & used) >= max(2, PARTS_OF_MADE * len(parts))

    def _add_unlisted(self, food: str, shown: str) -> int:
        """Add what only the directions name: diets and allergens hold for it, too."""
        *whole, part = food.split()
        wholes = {food, " ".join(whole)} if part in _PARTS else {food}
        for index, one in enumerate(self.ingredients):
            if one.food in wholes or (one.line and food in one.alternatives):
                return index
        name = " ".join(shown.lower().split())
        index = len(self.ingredients)
        self.ingredients.append(ListedIngredient(name, food))
        for words in {name, food}:
            self._surfaces.setdefault(words, []).append(index)
        if not self._knowledge.facts.ingredients[food].unlisted:
            sentence = f"The directions use {name}, which is not listed; it counts as listed."
            self.notes.append(Note(RecipeCode.UNLISTED, sentence))
        return index

    def _find_groups(self, text: str, found: FoundFood) -> None:
        """Add the ingredients that "all ingredients" and the like stand for."""
        roles = self._knowledge.facts.roles
        for match in _GROUP.finditer(text):
            which = match["which"].lower()
            named = {one.ingredient for one in found.mentions}
            for index, one in enumerate(self.ingredients):
                own = self._knowledge.roles_of(one.food) if one.food else ()
                wet = any(roles[role].wet for role in own)
                fits = one.line and index not in named
                if "dry" in which or "wet" in which:
                    fits = fits and wet == ("wet" in which) and index not in self._used
                elif which not in ("all", "all the", "all of the"):
                    fits = fits and index not in self._used
                if fits:
                    found.mentions.append(FoodMention(index, *match.span(), MentionKind.SAME))


def parse_text(text: str) -> ParsedText:
    parsed = ParsedText()
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


def _is_listed_with(found: FoundFood, text: str, start: int) -> bool:
    """Return True if a name continues an enumeration of foods: "salt, and pepper"."""
    before = max((one.end for one in found.mentions), default=-1)
    return before >= 0 and re.fullmatch(r"\s*(?:,|,?\s*and|&)\s*", text[before:start]) is not None


def _joins_last(found: FoundFood, text: str, start: int, end: int) -> bool:
    """Let the last mention reach to the end of a kind that directly follows it."""
    last = found.mentions[-1] if found.mentions else None
    if last is None or not text[last.end : start].isspace():
        return False
    found.mentions[-1] = replace(last, end=end)
    return True


def _names_again(found: FoundFood, index: int, text: str, start: int, end: int) -> bool:
    """Let the last mention reach to the end of an alternative name: "creme fraiche/cream"."""
    last = found.mentions[-1] if found.mentions else None
    if last is None or last.ingredient != index or last.kind is not MentionKind.NOUN:
        return False
    if not re.fullmatch(r"\s*(?:/|\bor\b)\s*", text[last.end : start]):
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
        for full in (name, singular_last(name), one.food):
            add(full, index)
    whole = set(surfaces)
    for index, one in enumerate(ingredients):
        words = re.sub(r" \(\d+\)$", "", one.name).split()
        for number, word in enumerate(words):
            single = singular(word)
            # The head names it ("flour" of "bread flour"); another word if it is a kind of that
            # food: the chicken of chicken breasts, not that of chicken stock.
            is_head = number == len(words) - 1
            known = bool(one.food) and knowledge.find(single) in knowledge.kinds_of(one.food)
            if single not in whole and (is_head or known) and len(single) > 2:
                add(single, index)
    return surfaces


def singular(word: str) -> str:
    return next(iter(list_singulars(word)), word)


def singular_last(words: str) -> str:
    *before, last = words.split() or [""]
    return " ".join([*before, singular(last)])
