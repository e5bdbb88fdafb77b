# SPDX-License-Identifier: Apache-2.0
"""Rewrite a recipe as a plan says: the list, the steps that a substitute changes, and why.

Each step keeps its text but for what the plan changes in it. What a change of the knowledge file
does is in `ChangeKind`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.recipes.direction_words import find_temperatures, find_times
from fcp_ros.recipes.kitchen_state import SubstituteWay, WayPart
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import ChangeKind, Equipment, StepChange
from fcp_ros.recipes.measures import convert, read_unit, round_quantity, write_quantity
from fcp_ros.recipes.recipe import (
    FoodMention,
    ListedIngredient,
    MentionKind,
    Recipe,
    RecipeChange,
    Step,
)
from fcp_ros.recipes.text_editing import (
    WHERE,
    Edit,
    apply_edits,
    find_preceding,
    find_sentence,
    find_verb,
    list_sentences,
    remove_mention,
    scale_times,
    shift_temperatures,
    tidy,
)

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_STEP = re.compile(r"\b(steps?) (\d{1,3})\b", re.IGNORECASE)
_DONE_WITH = {"butter": "grease", "oil": "grease", "flour": "dust", "salt": "season"}
"""Verbs for what names of food mean as verbs; any other one is "sprinkle"."""


@dataclass(frozen=True, slots=True)
class FoodChoice:
    """The plan's answer to a missing ingredient; `way` is None where it is left out."""

    ingredient: int
    way: SubstituteWay | None
    degree: float
    reason: str


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The plan's answer to an absent tool."""

    tool: str
    method: Equipment


def rewrite_recipe(
    recipe: Recipe,
    choices: Sequence[FoodChoice],
    tools: Sequence[ToolChoice],
    knowledge: FoodKnowledge,
    may_use: Callable[[str], bool],  # of a food: it is there, and nothing rules it out
) -> Recipe:
    """Return the recipe with what was chosen; text that nothing changes stays as it is."""
    return _Rewriter(recipe, choices, tools, knowledge, may_use).rewrite()


