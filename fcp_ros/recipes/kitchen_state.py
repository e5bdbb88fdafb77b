# SPDX-License-Identifier: Apache-2.0
"""A recipe with something missing as a state (C-set) of the domain `kitchen`.

What an ingredient does in the dish decides what may take its place; what roles there are, their
cues and purposes, are facts of the knowledge file. Only needs that can't be met as listed get ways,
so the state is as large as the recipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from fcp_ros.cset import Instance
from fcp_ros.cset.presentation import present
from fcp_ros.cset.schema import Schema
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.ingredient_lines import find_foods
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import (
    VOLUMES,
    WEIGHTS,
    Equipment,
    Portion,
    Substitution,
)
from fcp_ros.recipes.measures import PIECE, convert
from fcp_ros.recipes.recipe import ListedIngredient, Note, Recipe, RecipeCode, Step
from fcp_ros.recipes.wishes import Limits

_RISING = frozenset(["knead", "rise", "prove", "proof"])
_GLAZING = frozenset(["brush", "glaze"])


def find_dish(recipe: Recipe, knowledge: FoodKnowledge) -> str:
    """Return a noun for the dish: the last one in the title that is a kind of dish."""
    known = {word for words in knowledge.facts.dishes.values() for word in words}
    titled: list[str] = re.findall(r"[a-z-]+", recipe.title.lower())
    for word in reversed(titled):
        for form in (word, *list_singulars(word)):
            if form in known:
                return form
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    yeast = any(one.food.endswith("yeast") for one in recipe.ingredients) and "bake" in verbs
    return "dough" if yeast or verbs & _RISING else "batter" if "bake" in verbs else "dish"


def find_roles(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> frozenset[str]:
    """Return the roles of an ingredient, of those that its food can have, in this recipe."""
    one, known = recipe.ingredients[index], knowledge.facts.roles
    roles = knowledge.roles_of(one.food) if one.food else frozenset()
    naming = _list_naming_steps(index, recipe)
    if "coating" in roles and naming and all(_GLAZING & set(step.verbs) for step in naming):
        return frozenset({"coating"})  # egg that only brushes the loaf
    if any("boil" in step.verbs for step in naming):  # a boiled egg binds nothing
        roles = frozenset(role for role in roles if known[role].rank > 1) or roles
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    own = {verb for step in naming for verb in step.verbs} or verbs

    def is_likely(role: str) -> bool:
        cues = known[role].cues
        return not cues or bool(set(cues) & (own if role == "coating" else verbs))

    return frozenset(filter(is_likely, roles)) or roles


def find_purposes(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> dict[str, str]:
    """Return what an ingredient is there for, by those of its roles that matter most.

    The verbs of the steps that name it count: butter that an onion is fried in is not there to make
    the crust tender. A purpose is "" where it is a matter of taste.
    """
    naming = _list_naming_steps(index, recipe) or recipe.steps
    verbs = {verb for step in naming for verb in step.verbs}
    dish, facts = find_dish(recipe, knowledge), knowledge.facts
    kinds = {kind for kind, words in facts.dishes.items() if dish in words}
    roles = find_roles(index, recipe, knowledge)
    rank = min((facts.roles[role].rank for role in roles), default=0)
    found = {}
    for role in sorted(one for one in roles if facts.roles[one].rank == rank):
        fitting = (
            one.words
            for one in facts.roles[role].purposes
            if not (one.dishes or one.verbs) or kinds & {*one.dishes} or verbs & {*one.verbs}
        )
        found[role] = next(fitting, "")
    return found


def _list_naming_steps(index: int, recipe: Recipe) -> list[Step]:
    return [step for step in recipe.steps if any(m.ingredient == index for m in step.mentions)]


# --- the state ---

MUCH_THE_SAME = 0.3
"""Share by which the weight of a cup may differ where a cup takes the place of a cup."""


@dataclass(frozen=True, slots=True)
class WayPart:
    """So much of a food; `quantity` is None where it is not known."""

    food: str
    quantity: float | None = None
    unit: str = ""
    ratio: str = ""  # to the other parts, where no quantity is known: "3 tbsp to 1 tbsp vinegar"


@dataclass(frozen=True, slots=True)
class SubstituteWay:
    """One or more foods in place of an ingredient."""

    ingredient: int
    parts: tuple[WayPart, ...]
    changes: tuple[str, ...] = ()  # of the knowledge file
    less: tuple[WayPart, ...] = ()  # to be taken from other ingredients
    roles: tuple[str, ...] = ()  # in which it does; none: in all
    brought: tuple[str, ...] = ()  # foods that its changes need: a pinch of sugar for yeast
    reason: str = ""
    note: Note | None = None

    @property
    def label(self) -> str:
        return " and ".join(part.food for part in self.parts)


@dataclass(frozen=True)
class KitchenState:
    """The state, and what its elements stand for."""

    instance: Instance
    ways: Mapping[str, SubstituteWay]
    methods: Mapping[str, Equipment]
    tools: Mapping[str, str]

    @staticmethod
    def find_need(element: str) -> int:
        """Return the ingredient that an element stands for."""
        return int(element.removeprefix("need_"))


def make_state(
    recipe: Recipe,
    limits: Limits,
    schema: Schema,
    most_candidates: int = 0,  # ways for each need, in the file's order; 0 for all
    excluded: frozenset[str] = frozenset(),  # ways that are not to be taken
) -> KitchenState:
    """Make the state of a recipe."""
    maker = _Maker(recipe, limits, most_candidates, excluded)
    maker.make()
    made = present(
        schema, maker.elements, tuples=maker.tuples, attributes=maker.attributes, bound=0
    )
    return KitchenState(made.instance, maker.ways, maker.methods, maker.tools)


@dataclass(slots=True)
class _Maker:
    """Collects the elements and tuples of a state."""

    recipe: Recipe
    limits: Limits
    most: int
    excluded: frozenset[str]
    elements: dict[str, str] = field(default_factory=dict)  # types by name
    tuples: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    ways: dict[str, SubstituteWay] = field(default_factory=dict)
    methods: dict[str, Equipment] = field(default_factory=dict)
    foods: dict[str, str] = field(default_factory=dict)  # by element
    tools: dict[str, str] = field(default_factory=dict)

    def make(self) -> None:
        self._add("cook", "cook")
        for index in range(len(self.recipe.ingredients)):
            self._add_need(f"need_{index}", index)
        self._add_chain("need", len(self.recipe.ingredients), "after", "turn")
        self._add_chain("step", len(self.recipe.steps), "follows", "next_step")
        self._add_uses()
        for element, tool in list(self.tools.items()):
            if tool in self.limits.absent_tools:
                self._add_methods(element, tool)
        self._add_apart()

    def _add(self, name: str, type_: str, category: str = "") -> str:
        if name not in self.elements:
            self.elements[name] = type_
            self.attributes += [(name, "category", category)] if category else []
        return name

    def _name(self, type_: str, what: str) -> str:
        """Add an element for what has a name of its own."""
        return self._add(f"{type_}_{'_'.join(what.replace('-', ' ').split())}", type_, what)

    def _relate(self, relation: str, *legs: str) -> None:
        self.tuples.append((relation, legs))

    def _add_chain(self, type_: str, count: int, following: str, first: str) -> None:
        chain = [self._add(f"{type_}_{number}", type_) for number in range(count)]
        chain.append(self._add(f"done_with_{type_}s", type_))
        for earlier, later in pairwise(chain):
            self._relate(following, later, earlier)
        self._relate(first, "cook", chain[0])

    # --- needs and ways

    def _add_need(self, name: str, index: int) -> None:
        one, limits = self.recipe.ingredients[index], self.limits
        self._add(name, "need", one.food or one.name)
        self._relate(
            "listed", name, self._add_food(one.food or one.name, index not in limits.missing)
        )
        if index not in limits.missing and not limits.explain_exclusion(one.food):
            return
        roles = find_roles(index, self.recipe, limits.knowledge)
        purposes = find_purposes(index, self.recipe, limits.knowledge)
        for number, way in enumerate(self._list_ways(index, one, roles)):
            element = f"way_{index}_{number}"
            if element in self.excluded or (self.most and number >= self.most):
                continue
            self._add_way(element, name, way)
            for role, purpose in purposes.items():
                if purpose and (role in way.roles or not way.roles):
                    duty = self._add(f"duty_{index}_{role}", "duty", purpose)
                    self._relate("serves", duty, element)
        minor = self._find_minor(one, roles)
        if minor:
            self._relate("minor", self._add(f"minor_{minor}", "duty", minor), name)

    def _find_minor(self, one: ListedIngredient, roles: frozenset[str]) -> str:
        """Return the role of an ingredient that may be left out, "" for any other one."""
        knowledge = self.limits.knowledge
        known = knowledge.roles_of(one.food) if one.food else frozenset()
        is_minor = roles and all(knowledge.facts.roles[role].minor for role in known)
        return "optional" if one.optional else min(roles) if is_minor else ""

    def _list_ways(
        self, index: int, one: ListedIngredient, roles: frozenset[str]
    ) -> Iterator[SubstituteWay]:
        for food in one.alternatives:
            part = WayPart(food, one.quantity, one.unit)
            yield SubstituteWay(index, (part,), reason="The recipe allows it itself.")
        for substitute in self.limits.knowledge.substitutes_of(one.food) if one.food else ():
            if not substitute.roles or roles & set(substitute.roles):
                yield measure_substitute(index, one, substitute, self.limits.knowledge)

    def _add_way(self, name: str, need: str, way: SubstituteWay) -> None:
        self.ways[name] = way
        self._add(name, "way", way.label)
        self._relate("replaces", name, need)
        for taken in (*(part.food for part in way.parts), *way.brought):
            food = self._add_food(taken, self.limits.is_stocked(taken))
            self._relate("part", food, name)
        for number, change in enumerate(way.changes):
            element = self._add(f"{name.replace('way', 'change')}_{number}", "change", change)
            self._relate("brings", name, element)

    def _add_food(self, food: str, stocked: bool) -> str:
        name = self._name("food", food)
        if name in self.foods:
            return name
        self.foods[name] = food
        if stocked:
            self._relate("stocked", name)
        known = food if food in self.limits.knowledge.facts.ingredients else ""
        for matter in self.limits.matters:
            if self.limits.explain_exclusion_by(matter, known):
                self._relate("holds", name, self._name("matter", matter))
        return name

    def _add_apart(self) -> None:
        """Relate the foods that a diet keeps out of one dish."""
        facts, contents = self.limits.knowledge.facts, self.limits.knowledge.contents_of
        pairs = [pair for diet in self.limits.diets for pair in facts.diets[diet].apart]
        for (one, other), first, second in product(pairs, self.foods, self.foods):
            if one in contents(self.foods[first]) and other in contents(self.foods[second]):
                self._relate("apart", first, second)

    # --- steps and tools

    def _add_uses(self) -> None:
        """Add what steps take and give, and the tools that they work with."""
        indices: dict[str, int] = {}
        for index, one in enumerate(self.recipe.ingredients):
            indices.setdefault(one.name, index)
        made: dict[str, str] = {}
        for number, step in enumerate(self.recipe.steps):
            name = f"step_{number}"
            for used in step.uses:
                if used in indices:
                    self._relate("takes", name, f"need_{indices[used]}")
                elif used in made:
                    self._relate("takes_product", name, made[used])
            if step.gives:
                made[step.gives] = self._add(f"product_{number}", "product", step.gives)
                self._relate("gives", name, made[step.gives])
            for tool in step.tools:
                self._relate("works_with", name, self._add_tool(tool))

    def _add_tool(self, tool: str) -> str:
        element = self._name("tool", tool)
        if element not in self.tools:
            self.tools[element] = tool
            if tool not in self.limits.absent_tools:
                self._relate("at_hand", element)
        return element

    def _add_methods(self, element: str, tool: str) -> None:
        verbs = {verb for one in self.recipe.steps if tool in one.tools for verb in one.verbs}
        for method in self.limits.knowledge.facts.equipment:
            if method.instead_of == tool and verbs & set(method.verbs):
                name = self._add(f"method_{len(self.methods)}", "method", method.text)
                self.methods[name] = method
                self._relate("does_for", name, element)
                for used in method.use:
                    self._relate("wants", name, self._add_tool(used))


# --- quantities of a substitute


def measure_substitute(
    index: int, one: ListedIngredient, substitute: Substitution, knowledge: FoodKnowledge
) -> SubstituteWay:
    """Take as much of a substitute as the recipe's quantity of an ingredient asks for."""
    of, unit = substitute.of
    quantity = note = None
    if one.quantity is not None:
        quantity = convert(one.quantity, one.unit, unit, one.food, knowledge)
        if quantity is None:
            note = _note_unit(one, unit, substitute)

    def scale(portions: Sequence[Portion]) -> list[WayPart]:
        factor = None if quantity is None else quantity / of
        return [
            WayPart(two.ingredient, None if factor is None else two.quantity * factor, two.unit)
            for two in portions
        ]

    parts = scale(substitute.use)
    if len(parts) == 1 and (of, unit) == substitute.use[0][:2]:
        parts[0] = _keep_quantity(parts[0], one, knowledge)
    if quantity is None and len(parts) > 1:
        main, *others = substitute.use
        to = " and ".join(f"{two.quantity:g} {two.unit} {two.ingredient}" for two in others)
        parts[0] = replace(parts[0], ratio=f"{main.quantity:g} {main.unit} to {to}")
    return SubstituteWay(
        index,
        tuple(parts),
        substitute.steps,
        tuple(scale(substitute.less)),
        substitute.roles,
        _list_brought(substitute, knowledge),
        _write_ratio(substitute),
        note,
    )


