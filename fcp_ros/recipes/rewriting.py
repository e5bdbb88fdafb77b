# SPDX-License-Identifier: Apache-2.0
"""Rewrite a recipe as a plan says: names in the texts, tools, new steps, and why.

Each step keeps its text but for what the plan changes in it. `procedure_changes` has what a
substitute or an absent tool changes in the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fcp_ros.recipes.direction_words import find_times
from fcp_ros.recipes.ingredient_lines import find_foods, unlink
from fcp_ros.recipes.kitchen_state import SubstituteWay, WayPart
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import WEIGHTS, ChangeKind
from fcp_ros.recipes.measures import PIECE, convert, read_unit, round_quantity, write_quantity
from fcp_ros.recipes.procedure_changes import (
    FoodChoice,
    RecipeDraft,
    ToolChoice,
    apply_change,
    change_heat_and_time,
    do_without_tool,
)
from fcp_ros.recipes.recipe import (
    FoodMention,
    ListedIngredient,
    MentionKind,
    Recipe,
    RecipeChange,
    Step,
)
from fcp_ros.recipes.text_editing import (
    Edit,
    apply_edits,
    find_preceding,
    find_sentence,
    find_verb,
    leave_out,
    list_sentences,
    tidy,
)
from fcp_ros.recipes.wishes import Limits

_STEP = re.compile(r"\b(steps?) (\d{1,3})\b", re.IGNORECASE)
_SINGLY = re.compile(r",?\s*\b(?:one by one|one (?:at a|after) (?:time|another)|individually)\b")
_SEPARATING = ("separate", "divide")


def rewrite_recipe(
    recipe: Recipe,
    choices: Sequence[FoodChoice],
    tools: Sequence[ToolChoice],
    limits: Limits,
) -> Recipe:
    """Return the recipe with what was chosen; text that nothing changes stays as it is."""
    rewriter = _Rewriter(recipe, choices, limits.knowledge)
    steps, changes = rewriter.rewrite(tools)
    ingredients = rewrite_list(recipe, rewriter.choices, limits)
    return replace(
        recipe, ingredients=tuple(ingredients), steps=tuple(steps), changes=tuple(changes)
    )


class _Rewriter:
    def __init__(
        self, recipe: Recipe, choices: Sequence[FoodChoice], knowledge: FoodKnowledge
    ) -> None:
        self.choices = {one.ingredient: one for one in choices}
        self._recipe = recipe
        self._knowledge = knowledge
        self._draft = RecipeDraft(recipe)

    def rewrite(self, tools: Sequence[ToolChoice]) -> tuple[list[Step], list[RecipeChange]]:
        """Return the steps and what was changed."""
        changes = []
        for index, choice in self.choices.items():
            self._rewrite_mentions(index, choice)
            changes.append(self._describe(index, choice, self._change_procedure(index, choice)))
        steps = [self._rewrite_step(number) for number in range(len(self._recipe.steps))]
        for index, choice in self.choices.items():
            for name in choice.way.changes if choice.way else ():
                change = self._knowledge.facts.step_changes[name]
                if choice.way and change.kind in (ChangeKind.TIME, ChangeKind.HEAT):
                    change_heat_and_time(self._draft, steps, index, choice.way.label, change)
        for one in tools:
            tool = self._knowledge.facts.tools[one.tool]
            steps = [step and do_without_tool(step, one, tool) for step in steps]
            reason = f"No {one.tool} is there: {one.method.text}"
            changes.append(RecipeChange(one.tool, one.method.use, 1.0, reason))
        return self._insert(steps), changes

    def _change_procedure(self, index: int, choice: FoodChoice) -> list[str]:
        way = choice.way
        changes = (
            self._knowledge.facts.step_changes[name] for name in (way.changes if way else ())
        )
        done = [apply_change(self._draft, index, way, one) for one in changes if way]
        return [one for one in done if one]

    def _describe(self, index: int, choice: FoodChoice, done: Sequence[str]) -> RecipeChange:
        one, way = self._recipe.ingredients[index], choice.way
        parts = (
            [write_part(part, one.unit, self._knowledge).line for part in way.parts] if way else ()
        )
        return RecipeChange(one.name, tuple(parts), choice.degree, choice.reason, tuple(done))

    # --- mentions in the steps

    def _drop_separating(self, index: int) -> None:
        """Leave out that parts of an ingredient are separated: nothing else has yolks."""
        places = [(number, one.start) for number, one in self._draft.list_mentions(index)]
        for number, step in enumerate(self._recipe.steps):
            for start, end in list_sentences(step.text):
                named = sum(place == number and start <= at < end for place, at in places)
                if named > 1 and find_verb(step.text, _SEPARATING, start, end):
                    self._draft.edits[number].append(Edit(start, end, ""))

    def _rewrite_mentions(self, index: int, choice: FoodChoice) -> None:
        self._drop_separating(index)
        for number, mention in self._draft.list_mentions(index):
            step = self._recipe.steps[number]
            text = step.text
            if not self._is_replaced_whole(step, mention):
                continue
            if choice.way is None:
                self._draft.edits[number].append(leave_out(step, mention))
            elif mention.kind is MentionKind.VERB:
                self._draft.edits[number] += self._write_verb(text, mention, choice.way)
            elif not self._is_still_named(text[mention.start : mention.end], index, choice.way):
                self._draft.edits[number] += self._write_noun(text, mention, index, choice.way)

    def _is_replaced_whole(self, step: Step, mention: FoodMention) -> bool:
        """Return False for a word that names another ingredient, too, or that another edits."""
        if mention.kind is not MentionKind.SHARED:
            return mention.kind is not MentionKind.SAME
        named = [one.ingredient for one in step.mentions if one.start == mention.start]
        return mention.ingredient == min(named) and all(one in self.choices for one in named)

    def _is_still_named(self, words: str, index: int, way: SubstituteWay) -> bool:
        """Return True if a word names the substitute as well: "the cheese"."""
        one, food = self._recipe.ingredients[index], self._knowledge.find(words)
        if food == one.food:
            return False
        if food is None and one.food and len(one.name.split()) > 1:
            return one.name not in words.lower()  # "all strips" of the chicken strips
        single = words.lower().removesuffix("s")
        return {single, words.lower()} & self._knowledge.kinds_of(way.parts[0].food) != set()

    def _write_verb(self, text: str, mention: FoodMention, way: SubstituteWay) -> list[Edit]:
        food = self._recipe.ingredients[mention.ingredient].food.split(" ")[-1]
        verb = self._knowledge.facts.food_verbs.get(food) or "sprinkle"
        end = mention.object_end
        return [
            Edit(mention.start, mention.end, verb),
            Edit(end, end, f" with {way.label}"),
        ]

    def _write_noun(
        self, text: str, mention: FoodMention, index: int, way: SubstituteWay
    ) -> list[Edit]:
        before = find_preceding(text, mention.start)
        edits = []
        if self._recipe.ingredients[index].unit == PIECE and way.parts[0].unit != PIECE:
            _, end = find_sentence(text, mention.start)
            edits += [Edit(*one.span(), "") for one in _SINGLY.finditer(text, mention.end, end)]
        scaled, unit = self._scale(way, index, before.quantity, before.unit)
        if scaled:
            measured = [measure_part(part, unit, self._knowledge) for part in scaled]
            words = " and ".join(
                f"{write_quantity(*amount)} {part.food}".strip()
                for amount, part in zip(measured, scaled, strict=True)
            )
        else:
            words = f"{before.kept or ('the ' if before.quantity else '')}{way.label}"
        return [*edits, Edit(before.start, mention.end, words)]

    def _scale(
        self, way: SubstituteWay, index: int, quantity: float | None, unit: str
    ) -> tuple[list[WayPart], str]:
        """Return the parts in place of a quantity that a direction names, and its unit."""
        one = self._recipe.ingredients[index]
        if quantity is None or one.quantity is None or way.parts[0].quantity is None:
            return [], ""
        said, spoken = read_unit(unit, quantity) if unit else (quantity, PIECE)
        said_in = convert(said, spoken, one.unit, one.food, self._knowledge)
        if said_in is None or said_in > one.quantity * 1.01:
            return [], ""
        share = said_in / one.quantity
        return [
            replace(part, quantity=None if part.quantity is None else part.quantity * share)
            for part in way.parts
        ], spoken

    # --- steps

    def _rewrite_step(self, number: int) -> Step | None:
        step, edits = self._draft.steps[number], self._draft.edits[number]
        said = self._recipe.steps[number].text
        text = apply_edits(said, edits) if edits else said
        text = self._replace_participles(text)
        appended = self._draft.appended[number]
        if appended:
            ended = not text or text.rstrip()[-1:] in ".!?"
            text = tidy(" ".join([text if ended else f"{text.rstrip(' ,;:')}.", *appended]))
        if not re.search(r"\w", text):
            return None
        if text != said:
            text = unlink(text)  # a link to the old food's page says nothing any more
        changed = said if text != said else ""
        minutes = step.minutes
        if changed and (times := list(find_times(text))):
            minutes = sum(one.value for one in times)  # as the text says it now
        uses, gives = self._rename(step.uses), self._rename_product(step.gives)
        return replace(
            step, text=text, uses=uses, gives=gives, minutes=minutes, changed_from=changed
        )

    def _replace_participles(self, text: str) -> str:
        """Write "greased" for "buttered" where there is no butter any more."""
        for index in self.choices:
            food = self._recipe.ingredients[index].food.split(" ")[-1]
            verb = self._knowledge.facts.food_verbs.get(food)
            if verb:
                past = f"{verb}d" if verb.endswith("e") else f"{verb}ed"
                text = re.sub(rf"\b{food}(?:ed)\b", past, text, flags=re.IGNORECASE)
        return text

    def _rename(self, names: Iterable[str]) -> tuple[str, ...]:
        """Name in the place of a replaced ingredient its substitutes."""
        new: list[str] = []
        for name in names:
            choice = self._find_choice(name)
            if choice is None:
                new.append(self._rename_product(name))
            elif choice.way is not None:
                new += [part.food for part in choice.way.parts]
        return tuple(dict.fromkeys(new))

    def _find_choice(self, name: str) -> FoodChoice | None:
        for index, choice in self.choices.items():
            if self._recipe.ingredients[index].name == name:
                return choice
        return None

    def _rename_product(self, name: str) -> str:
        head, _, number = name.partition(" of step ")
        choice = self._find_choice(head) if number else None
        if choice is None:
            return name
        return f"{choice.way.label if choice.way else 'result'} of step {number}"

    def _insert(self, steps: Sequence[Step | None]) -> list[Step]:
        """Return all steps, new ones among them, with the numbers in their texts put right."""
        whole: list[Step] = []
        numbers: dict[int, int] = {}
        given: set[str] = set()
        gone = {
            self._rename_product(one.gives)
            for one, step in zip(self._recipe.steps, steps, strict=True)
            if step is None
        }
        for number, step in enumerate(steps):
            inserted = self._draft.inserted[number]
            whole += inserted
            given |= {one.gives for one in inserted}
            numbers[number + 1] = len(whole) + (step is not None)
            if step is not None:
                # What a dropped step gave is nowhere any more.
                uses = tuple(name for name in step.uses if name not in gone or name in given)
                whole.append(replace(step, uses=uses))
                given.add(step.gives)

        def renumber(match: re.Match[str]) -> str:
            return f"{match[1]} {numbers.get(int(match[2]), int(match[2]))}"

        return [
            one if one.is_new else replace(one, text=_STEP.sub(renumber, one.text)) for one in whole
        ]


# --- the list of ingredients as a plan leaves it, with quantities that a kitchen can measure ---

_SPOONS = ("tsp", "tbsp", "cup")


def rewrite_list(
    recipe: Recipe,
    choices: Mapping[int, FoodChoice],
    limits: Limits,
) -> list[ListedIngredient]:
    """Return the list with what was chosen; a line that nothing changes stays as it is."""
    knowledge = limits.knowledge
    written: list[ListedIngredient] = []
    changed = {recipe.ingredients[index].line for index in choices} - {""}
    for index, one in enumerate(recipe.ingredients):
        choice = choices.get(index)
        if choice is None:
            named = (food for *_, food in find_foods(one.line, knowledge) if food != one.food)
            gone = not all(map(limits.may_use, (*one.alternatives, *named)))
            written.append(_write_alone(one) if gone or one.line in changed else one)
        elif choice.way is not None:
            parts = _keep_words(one, choice.way, recipe, limits) or [
                write_part(part, one.unit, knowledge) for part in choice.way.parts
            ]
            parts += [
                ListedIngredient(food, food, line=food, is_new=True) for food in choice.way.brought
            ]
            # What only the directions name may take the place of a food that is listed.
            listed = {other.food for other in written} if not one.line else set()
            written += [part for part in parts if part.food not in listed]
    for choice in choices.values():
        for part in choice.way.less if choice.way else ():
            _take_away(written, part, knowledge)
    return _drop_repeated(written)


def _keep_words(
    one: ListedIngredient, way: SubstituteWay, recipe: Recipe, limits: Limits
) -> list[ListedIngredient]:
    """Exchange the name alone where the rest of a line holds as well; else nothing."""
    part, *others = way.parts
    shared = [other for other in recipe.ingredients if other.line == one.line]
    found = list(find_foods(one.line, limits.knowledge))
    named = [place for place in found if place[2] == one.food]
    rest = [food for *_, food in found if food != one.food]
    changes = (limits.knowledge.facts.step_changes[name].kind for name in way.changes)
    same = (part.quantity, part.unit if part.quantity else one.unit) == (one.quantity, one.unit)
    if others or not same or len(named) != 1 or len(shared) != 1 or ChangeKind.DROP in changes:
        return []
    if one.alternatives or not all(map(limits.may_use, rest)):
        return []
    start, end, _ = named[0]
    name = part.food.title() if one.line[start].isupper() and start else part.food
    line = f"{one.line[:start]}{name if start else name.capitalize()}{one.line[end:]}"
    return [ListedIngredient(part.food, part.food, one.quantity, one.unit, line, is_new=True)]


def write_part(part: WayPart, unit: str, knowledge: FoodKnowledge) -> ListedIngredient:
    """Write a part of a substitute as a line, in the kind of unit of what it replaces."""
    quantity, unit = measure_part(part, unit, knowledge)
    ratio = f" ({part.ratio})" if part.ratio else ""
    line = f"{write_quantity(quantity, unit)} {part.food}{ratio}".strip()
    return ListedIngredient(part.food, part.food, quantity, unit, line, is_new=True)


def measure_part(part: WayPart, unit: str, knowledge: FoodKnowledge) -> tuple[float | None, str]:
    """Return a quantity in the kind of unit that the recipe uses, rounded."""
    if part.quantity is None:
        return None, ""
    for family, base in ((_SPOONS, "tsp"), (WEIGHTS, "g")):
        if unit in family and part.unit not in family:
            converted = convert(part.quantity, part.unit, base, part.food, knowledge)
            if converted is not None:
                return round_quantity(converted, base)
    return round_quantity(part.quantity, part.unit)


def _take_away(written: list[ListedIngredient], part: WayPart, knowledge: FoodKnowledge) -> None:
    """Take so much of a food, or of one of its kind, from the list."""
    for number, one in enumerate(written):
        kinds = knowledge.kinds_of(one.food) if one.food else frozenset()
        if part.food not in kinds or one.quantity is None or part.quantity is None:
            continue
        less = convert(part.quantity, part.unit, one.unit, one.food, knowledge)
        if less is None or less >= one.quantity:
            continue
        quantity, unit = round_quantity(one.quantity - less, one.unit)
        line = f"{write_quantity(quantity, unit)} {one.name}"
        written[number] = replace(one, quantity=quantity, unit=unit, line=line, is_new=True)
        return


def _write_alone(one: ListedIngredient) -> ListedIngredient:
    """Give an ingredient a line of its own, without what else its line names."""
    if not one.line:
        return one
    line = f"{write_quantity(one.quantity, one.unit)} {one.name}".strip()
    return replace(one, line=line, alternatives=(), is_new=True)


def _drop_repeated(written: Sequence[ListedIngredient]) -> list[ListedIngredient]:
    """Leave out foods without a quantity that are listed with one, or before."""
    return [
        one
        for number, one in enumerate(written)
        if one.quantity is not None
        or one.line != one.name
        or not any(
            (other.food, other.name) == (one.food, one.name)
            and (place < number or other.quantity is not None)
            for place, other in enumerate(written)
            if place != number
        )
    ]
