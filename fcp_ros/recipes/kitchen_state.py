# SPDX-License-Identifier: Apache-2.0
"""A recipe with something missing as a state (C-set) of the domain `kitchen`, and its goal.

Only needs that can't be met as listed get ways, so the state is as large as the recipe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from fcp_ros.cset import Instance
from fcp_ros.cset.presentation import present
from fcp_ros.cset.schema import Schema
from fcp_ros.recipes.dish_roles import find_purpose, find_roles, list_main_roles
from fcp_ros.recipes.ingredient_lines import find_foods
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import Equipment, Substitution
from fcp_ros.recipes.measures import PIECE, convert
from fcp_ros.recipes.recipe import ListedIngredient, Note, Recipe, RecipeCode
from fcp_ros.recipes.wishes import Limits

MINOR = frozenset(
    ["garnish", "colour", "crunch", "herb", "spice", "heat", "flavour", "aromatic", "umami"]
)
"""A food that has no other roles may be left out, to a degree."""


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
    needs: Mapping[str, int]  # element -> ingredient
    changes: Mapping[str, str]
    methods: Mapping[str, Equipment]
    tools: Mapping[str, str]


@dataclass(slots=True)
class _Parts:
    """The elements and tuples of a presentation."""

    elements: dict[str, str] = field(default_factory=dict)
    tuples: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, type_: str, category: str = "") -> str:
        if name not in self.elements:
            self.elements[name] = type_
            self.attributes += [(name, "category", category)] if category else []
        return name

    def relate(self, relation: str, *legs: str) -> None:
        self.tuples.append((relation, legs))


class KitchenStateMaker:
    """Makes the state of one recipe."""

    def __init__(
        self,
        recipe: Recipe,
        limits: Limits,
        knowledge: FoodKnowledge,
        most_candidates: int = 0,  # ways for each need, in the file's order; 0 for all
    ) -> None:
        self._recipe = recipe
        self._most = most_candidates
        self._limits = limits
        self._knowledge = knowledge

    def make(self, schema: Schema, excluded: frozenset[str] = frozenset()) -> KitchenState:
        """Make the state, without the ways that are `excluded`."""
        self._excluded = excluded
        self._parts = _Parts()
        self._ways: dict[str, SubstituteWay] = {}
        self._changes: dict[str, str] = {}
        self._methods: dict[str, Equipment] = {}
        self._foods: dict[str, str] = {}  # names by element
        parts, count = self._parts, len(self._recipe.ingredients)
        cook = parts.add("cook", "cook")
        needs = {f"need_{index}": index for index in range(count)}
        for name in needs:
            self._add_need(name, needs[name])
        chain = [*needs, parts.add("done_with_needs", "need")]
        for earlier, later in pairwise(chain):
            parts.relate("after", later, earlier)
        parts.relate("turn", cook, chain[0])
        self._add_steps(cook)
        tools = self._add_tools()
        self._add_apart()
        made = present(
            schema, parts.elements, tuples=parts.tuples, attributes=parts.attributes, bound=0
        )
        return KitchenState(
            made.instance,
            self._ways,
            needs,
            self._changes,
            self._methods,
            tools,
        )

    # --- needs and ways

    def _add_need(self, name: str, index: int) -> None:
        one = self._recipe.ingredients[index]
        roles = find_roles(index, self._recipe, self._knowledge)
        label = one.food or one.name
        self._parts.add(name, "need", label)
        food = self._add_food(one.food or one.name, index not in self._limits.missing)
        self._parts.relate("listed", name, food)
        if index not in self._limits.missing and not self._explain_exclusion(one.food):
            return
        for number, way in enumerate(self._list_ways(index, one, roles)):
            way_name = f"way_{index}_{number}"
            if way_name not in self._excluded and not (self._most and number >= self._most):
                self._add_way(way_name, name, way)
                main = list_main_roles(roles)
                for role in sorted(main & set(way.roles) if way.roles else main):
                    self._add_duty(role, index, way_name)
        minor = self._find_minor(one, roles)
        if minor:
            self._parts.relate("minor", self._parts.add(f"minor_{minor}", "duty", minor), name)

    def _add_duty(self, role: str, index: int, way: str) -> None:
        purpose = find_purpose(role, index, self._recipe)
        if purpose:
            name = f"duty_{index}_{role}"
            self._parts.add(name, "duty", purpose)
            self._parts.relate("serves", name, way)

    def _explain_exclusion(self, food: str) -> str:
        return self._limits.explain_exclusion(food, self._knowledge)

    def _find_minor(self, one: ListedIngredient, roles: frozenset[str]) -> str:
        if one.optional:
            return "optional"
        known = self._knowledge.roles_of(one.food) if one.food else frozenset()
        return min(roles & MINOR) if roles and known <= MINOR else ""

    def _list_ways(
        self, index: int, one: ListedIngredient, roles: frozenset[str]
    ) -> Iterator[SubstituteWay]:
        for food in one.alternatives:
            part = WayPart(food, one.quantity, one.unit)
            yield SubstituteWay(index, (part,), reason="The recipe allows it itself.")
        if not one.food:
            return
        for substitute in self._knowledge.substitutes_of(one.food):
            if substitute.roles and not roles & set(substitute.roles):
                continue
            if not any(amount.ingredient == one.food for amount in substitute.use):
                yield self._measure(index, one, substitute)

    def _measure(
        self, index: int, one: ListedIngredient, substitute: Substitution
    ) -> SubstituteWay:
        """Take as much of a substitute as the recipe's quantity asks for."""
        of, unit = substitute.of
        quantity = note = None
        if one.quantity is not None:
            quantity = convert(one.quantity, one.unit, unit, one.food, self._knowledge)
            if quantity is None:
                note = _note_unit(one, unit, substitute)
        factor = None if quantity is None else quantity / of

        def scale(amount: float) -> float | None:
            return None if factor is None else amount * factor

        parts = [WayPart(two.ingredient, scale(two.quantity), two.unit) for two in substitute.use]
        if factor is None and len(parts) > 1:
            main, *others = substitute.use
            to = " and ".join(f"{two.quantity:g} {two.unit} {two.ingredient}" for two in others)
            parts[0] = replace(parts[0], ratio=f"{main.quantity:g} {main.unit} to {to}")
        return SubstituteWay(
            index,
            tuple(parts),
            tuple(substitute.steps),
            tuple(
                WayPart(two.ingredient, scale(two.quantity), two.unit) for two in substitute.less
            ),
            substitute.roles,
            self._list_brought(substitute),
            _write_ratio(substitute),
            note,
        )

    def _list_brought(self, substitute: Substitution) -> tuple[str, ...]:
        """List the foods that changes of the procedure take besides the substitute's own."""
        texts = (self._knowledge.step_changes[name].text for name in substitute.steps)
        found = (food for text in texts for *_, food in find_foods(text, self._knowledge))
        own = {amount.ingredient for amount in substitute.use} | {"water"}
        return tuple(dict.fromkeys(food for food in found if food not in own))

    def _add_way(self, name: str, need: str, way: SubstituteWay) -> None:
        parts = self._parts
        self._ways[name] = way
        parts.add(name, "way", way.label)
        parts.relate("replaces", name, need)
        for taken in (*(part.food for part in way.parts), *way.brought):
            food = self._add_food(taken, self._limits.is_stocked(taken, self._knowledge))
            parts.relate("part", food, name)
        for number, change in enumerate(way.changes):
            element = f"{name.replace('way', 'change')}_{number}"
            self._changes[element] = change
            parts.relate("brings", name, parts.add(element, "change", change))

    def _add_food(self, food: str, stocked: bool) -> str:
        name = f"food_{'_'.join(food.replace('-', ' ').split())}"
        if name in self._foods:
            return name
        self._foods[name] = food
        self._parts.add(name, "food", food)
        if stocked:
            self._parts.relate("stocked", name)
        known = food if food in self._knowledge.ingredients else ""
        for matter in self._limits.matters:
            if self._limits.explain_exclusion_by(matter, known, self._knowledge):
                element = self._parts.add(f"matter_{'_'.join(matter.split())}", "matter", matter)
                self._parts.relate("holds", name, element)
        return name

    def _add_apart(self) -> None:
        """Relate the foods that a diet keeps out of one dish."""
        pairs = [pair for diet in self._limits.diets for pair in self._knowledge.diets[diet].apart]
        for one, other in pairs:
            for first, name in self._foods.items():
                for second, second_name in self._foods.items():
                    if one in self._contents(name) and other in self._contents(second_name):
                        self._parts.relate("apart", first, second)

    def _contents(self, food: str) -> frozenset[str]:
        known = food in self._knowledge.ingredients
        return self._knowledge.contents_of(food) if known else frozenset()

    # --- steps and tools

    def _add_steps(self, cook: str) -> None:
        parts, steps = self._parts, self._recipe.steps
        indices: dict[str, int] = {}
        for index, one in enumerate(self._recipe.ingredients):
            indices.setdefault(one.name, index)
        chain = [parts.add(f"step_{number}", "step") for number in range(len(steps))]
        chain.append(parts.add("done_with_steps", "step"))
        for earlier, later in pairwise(chain):
            parts.relate("follows", later, earlier)
        parts.relate("next_step", cook, chain[0])
        last: dict[str, str] = {}
        for number, step in enumerate(steps):
            for name in step.uses:
                if name in indices:
                    parts.relate("takes", chain[number], f"need_{indices[name]}")
                elif name in last:
                    parts.relate("takes_product", chain[number], last[name])
            if step.gives:
                product = parts.add(f"product_{number}", "product", step.gives)
                parts.relate("gives", chain[number], product)
                last[step.gives] = product

    def _add_tools(self) -> dict[str, str]:
        parts, tools = self._parts, dict[str, str]()
        for number, step in enumerate(self._recipe.steps):
            for tool in step.tools:
                element = self._add_tool(tool, tools)
                parts.relate("works_with", f"step_{number}", element)
        for element, tool in list(tools.items()):
            if tool in self._limits.absent_tools:
                self._add_methods(element, tool, tools)
        return tools

    def _add_tool(self, tool: str, tools: dict[str, str]) -> str:
        element = f"tool_{'_'.join(tool.replace('-', ' ').split())}"
        if element not in tools:
            tools[element] = tool
            self._parts.add(element, "tool", tool)
            if tool not in self._limits.absent_tools:
                self._parts.relate("at_hand", element)
        return element

    def _add_methods(self, element: str, tool: str, tools: dict[str, str]) -> None:
        verbs = {verb for one in self._recipe.steps if tool in one.tools for verb in one.verbs}
        for method in self._knowledge.equipment:
            if method.instead_of != tool or not verbs & set(method.verbs):
                continue
            name = self._parts.add(f"method_{len(self._methods)}", "method", method.text)
            self._methods[name] = method
            self._parts.relate("does_for", name, element)
            for used in method.use:
                self._parts.relate("wants", name, self._add_tool(used, tools))


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


def list_missing(recipe: Recipe, limits: Limits, knowledge: FoodKnowledge) -> Sequence[int]:
    """List the ingredients that can't be used as listed."""
    return [
        index
        for index, one in enumerate(recipe.ingredients)
        if index in limits.missing or limits.explain_exclusion(one.food, knowledge)
    ]
