# SPDX-License-Identifier: Apache-2.0
"""A recipe while it is rewritten, and the changes that a substitute or an absent tool brings.

Work is added, dropped or moved; what each kind of change does is in `ChangeKind`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.language.english.inflection import list_stems, write_gerund
from fcp_ros.recipes.direction_words import find_temperatures, find_times
from fcp_ros.recipes.ingredient_lines import WORD
from fcp_ros.recipes.kitchen_state import SubstituteWay
from fcp_ros.recipes.knowledge_entries import ChangeKind, Equipment, StepChange, Tool
from fcp_ros.recipes.recipe import FoodMention, Recipe, Step
from fcp_ros.recipes.text_editing import (
    WHERE,
    Edit,
    find_sentence,
    find_verb,
    list_sentences,
    remove_mention,
    scale_times,
    shift_temperatures,
    tidy,
)


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


@dataclass(slots=True)
class RecipeDraft:
    """The steps of a recipe, with what is to be edited, added and inserted, by their numbers."""

    recipe: Recipe
    steps: list[Step] = field(init=False)
    edits: list[list[Edit]] = field(init=False)
    appended: list[list[str]] = field(init=False)  # sentences behind a step's text
    inserted: list[list[Step]] = field(init=False)  # new steps before a step

    def __post_init__(self) -> None:
        self.steps = list(self.recipe.steps)
        self.edits = [[] for _ in self.steps]
        self.appended = [[] for _ in self.steps]
        self.inserted = [[] for _ in self.steps]

    def list_mentions(self, index: int) -> Iterator[tuple[int, FoodMention]]:
        """List where the steps name an ingredient, with the number of the step."""
        for number, step in enumerate(self.recipe.steps):
            yield from ((number, one) for one in step.mentions if one.ingredient == index)

    def add_work(self, number: int, change: StepChange) -> None:
        """Add the minutes and tools of a change to a step."""
        step = self.steps[number]
        minutes = (step.minutes or 0.0) + change.minutes if change.minutes else step.minutes
        tools = tuple(dict.fromkeys((*step.tools, *change.tools)))
        self.steps[number] = replace(step, minutes=minutes, tools=tools)


# --- changes of the procedure ---


@dataclass(frozen=True, slots=True)
class _Use:
    """A change of the procedure where a substitute is used."""

    draft: RecipeDraft
    index: int  # of the ingredient that is replaced
    way: SubstituteWay
    change: StepChange
    mentions: Sequence[tuple[int, FoodMention]]  # of that ingredient, with the numbers of steps

    @property
    def first(self) -> int:
        """Number of the step that uses it first."""
        return self.mentions[0][0]

    @property
    def old(self) -> str:
        return self.draft.recipe.ingredients[self.index].name

    @property
    def text(self) -> str:
        return tidy(self.change.text.format(new=self.way.label, old=self.old))

    def find_said(self, number: int) -> Step:
        """Return a step as the recipe has it."""
        return self.draft.recipe.steps[number]


def apply_change(draft: RecipeDraft, index: int, way: SubstituteWay, change: StepChange) -> str:
    """Make a change; return a sentence about it, "" if the recipe has nothing to be changed."""
    use = _Use(draft, index, way, change, tuple(draft.list_mentions(index)))
    handler = _HANDLERS.get(change.kind)
    if not use.mentions or (handler is not None and not handler(use)):
        return ""
    return use.text or _describe_change(change)


def _prepare(use: _Use) -> bool:
    wanted = set(use.change.verbs)
    if wanted and not any(wanted & set(step.verbs) for step in use.draft.recipe.steps):
        return False  # no batter rests where nothing is baked
    verb = use.text.partition(" ")[0].lower()
    if any(verb in use.find_said(number).verbs for number, _ in use.mentions):
        return True  # the recipe does so with what is replaced: toasts the nuts, melts the butter
    product = f"prepared {use.way.parts[0].food}"
    uses = tuple(dict.fromkeys(part.food for part in use.way.parts))
    minutes = use.change.minutes or None
    new = Step(use.text, uses, product, use.change.tools, minutes, is_new=True)
    before = (one.text for inserted in use.draft.inserted[: use.first + 1] for one in inserted)
    if use.text not in before:  # eggs of the dough and of the filling
        use.draft.inserted[use.first].append(new)
    used = use.draft.steps[use.first]
    use.draft.steps[use.first] = replace(used, uses=(*used.uses, product))
    return True


def _note(use: _Use) -> bool:
    use.draft.appended[use.first].append(use.text)
    use.draft.add_work(use.first, use.change)
    return True


def _replace_work(use: _Use) -> bool:
    """Put a text in the place of the first sentence that has the verbs and the ingredient."""
    for number, mention in use.mentions:
        said = use.find_said(number).text
        start, end = find_sentence(said, mention.start)
        if find_verb(said, use.change.verbs, start, end):
            use.draft.edits[number].append(Edit(start, end, f"{use.text} "))
            use.draft.add_work(number, use.change)
            return True
    return False


def _drop(use: _Use) -> bool:
    """Leave out the work on the ingredient alone, or say that it is only taken."""
    dropped = False
    for number, mention in use.mentions:
        said = use.find_said(number).text
        start, end = find_sentence(said, mention.start)
        verb = find_verb(said, use.change.verbs, start, mention.start)
        others = [
            one
            for one in use.find_said(number).mentions
            if one.ingredient != use.index and one.start != mention.start
        ]
        if verb is None or any(verb.start() < one.end and one.start < end for one in others):
            continue  # the work on others is still to be done
        dropped = True
        alone = not re.search(r"\b(?:and|then)\b|[,;]", said[verb.end() : end])
        placed = WHERE.search(said[mention.end : end]) is not None
        if alone and not placed:
            edit = Edit(start, end, "")
        else:
            melts = bool({"melt", "soften"} & set(list_stems(verb[0].lower())))
            instead = "take" if not placed else "heat" if melts else "put"
            edit = Edit(verb.start(), verb.end(), instead)
        use.draft.edits[number].append(edit)
    return dropped


def _move(use: _Use) -> bool:
    """Move the use of a substitute into a later or earlier step."""
    draft, first, wanted = use.draft, use.first, set(use.change.verbs)
    step = 1 if use.change.kind is ChangeKind.LATER else -1
    last = len(draft.steps) - 1
    target = min(max(first + step, 0), last)
    while wanted and 0 < target < last and not wanted & set(use.find_said(target).verbs):
        target += step
    if target == first:
        return False
    mention = use.mentions[0][1]
    said = use.find_said(first)
    edit = remove_mention(said.text, mention.start, mention.end, said.verbs)
    if edit is None:
        return False
    draft.edits[first].append(edit)
    draft.appended[target].append(use.text or f"Add the {use.way.label}.")
    for number, kept in ((first, ()), (target, (use.old,))):
        uses = tuple(name for name in draft.steps[number].uses if name != use.old)
        draft.steps[number] = replace(draft.steps[number], uses=(*uses, *kept))
    return True


_HANDLERS: Mapping[ChangeKind, Callable[[_Use], bool]] = {
    ChangeKind.PREPARE: _prepare,
    ChangeKind.NOTE: _note,
    ChangeKind.REPLACE: _replace_work,
    ChangeKind.DROP: _drop,
    ChangeKind.LATER: _move,
    ChangeKind.EARLIER: _move,
}
"""All but times and temperatures, which `change_heat_and_time` changes in the rewritten steps."""


def change_heat_and_time(
    draft: RecipeDraft,
    steps: list[Step | None],  # rewritten; None where a step is gone
    index: int,
    label: str,  # of the substitute
    change: StepChange,
) -> None:
    """Change the steps after the first use; but for baking, only where the food is named."""
    numbers = [number for number, _ in draft.list_mentions(index)]
    for number in range(min(numbers, default=len(steps)), len(steps)):
        step = steps[number]
        if step is None or (change.verbs and not set(change.verbs) & set(step.verbs)):
            continue
        if "bake" in change.verbs:
            steps[number] = _change_step(step, change)
        elif number in numbers:
            alone = all(one.ingredient == index for one in draft.recipe.steps[number].mentions)
            steps[number] = _change_step(step, change, "" if alone else label)


def _change_step(step: Step, change: StepChange, named: str = "") -> Step:
    """Change the times or temperatures of a step, or of its sentences that name a food."""
    parts, celsius, minutes = [], step.celsius, step.minutes
    for start, end in list_sentences(step.text):
        sentence = step.text[start:end]
        if named in sentence and change.kind is ChangeKind.HEAT:
            sentence = shift_temperatures(sentence, find_temperatures(sentence), change.celsius)
        elif named in sentence:
            sentence = scale_times(sentence, find_times(sentence), change.factor)
        parts.append(sentence.strip())
    text = tidy(" ".join(parts))
    if text == tidy(step.text):
        return step
    if change.kind is ChangeKind.HEAT and celsius is not None:
        celsius += change.celsius
    times = [one.value for one in find_times(text)]
    minutes = sum(times) if times else minutes
    before = step.changed_from or step.text
    return replace(step, text=text, celsius=celsius, minutes=minutes, changed_from=before)


def _describe_change(change: StepChange) -> str:
    verbs = ", ".join(change.verbs) or "all work"
    if change.kind is ChangeKind.TIME:
        return f"The time of {verbs} is multiplied by {change.factor:g}."
    if change.kind is ChangeKind.HEAT:
        return f"The temperature of {verbs} changes by {change.celsius:+g} °C."
    if change.kind is ChangeKind.DROP:
        return f"It need not be done: {verbs}."
    return "It is added at another step."


# --- a step without a tool ---


def do_without_tool(step: Step, choice: ToolChoice, tool: Tool) -> Step:
    """Return a step that uses the tools of another method; any other step as it is."""
    if choice.tool not in step.tools:
        return step
    method, minutes, text = choice.method, step.minutes, step.text
    if minutes is not None and method.factor != 1.0:
        text = scale_times(text, find_times(text), method.factor)
        minutes = sum(one.value for one in find_times(text))
    instead = method.text.partition(" ")[0].lower()
    sentences, told = [], False
    for start, end in list_sentences(text):
        said = text[start:end].strip()
        if re.match(r"pre-?heat\b", said, re.IGNORECASE):
            continue  # there is nothing to be heated before
        written = _write_without(said, (choice.tool, *tool.also), tool.words, instead)
        sentences.append(written)
        if written != said and not told:
            sentences[-1:] = [written if written[-1] in ".!?" else f"{written}.", method.text]
            told = True
    others = (one for one in step.tools if one != choice.tool)
    tools = tuple(dict.fromkeys((*others, *method.use)))
    before = step.changed_from or step.text
    text = tidy(" ".join(sentences)) or method.text
    return replace(step, text=text, tools=tools, minutes=minutes, changed_from=before)


def _write_without(
    sentence: str, names: tuple[str, ...], words: tuple[str, ...], instead: str
) -> str:
    """Write a sentence without the names of a tool, and with another verb for its work."""
    each = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    place = r"\s*\b(?:in|into|inside|with|on|onto|using|to|from)\s+(?:(?:the|an?|your)\s+)?"
    sentence = re.sub(rf"{place}(?:[\w-]+\s+)?(?:{each})s?\b", "", sentence, flags=re.IGNORECASE)

    def exchange(match: re.Match[str]) -> str:
        word = match[0].lower()
        if not {word, *list_stems(word)} & set(words):
            return match[0]
        verb = write_gerund(instead) if word.endswith("ing") else instead
        return verb.capitalize() if match[0][0].isupper() else verb

    return WORD.sub(exchange, sentence)
