# SPDX-License-Identifier: Apache-2.0
"""Cook a recipe with something missing: read, plan in the domain `kitchen`, verify, rewrite.

`cook` is the way in; a `Kitchen` keeps the domain, the facts and the judge between recipes. The
planner's front door plans, and its verifier replays each plan on the state before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from fcp_ros import grounding
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.wording import list_names
from fcp_ros.fuzzy import AlphaPolicy
from fcp_ros.package_files import find_domain
from fcp_ros.planning import (
    Judged,
    MembershipSource,
    Plan,
    PlanningOptions,
    PlanningRequest,
    PlanningResult,
    PlanningSession,
    PlanStatus,
)
from fcp_ros.recipes.kitchen_state import KitchenState, SubstituteWay, make_state
from fcp_ros.recipes.knowledge import FoodKnowledge, read_knowledge
from fcp_ros.recipes.procedure_changes import FoodChoice, ToolChoice
from fcp_ros.recipes.reading import read_recipe
from fcp_ros.recipes.recipe import Note, Recipe, RecipeCode, RecipeError
from fcp_ros.recipes.recipe_files import RecipeLines, parse_recipe
from fcp_ros.recipes.rewriting import rewrite_recipe
from fcp_ros.recipes.wishes import Limits, Wishes, understand
from fcp_ros.relaxation.plan_goal import plan_goal

GOAL = "turn(cook, done_with_needs) and next_step(cook, done_with_steps)"
ALPHA = 0.15
"""Degree that substitutes reach on average (geometric mean) by default.