def _keep_quantity(part: WayPart, one: ListedIngredient, knowledge: FoodKnowledge) -> WayPart:
    """Take as much as the recipe says where it comes to much the same, as a cook would."""
    if part.quantity is None or one.quantity is None or one.unit not in (*VOLUMES, *WEIGHTS):
        return part
    same = convert(one.quantity, one.unit, part.unit, part.food, knowledge)
    if same is None or abs(same - part.quantity) > MUCH_THE_SAME * part.quantity:
        return part
    return replace(part, quantity=one.quantity, unit=one.unit)


def _list_brought(substitute: Substitution, knowledge: FoodKnowledge) -> tuple[str, ...]:
    """List the foods that changes of the procedure take besides the substitute's own."""
    texts = (knowledge.facts.step_changes[name].text for name in substitute.steps)
    found = (food for text in texts for *_, food in find_foods(text, knowledge))
    own = {amount.ingredient for amount in substitute.use} | {"water"}
    return tuple(dict.fromkeys(food for food in found if food not in own))


def _note_unit(one: ListedIngredient, unit: str, substitute: Substitution) -> Note:
    has = f"{one.quantity:g} {one.unit or PIECE}"
    new = " and ".join(amount.ingredient for amount in substitute.use)
    sentence = (
        f"{has} of {one.name} can't be converted to {unit}: how much {new} takes its place is "
        "left to the cook."
    )
    return Note(RecipeCode.UNIT, sentence)


def _write_ratio(substitute: Substitution) -> str:
    of, unit = substitute.of
    new = " and ".join(f"{one.quantity:g} {one.unit} {one.ingredient}" for one in substitute.use)
    return f"{of:g} {unit} {substitute.instead_of} = {new} (source: {substitute.source})."
