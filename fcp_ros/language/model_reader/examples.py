# SPDX-License-Identifier: Apache-2.0
"""Examples for the prompt: sentences from the domain's own phrases, with checked goals.

They speak of the elements that are offered, so that a model sees how these are named. A domain
without phrases gets sentences from the names of its relations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    NAME_PATTERN,
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    free_variables,
    rename_free,
    substitute,
    to_text,
)
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal, state_effects
from fcp_ros.domain.phrases import (
    ADDRESSEE,
    NUMBER,
    SPEAKER,
    Phrase,
    PhraseSlot,
    PhraseWord,
    TaskTemplate,
    Variant,
    list_slots,
)
from fcp_ros.language.model_reader.names import (
    OfferedElement,
    OfferedNames,
    find_stem,
    is_plain,
    split_words,
)
from fcp_ros.language.reader import ReadingContext

MOST_GROUND = 6
"""Examples about named elements."""
MOST_TASKS = 3
LEAST_SHARE = 0.5
"""Least share of the words of a phrase that an instruction has, to be shown its task."""
LONGEST_GOAL = 170
"""Longest goal of a task that is shown (characters); longer ones teach a small model little."""
VARIABLES = ("x", "y")
"""The variables of outer and inner quantifiers, as in `goal_grammar`."""
_X = Variable(VARIABLES[0])
_NOTHING = Atom("nothing", ())


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and its goal, as the prompt writes it."""

    sentence: str
    goal: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to say something, the types of its slots, and the goal over them as variables."""

    variant: Variant
    types: Mapping[str, str]
    goal: Expression


def make_examples(instruction: str, names: OfferedNames, context: ReadingContext) -> list[Example]:
    """Make examples: the same ones for all instructions, then tasks that sound like this one."""
    filler = _SlotFiller(names, context)
    patterns = [pattern for pattern in _list_patterns(names, context) if filler.can_fill(pattern)]
    ground = [filler.fill(pattern) for pattern in patterns[:MOST_GROUND]]
    if len(ground) > 1:
        first, last = ground[0], ground[-1]
        ground[-1] = Example(
            f"{first.sentence} and {last.sentence}", f"{first.goal} and {last.goal}"
        )
    binary = next((p for p in patterns if len(list_slots(p.variant)) == 2), None)
    general = list(filler.generalise(binary)) if binary is not None else []
    tasks = list(filler.say_tasks(instruction))
    return [one for one in (*general, *ground, *tasks) if _is_sound(one, names, context)]


def _is_sound(example: Example, names: OfferedNames, context: ReadingContext) -> bool:
    try:
        goal = names.restore(parse_expression(example.goal))
        check_goal(goal, context.domain, context.instance)
    except ExpressionError:
        return False
    return True


def _list_patterns(names: OfferedNames, context: ReadingContext) -> Iterator[_Pattern]:
    """List one way to say each relation that an action changes, its absence, and each action."""
    domain, words = context.domain, context.domain.words
    changing = [relation.name for relation in domain.schema.relations if not relation.static]
    # Those that say most about this scene come first.
    changing.sort(key=lambda name: -len(context.instance.tuples(name)))
    for name in changing:
        parameters = names.vocabulary.relations[name]
        types = {parameter.name: parameter.type for parameter in parameters}
        holds = Atom(name, tuple(Variable(parameter.name) for parameter in parameters))
        yield from _say(words.relations.get(name, ()), types, holds, types)
        yield from _say(words.negated.get(name, ()), types, Not(holds), types)
        if name not in words.relations and len(parameters) == 2:
            link = PhraseWord(name.replace("_", " "))
            ends = [PhraseSlot(parameter.name) for parameter in parameters]
            yield _Pattern((ends[0], link, ends[1]), types, holds)
    for name, rule in domain.rules.items():
        types = {parameter.name: parameter.type for parameter in rule.parameters}
        for phrase in words.rules.get(name, ())[:1]:
            whole = (list_slots(v) for v in phrase.variants)
            named = next((some for some in whole if set(some) == set(phrase.slots)), ())
            goal = state_effects(rule, named)
            if goal is not None:
                unnamed = [name for name in free_variables(goal) if name not in phrase.slots]
                if unnamed:
                    goal = Exists(tuple(TypedVariable(v, types[v]) for v in unnamed), goal)
                yield from _say((phrase,), types, goal, phrase.slots)


def _say(
    phrases: tuple[Phrase, ...], types: Mapping[str, str], goal: Expression, wanted: Collection[str]
) -> Iterator[_Pattern]:
    """Yield the shortest way of the first phrase that has all slots, an imperative if there is one.

    A phrase that begins with a slot is a statement.
    """
    ordered = sorted(phrases, key=lambda phrase: isinstance(phrase.parts[0], PhraseSlot))
    for phrase in ordered:
        whole = [v for v in phrase.variants if set(list_slots(v)) == set(wanted)]
        if whole:
            yield _Pattern(min(whole, key=len), types, goal)
            return


class _SlotFiller:
    """Elements and kinds for the slots of patterns: those whose label no other element has."""

    def __init__(self, names: OfferedNames, context: ReadingContext) -> None:
        self._names = names
        self._words = context.domain.words
        self._persons = {
            word: name
            for word, name in ((SPEAKER, context.speaker), (ADDRESSEE, context.robot))
            if name and NAME_PATTERN.match(name) and is_plain(name)
        }
        self._texts = {
            predicate.name: example[1]
            for predicate in context.domain.graded.values()
            if len(predicate.parameters) == 2 and predicate.parameters[1].is_text
            for anchor in (predicate.rubric.anchors if predicate.rubric is not None else ())
            if anchor.score == 100
            for example in anchor.examples[:1]
        }
        self._turn = 0
        labels = [element.label for element in names.shown]
        self._elements = [
            element
            for element in names.shown
            if NAME_PATTERN.match(element.shown) and labels.count(element.label) == 1
        ]

    def can_fill(self, pattern: _Pattern) -> bool:
        """Return True if there are different elements for all slots."""
        return len(self._choose(pattern)) == len(list_slots(pattern.variant))

    def fill(self, pattern: _Pattern) -> Example:
        """Say a pattern about elements."""
        chosen = self._choose(pattern)
        said = {slot: f"the {element.label}" for slot, element in chosen.items()}
        terms = {slot: Constant(element.shown) for slot, element in chosen.items()}
        return Example(_write(pattern, said), to_text(substitute(pattern.goal, terms)))

    def generalise(self, pattern: _Pattern) -> Iterator[Example]:
        """Say a pattern of two slots about a kind of thing, every such thing, and several."""
        moved = list_slots(pattern.variant)[0]

        def example(words: str, build: Callable[[Expression, str], Expression]) -> Example:
            chosen = self._choose(pattern)
            kind = chosen[moved].label
            kind = kind if kind in self._names.kinds else chosen[moved].type
            terms = {slot: Constant(e.shown) for slot, e in chosen.items() if slot != moved}
            goal = build(substitute(pattern.goal, {**terms, moved: _X}), kind)
            said = {slot: f"the {element.label}" for slot, element in chosen.items()}
            said[moved] = words.format(kind.replace("_", " "))
            return Example(_write(pattern, said), to_text(goal))

        yield example("some {}", lambda body, kind: Exists(_range(kind), body))
        yield example("all {}s", lambda body, kind: Forall(_range(kind), body))
        yield example("two {}s", lambda body, kind: Count(Bound.AT_LEAST, 2, _range(kind), body))
        name, text = next(iter(self._texts.items()), ("", ""))
        if name:
            fits = Atom(name, (_X, Text(text)))
            wide = _range(self._names.vocabulary.graded[name][0].type)
            yield example(f"something for {text}", lambda body, _: Exists(wide, And((body, fits))))

    def say_tasks(self, instruction: str) -> Iterator[Example]:
        """Say the tasks of the domain whose phrases share most words with an instruction."""
        stems = {find_stem(word) for word in split_words(instruction)}
        found: list[tuple[float, TaskTemplate, Variant]] = []
        for task in self._words.tasks.values():
            variants = (variant for phrase in task.phrases for variant in phrase.variants)
            measured = ((_measure(variant, stems), variant) for variant in variants)
            share, variant = max(measured, key=lambda one: one[0], default=(0.0, ()))
            if share >= LEAST_SHARE:
                found.append((share, task, variant))
        for _, task, variant in sorted(found, key=lambda one: -one[0])[:MOST_TASKS]:
            example = self._say_task(task, variant)
            if example is not None:
                yield example

    def _say_task(self, task: TaskTemplate, variant: Variant) -> Example | None:
        """Say a task about elements; None if there is none for a slot."""
        elements = self._choose(_Pattern(variant, task.parameters, _NOTHING))
        said: dict[str, str] = {}
        values: dict[str, SlotValue] = {}
        for slot in dict.fromkeys([*list_slots(variant), *task.parameters]):
            type_, default = task.parameters.get(slot, ""), task.defaults.get(slot, "")
            if type_ == NUMBER:
                said[slot], values[slot] = "2", 2
            elif default in self._persons:
                said[slot], values[slot] = default, Constant(self._persons[default])
            elif slot in elements:
                said[slot] = f"the {elements[slot].label}"
                values[slot] = Constant(elements[slot].shown)
            elif slot in list_slots(variant):
                return None
        try:
            goal = rename_variables(fill_goal(task, values))
        except (ExpressionError, ValueError):
            return None
        text = to_text(goal)
        if len(text) > LONGEST_GOAL:
            return None
        return Example(_write(_Pattern(variant, {}, _NOTHING), said), text)

    def _choose(self, pattern: _Pattern) -> dict[str, OfferedElement]:
        """Choose different elements for the slots, others each time: models copy what is usual."""
        self._turn += 1
        chosen: dict[str, OfferedElement] = {}
        for slot in list_slots(pattern.variant):
            type_ = pattern.types.get(slot, "")
            fits = [
                element
                for element in self._elements
                if self._names.vocabulary.is_subtype(element.type, type_)
                and element not in chosen.values()
            ]
            if fits:
                chosen[slot] = fits[self._turn % len(fits)]
        return chosen


def _write(pattern: _Pattern, said: Mapping[str, str]) -> str:
    return " ".join(
        said[part.name] if isinstance(part, PhraseSlot) else part.text for part in pattern.variant
    )


def _range(kind: str) -> tuple[TypedVariable, ...]:
    return (TypedVariable(VARIABLES[0], kind),)


def _measure(variant: Variant, stems: Collection[str]) -> float:
    """Return the share of the words of a way to say something that are among some stems."""
    words = [find_stem(part.text) for part in variant if isinstance(part, PhraseWord)]
    return sum(word in stems for word in words) / len(words) if words else 0.0


def rename_variables(goal: Expression, depth: int = 0) -> Expression:
    """Call the variables of quantifiers as `goal_grammar` does, by their depth.

    Raises:
        ValueError: quantifiers with several variables, or nested more deeply.
    """
    if isinstance(goal, Atom):
        return goal
    if isinstance(goal, (And, Or, TrajectoryConstraint)):
        return replace(goal, parts=tuple(rename_variables(part, depth) for part in goal.parts))
    if isinstance(goal, (Exists, Forall, Count)):
        if len(goal.variables) > 1 or depth == len(VARIABLES):
            raise ValueError(f"{to_text(goal)} has too many variables: leave it out")
        name = VARIABLES[depth]
        body = rename_free(rename_variables(goal.body, depth + 1), {goal.variables[0].name: name})
        return replace(goal, variables=(TypedVariable(name, goal.variables[0].type),), body=body)
    return replace(goal, body=rename_variables(goal.body, depth))