The judge is strict: nine tenths of the substitutes of the knowledge file reach 0.16 by likeness.
"""
UNHURRIED = PlanningOptions(time_limit=120.0, improve_time=120.0, allow_relaxation=False)
"""A recipe is small: it is planned to the end, so that no answer depends on the load."""
_SUBSTITUTING = ("substitute", "substitute_for_duty")
_NO_PLAN = {
    PlanStatus.UNSOLVABLE_PROVEN: RecipeCode.NOTHING_LEFT,
    PlanStatus.UNSOLVABLE_AT_ALPHA: RecipeCode.BELOW_ALPHA,
    PlanStatus.TIMEOUT: RecipeCode.NO_TIME,
    PlanStatus.NO_JUDGEMENT: RecipeCode.NO_JUDGEMENT,
}


@dataclass(frozen=True, slots=True)
class CookingOptions:
    """Options: the degree that substitutes must reach, and how degrees are composed.

    With `adaptive`, `alpha` is what they reach on average, so that seven missing ingredients are
    not held to the degree of one; without it, the composed degree of the plan reaches `alpha`.
    """

    alpha: float = ALPHA
    adaptive: bool = True
    tnorm: str = "product"
    most_candidates: int = 0  # ways for each ingredient, in the file's order; 0 for all
    planning: PlanningOptions = UNHURRIED

    def to_planning_options(self) -> PlanningOptions:
        policy = None
        if self.adaptive:
            # alpha * alpha^(n - 1) for n substitutes under the product t-norm
            factor = max(self.alpha, 1e-6)
            policy = AlphaPolicy(self.alpha, length_factor=factor, free_length=1, adaptive=True)
        return replace(self.planning, alpha=self.alpha, policy=policy, tnorm=self.tnorm)


@dataclass(frozen=True)
class Cooked:
    """The rewritten recipe, the one it came from, and the plan behind it."""

    recipe: Recipe
    original: Recipe
    degree: float
    result: PlanningResult

    def to_json(self) -> dict[str, Any]:
        return {**self.recipe.to_plain(), "degree": round(self.degree, 4)}

    def to_text(self) -> str:
        return self.recipe.to_text()


class Kitchen:
    """Keeps what all recipes share: the domain, the facts, and who judges substitutes.

    `memberships`: any source of memberships; by default the grounder of the package, which looks
    judged pairs up and asks a sentence model about the others.
    """

    def __init__(
        self,
        knowledge: FoodKnowledge | None = None,
        memberships: MembershipSource | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.knowledge = knowledge or read_knowledge()
        self.domain = domain or load_domain(find_domain("kitchen"))
        self._memberships = memberships
        self._session = PlanningSession(self.domain)

    @property
    def memberships(self) -> MembershipSource:
        if self._memberships is None:
            self._memberships = grounding.make_grounder(self.domain, grounding.GroundingOptions())
        return self._memberships

    def read(self, recipe: Recipe | RecipeLines | Mapping[str, Any]) -> Recipe:
        """Read a recipe; RecipeError says why it is none."""
        if isinstance(recipe, Recipe):
            return recipe
        lines = recipe if isinstance(recipe, RecipeLines) else parse_recipe(recipe)
        return read_recipe(lines, self.knowledge)

    def cook(
        self,
        recipe: Recipe | RecipeLines | Mapping[str, Any],
        wishes: Wishes,
        options: CookingOptions | None = None,
    ) -> Cooked:
        """Rewrite a recipe so that it can be cooked with what is there.

        Raises:
            RecipeError: the recipe or a wish can't be used, or there is nothing left to cook; its
                code says which, its sentence why.
        """
        options = options or CookingOptions()
        original = self.read(recipe)
        limits = understand(wishes, original, self.knowledge)
        excluded: frozenset[str] = frozenset()
        while True:
            schema, most = self.domain.schema, options.most_candidates
            state = make_state(original, limits, schema, most, excluded)
            request = PlanningRequest(
                self.domain,
                state.instance,
                GOAL,
                options.to_planning_options(),
                self.memberships,
                session=self._session,
            )
            result = plan_goal(request)
            if result.plan is None:
                raise _refuse(result, original, limits, state, excluded)
            cooked = _rewrite(original, limits, state, result, result.plan)
            late = _find_slow_ways(cooked, limits, state, result.plan)
            if not late:
                return cooked
            excluded |= late


# --- what a plan says


def _rewrite(
    original: Recipe, limits: Limits, state: KitchenState, result: PlanningResult, plan: Plan
) -> Cooked:
    choices, tools = [], []
    for step in plan.steps:
        arguments = dict(step.arguments)
        if step.rule in _SUBSTITUTING:
            way = state.ways[arguments["way"]]
            judged = "; ".join(filter(None, map(_describe_judgement, step.judgements)))
            if step.rule == "substitute_for_duty":
                judged += f"; {step.degree:.2f}, since what does the work need not taste alike"
            reason = f"{_say_why(way.ingredient, original, limits)}. {judged}. {way.reason}"
            reason = reason.replace("..", ".")
            choices.append(FoodChoice(way.ingredient, way, step.degree, reason))
        elif step.rule == "leave_out":
            index = state.find_need(arguments["need"])
            reason = f"{_say_why(index, original, limits)}. The dish can do without it."
            choices.append(FoodChoice(index, None, step.degree, reason))
        elif step.rule == "work_otherwise":
            method = state.methods[arguments["method"]]
            tools.append(ToolChoice(state.tools[arguments["tool"]], method))
    written = rewrite_recipe(original, choices, tools, limits)
    uncertain = (one.way.note for one in choices if one.way and one.way.note)
    notes = (*original.notes, *uncertain, *_warn(original, limits))
    return Cooked(replace(written, notes=notes), original, plan.membership, result)


def _say_why(index: int, recipe: Recipe, limits: Limits) -> str:
    one = recipe.ingredients[index]
    why = limits.explain_exclusion(one.food)
    if index in limits.missing:
        return f"Missing: {one.name}" + (f", and {why}" if why else "")
    return why or f"{one.name} can't be used"


def _describe_judgement(judged: Judged) -> str:
    words = [argument.words for argument in judged.request.arguments]
    if len(words) < 2:
        return ""
    membership = judged.membership
    verb = "stands in for" if judged.request.predicate == "suitable_substitute" else "serves for"
    verb = verb.replace("s ", " ", 1) if " and " in words[0] else verb
    source = "judged word for word" if membership.source == "judged" else membership.source
    return f"{words[0]} {verb} {words[-1]}: {membership.degree:.2f} ({source})"


def _warn(recipe: Recipe, limits: Limits) -> list[Note]:
    """Warn of foods that nobody knows, where something is ruled out."""
    unknown = [one.name for one in recipe.ingredients if not one.food]
    if not unknown or not limits.matters:
        return []
    sentence = f"Nobody knows here what is in {list_names(unknown, 10)}: look at the packet."
    return [Note(RecipeCode.UNKNOWN_FOOD, sentence)]


def _find_slow_ways(
    cooked: Cooked, limits: Limits, state: KitchenState, plan: Plan
) -> frozenset[str]:
    """Return a way to do without, because the dish takes too long with it."""
    if limits.minutes is None or cooked.recipe.minutes <= limits.minutes:
        return frozenset()
    changes = limits.knowledge.facts.step_changes
    for step in plan.steps:
        name = dict(step.arguments).get("way", "")
        known = [changes[one] for one in state.ways[name].changes] if name in state.ways else []
        if any(one.minutes > 0.0 or one.factor > 1.0 for one in known):
            return frozenset({name})
    sentence = (
        f"The recipe takes {cooked.recipe.minutes:.0f} minutes, and {limits.minutes:g} are "
        "allowed: give more time, or another recipe."
    )
    raise RecipeError(RecipeCode.NO_TIME, sentence)


# --- why there is none


def _refuse(
    result: PlanningResult,
    recipe: Recipe,
    limits: Limits,
    state: KitchenState,
    excluded: frozenset[str],
) -> RecipeError:
    code, sentence = _NO_PLAN.get(result.status, RecipeCode.PLANNING_FAILED), result.message
    if code is RecipeCode.NOTHING_LEFT and excluded:
        code = RecipeCode.NO_TIME
        sentence = "What would take the place of something takes longer than is allowed."
    elif code is RecipeCode.NOTHING_LEFT:
        sentence = _explain_nothing_left(recipe, limits, state)
    elif code is RecipeCode.BELOW_ALPHA:
        sentence = (
            f"No substitutes are good enough: the best plan reaches "
            f"{result.best_membership:.2f}, and {result.alpha:.2f} is wanted (--alpha)."
        )
    return RecipeError(code, sentence)


def _explain_nothing_left(recipe: Recipe, limits: Limits, state: KitchenState) -> str:
    """Say for each ingredient and tool why there is nothing in its place."""
    reasons = []
    for index in limits.list_lost(recipe):
        ways = [way for way in state.ways.values() if way.ingredient == index]
        blocked = [_explain_blocking(way, limits) for way in ways]
        if all(blocked):
            tried = "; ".join(dict.fromkeys(blocked)) or "nothing is known to take its place"
            reasons.append(f"{_say_why(index, recipe, limits)}, and {tried}")
    used = {tool for step in recipe.steps for tool in step.tools}
    served = {method.instead_of for method in state.methods.values()}
    for tool in sorted(used & limits.absent_tools - served):
        reasons.append(f"there is no {tool}, and nothing is known to do its work")
    return f"Nothing is left to cook: {'. '.join(reasons) or 'the steps can not be done'}."


def _explain_blocking(way: SubstituteWay, limits: Limits) -> str:
    for food in (*(part.food for part in way.parts), *way.brought):
        why = limits.explain_exclusion(food)
        if why or not limits.is_stocked(food):
            return why or f"{food} is missing, too"
    return ""


@lru_cache(maxsize=1)
def _open_kitchen() -> Kitchen:
    return Kitchen()


def cook(
    recipe: Recipe | RecipeLines | Mapping[str, Any],
    missing: Sequence[str] = (),
    *,
    without: Sequence[str] = (),
    diet: str | Sequence[str] = (),
    tools_absent: Sequence[str] = (),
    minutes: float | None = None,
    options: CookingOptions | None = None,
    kitchen: Kitchen | None = None,
) -> Cooked:
    """Rewrite a recipe so that it can be cooked with what is there.

    Args:
        recipe: plain data (schema.org/Recipe, RecipeNLG's fields), lines, or a read one.
        missing: names of ingredients that are not there.
        without: foods, kinds of food, allergens or tools that must not be used.
        diet: diets of the knowledge file; "" for none.
        kitchen: what recipes share; by default one for the process.

    Raises:
        RecipeError: nothing can be cooked; its code says which kind of reason, its sentence why.
    """
    diets = (diet,) if isinstance(diet, str) else tuple(diet)
    wishes = Wishes(
        tuple(missing),
        tuple(without),
        tuple(one for one in diets if one),
        tuple(tools_absent),
        minutes,
    )
    return (kitchen or _open_kitchen()).cook(recipe, wishes, options)