class _Rewriter:
    def __init__(
        self,
        recipe: Recipe,
        choices: Sequence[FoodChoice],
        tools: Sequence[ToolChoice],
        knowledge: FoodKnowledge,
        may_use: Callable[[str], bool],
    ) -> None:
        self._recipe = recipe
        self._may_use = may_use
        self._choices = {one.ingredient: one for one in choices}
        self._tools = tools
        self._knowledge = knowledge
        self._steps: list[Step | None] = list(recipe.steps)
        self._edits: list[list[Edit]] = [[] for _ in recipe.steps]
        self._inserted: dict[int, list[Step]] = {}
        self._appended: dict[int, list[str]] = {}
        self._done: dict[int, list[str]] = {index: [] for index in self._choices}

    def rewrite(self) -> Recipe:
        ingredients = self._rewrite_list()
        for index, choice in self._choices.items():
            self._rewrite_mentions(index, choice)
            for name in choice.way.changes if choice.way else ():
                self._apply_change(index, choice, self._knowledge.step_changes[name])
        steps = [self._rewrite_step(number) for number in range(len(self._recipe.steps))]
        self._change_heat_and_time(steps)
        for one in self._tools:
            steps = [None if step is None else self._without_tool(step, one) for step in steps]
        changes = [self._describe(index, choice) for index, choice in self._choices.items()]
        changes += [
            RecipeChange(
                one.tool, one.method.use, 1.0, f"No {one.tool} is there: {one.method.text}"
            )
            for one in self._tools
        ]
        whole = self._insert(steps)
        return replace(
            self._recipe,
            ingredients=tuple(ingredients),
            steps=tuple(whole),
            changes=tuple(changes),
        )

    # --- the list

    def _rewrite_list(self) -> list[ListedIngredient]:
        written: list[ListedIngredient] = []
        ingredients = self._recipe.ingredients
        changed = {ingredients[index].line for index in self._choices} - {""}
        for index, one in enumerate(ingredients):
            choice = self._choices.get(index)
            if choice is None:
                gone = not all(map(self._may_use, one.alternatives))
                written.append(_write_alone(one) if gone or one.line in changed else one)
            elif choice.way is not None:
                parts = [self._write_ingredient(part, one) for part in choice.way.parts]
                parts += [ListedIngredient(food, food, line=food) for food in choice.way.brought]
                # What only the directions name may take the place of a food that is listed.
                listed = {other.food for other in written} if not one.line else set()
                written += [part for part in parts if part.food not in listed]
        for choice in self._choices.values():
            for part in choice.way.less if choice.way else ():
                self._take_away(written, part)
        return _drop_repeated(written)

    def _write_ingredient(self, part: WayPart, instead_of: ListedIngredient) -> ListedIngredient:
        quantity, unit = self._measure(part, instead_of.unit)
        line = f"{write_quantity(quantity, unit)} {part.food}".strip()
        return ListedIngredient(part.food, part.food, quantity, unit, line)

    def _measure(self, part: WayPart, unit: str) -> tuple[float | None, str]:
        """Return a quantity in the kind of unit that the recipe uses, rounded."""
        if part.quantity is None:
            return None, ""
        spoons = ("tsp", "tbsp", "cup")
        if unit in spoons and part.unit not in spoons:
            spooned = convert(part.quantity, part.unit, "tsp", part.food, self._knowledge)
            if spooned is not None:
                return round_quantity(spooned, "tsp")
        return round_quantity(part.quantity, part.unit)

    def _take_away(self, written: list[ListedIngredient], part: WayPart) -> None:
        """Take so much of a food, or of one of its kind, from the list."""
        for number, one in enumerate(written):
            kinds = self._knowledge.kinds_of(one.food) if one.food else frozenset()
            if part.food not in kinds or one.quantity is None or part.quantity is None:
                continue
            less = convert(part.quantity, part.unit, one.unit, one.food, self._knowledge)
            if less is None or less >= one.quantity:
                continue
            quantity, unit = round_quantity(one.quantity - less, one.unit)
            line = f"{write_quantity(quantity, unit)} {one.name}"
            written[number] = replace(one, quantity=quantity, unit=unit, line=line)
            return

    # --- mentions in the steps

    def _mentions(self, index: int) -> Iterable[tuple[int, FoodMention]]:
        for number, step in enumerate(self._recipe.steps):
            yield from ((number, one) for one in step.mentions if one.ingredient == index)

    def _rewrite_mentions(self, index: int, choice: FoodChoice) -> None:
        for number, mention in self._mentions(index):
            if mention.kind is MentionKind.SAME:
                continue
            text = self._recipe.steps[number].text
            if choice.way is None:
                self._edits[number].append(self._leave_out(text, mention))
            elif mention.kind is MentionKind.VERB:
                self._edits[number] += self._write_verb(text, mention, choice.way)
            elif not self._is_still_named(text[mention.start : mention.end], index, choice.way):
                self._edits[number].append(self._write_noun(text, mention, index, choice.way))

    def _is_still_named(self, words: str, index: int, way: SubstituteWay) -> bool:
        """Return True if a word names the substitute as well: "the cheese"."""
        one, food = self._recipe.ingredients[index], self._knowledge.find(words)
        if food == one.food:
            return False
        if food is None and one.food and len(one.name.split()) > 1:
            return True  # "all strips" of the chicken strips
        single = words.lower().removesuffix("s")
        return {single, words.lower()} & self._knowledge.kinds_of(way.parts[0].food) != set()

    def _leave_out(self, text: str, mention: FoodMention) -> Edit:
        edit = None
        if mention.kind is MentionKind.NOUN:
            edit = remove_mention(text, mention.start, mention.end)
        return edit or Edit(*find_sentence(text, mention.start), "")

    def _write_verb(self, text: str, mention: FoodMention, way: SubstituteWay) -> list[Edit]:
        food = self._recipe.ingredients[mention.ingredient].food.split()[-1]
        verb = _DONE_WITH.get(food, "sprinkle")
        end = mention.object_end
        return [
            Edit(mention.start, mention.end, verb),
            Edit(end, end, f" with {way.label}"),
        ]

    def _write_noun(self, text: str, mention: FoodMention, index: int, way: SubstituteWay) -> Edit:
        before = find_preceding(text, mention.start)
        scaled = self._scale(way, index, before.quantity, before.unit)
        if scaled is not None:
            words = " and ".join(
                f"{write_quantity(*self._measure(part, before.unit))} {part.food}".strip()
                for part in scaled
            )
        else:
            words = f"{before.kept or ('the ' if before.quantity else '')}{way.label}"
        return Edit(before.start, mention.end, words)

    def _scale(
        self, way: SubstituteWay, index: int, quantity: float | None, unit: str
    ) -> list[WayPart] | None:
        """Return the parts in place of a quantity that a direction names; None without one."""
        one = self._recipe.ingredients[index]
        if quantity is None or one.quantity is None or way.parts[0].quantity is None:
            return None
        try:
            said, spoken = read_unit(unit, quantity) if unit else (quantity, "piece")
        except KeyError:
            return None
        said_in = convert(said, spoken, one.unit, one.food, self._knowledge)
        if said_in is None or said_in > one.quantity * 1.01:
            return None
        share = said_in / one.quantity
        return [
            replace(part, quantity=None if part.quantity is None else part.quantity * share)
            for part in way.parts
        ]

    # --- changes of the procedure

    def _apply_change(self, index: int, choice: FoodChoice, change: StepChange) -> None:
        assert choice.way is not None
        first = next((number for number, _ in self._mentions(index)), None)
        if first is None:
            return
        handler = self._handlers.get(change.kind)
        if handler is None or handler(self, index, choice.way, change, first):
            text = self._format(change, index, choice.way)
            self._done[index].append(text or _describe_change(change))

    def _format(self, change: StepChange, index: int, way: SubstituteWay) -> str:
        old = self._recipe.ingredients[index].name
        return tidy(change.text.format(new=way.label, old=old)) if change.text else ""

    def _prepare(self, index: int, way: SubstituteWay, change: StepChange, first: int) -> bool:
        text = self._format(change, index, way)
        verb = text.partition(" ")[0].lower()
        if any(verb in self._recipe.steps[number].verbs for number, _ in self._mentions(index)):
            return (
                True  # the recipe does so with what is replaced: toasts the nuts, melts the butter
            )
        product = f"prepared {way.parts[0].food}"
        uses = tuple(dict.fromkeys(part.food for part in way.parts))
        step = Step(
            text, uses, product, change.tools, change.minutes or None, is_new=True,
        )  # fmt: skip
        self._inserted.setdefault(first, []).append(step)
        used = self._steps[first]
        assert used is not None
        self._steps[first] = replace(used, uses=(*used.uses, product))
        return True

    def _note(self, index: int, way: SubstituteWay, change: StepChange, first: int) -> bool:
        self._appended.setdefault(first, []).append(self._format(change, index, way))
        self._add_work(first, change)
        return True

    def _replace_work(self, index: int, way: SubstituteWay, change: StepChange, first: int) -> bool:
        """Put a text in the place of each sentence that has the verbs and the ingredient."""
        text = self._format(change, index, way)
        for number, mention in self._mentions(index):
            said = self._recipe.steps[number].text
            start, end = find_sentence(said, mention.start)
            if find_verb(said, change.verbs, start, end):
                self._edits[number].append(Edit(start, end, f"{text} "))
                self._add_work(number, change)
                return True
        return False

    def _drop(self, index: int, way: SubstituteWay, change: StepChange, first: int) -> bool:
        """Leave out the work on the ingredient alone, or say that it is only taken."""
        dropped = False
        for number, mention in self._mentions(index):
            said = self._recipe.steps[number].text
            start, end = find_sentence(said, mention.start)
            verb = find_verb(said, change.verbs, start, mention.start)
            if verb is None:
                continue
            others = {
                one.ingredient
                for one in self._recipe.steps[number].mentions
                if verb.end() <= one.start < end and one.ingredient != index
            }
            if others:
                continue  # the work on these is still to be done
            dropped = True
            alone = not re.search(r"\b(?:and|then)\b|[,;]", said[verb.end() : end])
            if alone and not WHERE.search(said[mention.end : end]):
                self._edits[number].append(Edit(start, end, ""))
            else:
                melts = bool({"melt", "soften"} & set(list_stems(verb[0].lower())))
                placed = WHERE.search(said[mention.end : end]) is not None
                instead = "take" if not placed else "heat" if melts else "put"
                self._edits[number].append(Edit(verb.start(), verb.end(), instead))
        return dropped

    def _move(self, index: int, way: SubstituteWay, change: StepChange, first: int) -> bool:
        """Move the use of a substitute into a later or earlier step."""
        later = change.kind is ChangeKind.LATER
        step = 1 if later else -1
        last = len(self._recipe.steps) - 1
        target = min(max(first + step, 0), last)
        wanted = set(change.verbs)
        while wanted and 0 < target < last and not wanted & set(self._recipe.steps[target].verbs):
            target += step
        if target == first:
            return False
        mention = next(one for number, one in self._mentions(index) if number == first)
        edit = remove_mention(self._recipe.steps[first].text, mention.start, mention.end)
        if edit is None:
            return False
        self._edits[first].append(edit)
        text = self._format(change, index, way) or f"Add the {way.label}."
        self._appended.setdefault(target, []).append(text)
        old = self._recipe.ingredients[index].name
        for number, keep in ((first, False), (target, True)):
            moved = self._steps[number]
            assert moved is not None
            uses = [name for name in moved.uses if name != old]
            self._steps[number] = replace(moved, uses=tuple([*uses, old] if keep else uses))
        return True

    def _add_work(self, number: int, change: StepChange) -> None:
        step = self._steps[number]
        assert step is not None
        minutes = (step.minutes or 0.0) + change.minutes if change.minutes else step.minutes
        tools = tuple(dict.fromkeys((*step.tools, *change.tools)))
        self._steps[number] = replace(step, minutes=minutes, tools=tools)

    _handlers: Mapping[ChangeKind, Callable[..., bool]] = {
        ChangeKind.PREPARE: _prepare,
        ChangeKind.NOTE: _note,
        ChangeKind.REPLACE: _replace_work,
        ChangeKind.DROP: _drop,
        ChangeKind.LATER: _move,
        ChangeKind.EARLIER: _move,
    }

    # --- steps

    def _rewrite_step(self, number: int) -> Step | None:
        step = self._steps[number]
        assert step is not None
        said = self._recipe.steps[number].text
        text = apply_edits(said, self._edits[number]) if self._edits[number] else said
        text = self._replace_participles(text)
        appended = self._appended.get(number, [])
        if appended:
            ended = not text or text.rstrip()[-1:] in ".!?"
            text = tidy(" ".join([text if ended else f"{text.rstrip(' ,;:')}.", *appended]))
        if not re.search(r"\w", text):
            return None
        if text != said:
            text = _LINK.sub(r"\1", text)  # a link to the old food's page says nothing any more
        changed = said if text != said else ""
        return replace(step, text=text, uses=self._rename(step.uses), changed_from=changed,
                       gives=self._rename_product(step.gives))  # fmt: skip

    def _replace_participles(self, text: str) -> str:
        """Write "greased" for "buttered" where there is no butter any more."""
        for index in self._choices:
            food = self._recipe.ingredients[index].food.split(" ")[-1]
            verb = _DONE_WITH.get(food)
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
        for index, choice in self._choices.items():
            if self._recipe.ingredients[index].name == name:
                return choice
        return None

    def _rename_product(self, name: str) -> str:
        head, _, number = name.partition(" of step ")
        choice = self._find_choice(head) if number else None
        if choice is None:
            return name
        return f"{choice.way.label if choice.way else 'result'} of step {number}"

    def _change_heat_and_time(self, steps: list[Step | None]) -> None:
        for index, choice in self._choices.items():
            for name in choice.way.changes if choice.way else ():
                change = self._knowledge.step_changes[name]
                if change.kind in (ChangeKind.TIME, ChangeKind.HEAT):
                    self._change_steps(steps, index, change)

    def _change_steps(self, steps: list[Step | None], index: int, change: StepChange) -> None:
        """Change the steps after the first use; but for baking, only where the food is named."""
        numbers = [number for number, _ in self._mentions(index)]
        for number in range(min(numbers, default=len(steps)), len(steps)):
            step = steps[number]
            if step is None or (change.verbs and not set(change.verbs) & set(step.verbs)):
                continue
            if "bake" in change.verbs:
                steps[number] = _change_step(step, change)
            elif number in numbers:
                said = self._recipe.steps[number]
                alone = all(one.ingredient == index for one in said.mentions)
                choice = self._choices[index]
                label = choice.way.label if choice.way else ""
                steps[number] = _change_step(step, change, "" if alone else label)

    def _without_tool(self, step: Step, choice: ToolChoice) -> Step:
        if choice.tool not in step.tools:
            return step
        method = choice.method
        tools = tuple(
            dict.fromkeys((*(one for one in step.tools if one != choice.tool), *method.use))
        )
        minutes = None if step.minutes is None else step.minutes * method.factor
        work = step.text[:1].lower() + step.text[1:].rstrip(".")
        if set(method.verbs) & set(step.verbs):
            text = tidy(method.text.format(work=work))
        else:
            instead = method.use[0] if method.use else "hands"
            text = re.sub(rf"\b{re.escape(choice.tool)}\b", instead, step.text, flags=re.IGNORECASE)
        return replace(step, text=text, tools=tools, minutes=minutes,
                       changed_from=step.changed_from or step.text)  # fmt: skip

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
            inserted = self._inserted.get(number, [])
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

    def _describe(self, index: int, choice: FoodChoice) -> RecipeChange:
        one = self._recipe.ingredients[index]
        parts: tuple[str, ...] = ()
        if choice.way is not None:
            parts = tuple(self._write_ingredient(part, one).line for part in choice.way.parts)
        return RecipeChange(one.name, parts, choice.degree, choice.reason, tuple(self._done[index]))


def _write_alone(one: ListedIngredient) -> ListedIngredient:
    """Give an ingredient a line of its own, without what else its line names."""
    line = f"{write_quantity(one.quantity, one.unit)} {one.name}".strip()
    return replace(one, line=line, alternatives=())


def _drop_repeated(written: Sequence[ListedIngredient]) -> list[ListedIngredient]:
    """Leave out foods without a quantity that are listed with one, or before."""
    kept: list[ListedIngredient] = []
    for one in written:
        same = [other for other in kept if other.food == one.food and other.name == one.name]
        if not (same and one.quantity is None and one.line == one.name):
            kept.append(one)
    return kept


def _change_step(step: Step, change: StepChange, named: str = "") -> Step:
    """Change the times or temperatures of a step, or of its sentences that name a food."""
    text, celsius, minutes = "", step.celsius, step.minutes
    for start, end in list_sentences(step.text):
        sentence = step.text[start:end]
        if named in sentence:
            if change.kind is ChangeKind.HEAT:
                sentence = shift_temperatures(sentence, find_temperatures(sentence), change.celsius)
            else:
                sentence = scale_times(sentence, find_times(sentence), change.factor)
        text = f"{text} {sentence.strip()}"
    text = tidy(text)
    if text == tidy(step.text):
        return step
    if change.kind is ChangeKind.HEAT and celsius is not None:
        celsius += change.celsius
    times = list(find_times(text))
    if times:
        minutes = sum(one.value for one in times)
    return replace(
        step, text=text, celsius=celsius, minutes=minutes,
        changed_from=step.changed_from or step.text,
    )  # fmt: skip


def _describe_change(change: StepChange) -> str:
    verbs = ", ".join(change.verbs) or "all work"
    if change.kind is ChangeKind.TIME:
        return f"The time of {verbs} is multiplied by {change.factor:g}."
    if change.kind is ChangeKind.HEAT:
        return f"The temperature of {verbs} changes by {change.celsius:+g} °C."
    if change.kind is ChangeKind.DROP:
        return f"It need not be done: {verbs}."
    return "It is added at another step."
