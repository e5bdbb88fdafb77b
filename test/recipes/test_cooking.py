# SPDX-License-Identifier: Apache-2.0
"""Substitution as planning: what is crisp holds, what is graded decides, the text follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.grounding import JudgementRequest, Membership
from fcp_ros.planning import Plan, PlanStatus, verify
from fcp_ros.recipes import CookingOptions, Kitchen, RecipeCode, RecipeError, cook
from fcp_ros.recipes.cooking import GOAL
from fcp_ros.recipes.kitchen_state import make_state
from fcp_ros.recipes.wishes import Wishes, understand
from fcp_ros.report.recipe_page import mark_changes, write_recipe_page
from test.recipes.conftest import PANCAKES, LikingJudge

BISCUITS = {
    "title": "Butter biscuits",
    "ingredients": ["100 g butter", "200 g flour", "1 tbsp sugar"],
    "directions": [
        "Melt the butter in a saucepan over low heat.",
        "Mix the melted butter, flour and sugar until a dough forms.",
        "Bake in the oven for 20 minutes at 180°C.",
    ],
}


def test_nothing_missing_changes_nothing(kitchen: Kitchen) -> None:
    cooked = cook(PANCAKES, kitchen=kitchen)
    assert cooked.recipe.changes == ()
    assert cooked.degree == 1.0
    assert [step.text for step in cooked.recipe.steps] == PANCAKES["directions"]
    assert cooked.result.status is PlanStatus.SOLVED_OPTIMALLY


def test_the_judge_chooses_the_substitute(kitchen: Kitchen) -> None:
    cooked = cook(BISCUITS, ["butter"], kitchen=kitchen)
    (change,) = cooked.recipe.changes
    assert change.missing == "butter"
    assert change.degree == 0.9
    assert "olive oil" in change.substitutes[0]
    other = Kitchen(kitchen.knowledge, LikingJudge(margarine=0.8), kitchen.domain)
    (change,) = cook(BISCUITS, ["butter"], kitchen=other).recipe.changes
    assert "margarine" in change.substitutes[0]


def test_what_only_does_the_work_does_not_beat_what_is_like_it(kitchen: Kitchen) -> None:
    class Judge:
        def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
            likes = {"maple syrup": 0.8, "sugar and water": 0.3}
            return [
                Membership.of_degree(
                    1.0
                    if one.predicate == "does_work_of" and one.arguments[0].words in likes
                    else likes.get(one.arguments[0].words, 0.1),
                    *("table", "liking", ""),
                )
                for one in requests
            ]

    tea = {"title": "Tea", "ingredients": ["1 tbsp honey"], "directions": ["Stir in the honey."]}
    cooked = cook(tea, ["honey"], kitchen=Kitchen(kitchen.knowledge, Judge(), kitchen.domain))
    assert cooked.recipe.changes[0].substitutes == ("1 tbsp maple syrup",)
    assert cooked.degree == pytest.approx(0.8)


def test_the_judge_hears_words_that_it_was_trained_on(kitchen: Kitchen) -> None:
    heard: list[JudgementRequest] = []

    class Listener(LikingJudge):
        def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
            heard.extend(requests)
            return super().judge(requests)

    cook(BISCUITS, ["butter"], kitchen=Kitchen(kitchen.knowledge, Listener(), kitchen.domain))
    assert {("olive oil", "butter"), ("olive oil", "making pastry flaky")} <= {
        tuple(argument.words for argument in request.arguments) for request in heard
    }
    assert not any(argument.attributes for request in heard for argument in request.arguments)


def test_quantities_names_and_work_change(kitchen: Kitchen) -> None:
    recipe = cook(BISCUITS, ["butter"], kitchen=kitchen).recipe
    oil = recipe.ingredients[0]
    assert (oil.name, oil.unit) == ("olive oil", "g")
    assert oil.quantity is not None
    assert 70 <= oil.quantity <= 90
    assert recipe.steps[0].text == "Heat the olive oil in a saucepan over low heat."
    assert recipe.steps[1].text == "Mix the olive oil, flour and sugar until a dough forms."
    assert not any("butter" in name for step in recipe.steps for name in (*step.uses, step.gives))


def test_one_to_many_and_several_at_once(kitchen: Kitchen) -> None:
    judge = LikingJudge(apple_sauce_and_baking_powder=0.95, oat_milk=0.9)
    other = Kitchen(kitchen.knowledge, judge, kitchen.domain)
    cooked = cook({**PANCAKES, "directions": [*PANCAKES["directions"], "Bake it."]},
                  ["eggs", "milk"], kitchen=other)  # fmt: skip
    names = [one.name for one in cooked.recipe.ingredients]
    assert names[2:5] == ["apple sauce", "baking powder", "oat milk"]
    assert cooked.degree == pytest.approx(0.95 * 0.9)
    text = cooked.recipe.steps[1].text
    assert "apple sauce and baking powder, oat milk and butter" in text


@pytest.mark.parametrize("diet", ["vegan", "gluten-free", "dairy-free", "vegetarian", "halal"])
def test_nothing_forbidden_enters_by_the_parts_of_a_substitute(kitchen: Kitchen, diet: str) -> None:
    try:
        recipe = cook(PANCAKES, ["eggs"], diet=diet, without=["nuts"], kitchen=kitchen).recipe
    except RecipeError as error:
        assert error.code is RecipeCode.NOTHING_LEFT  # noqa: PT017
        return
    for one in recipe.ingredients:
        assert not kitchen.knowledge.explain_exclusion(one.food, ("nuts",), diet)
        assert one.food != "egg"


def test_the_verifier_replays_the_plan(kitchen: Kitchen) -> None:
    cooked = cook(PANCAKES, ["butter", "milk"], diet="vegan", kitchen=kitchen)
    limits = understand(
        Wishes(("butter", "milk"), (), ("vegan",)), cooked.original, kitchen.knowledge
    )
    state = make_state(cooked.original, limits, kitchen.domain.schema)
    plan = cooked.result.plan
    assert plan is not None
    goal = check_goal(parse_expression(GOAL), kitchen.domain, state.instance)

    def replay(one: Plan) -> bool:
        verdict = verify(kitchen.domain, state.instance, one, goal, kitchen.memberships, alpha=0.04)
        return verdict.ok

    assert replay(plan)
    # Without the step that meets a need, the steps that take it can't be done.
    assert not replay(replace(plan, steps=plan.steps[1:]))


def test_alpha_is_an_average_or_a_whole(kitchen: Kitchen) -> None:
    half = Kitchen(kitchen.knowledge, LikingJudge(), kitchen.domain)
    missing = ["butter", "milk", "eggs"]
    average = cook(PANCAKES, missing, options=CookingOptions(alpha=0.5), kitchen=half)
    assert average.degree == pytest.approx(0.125)
    with pytest.raises(RecipeError) as caught:
        cook(PANCAKES, missing, options=CookingOptions(alpha=0.5, adaptive=False), kitchen=half)
    assert caught.value.code is RecipeCode.BELOW_ALPHA
    assert "0.12" in caught.value.sentence


def test_a_tool_that_is_absent_is_done_without(kitchen: Kitchen) -> None:
    recipe = cook(BISCUITS, tools_absent=["oven"], kitchen=kitchen).recipe
    assert all("oven" not in step.tools for step in recipe.steps)
    assert "oven" not in recipe.steps[2].text or "air fryer" in recipe.steps[2].text
    assert recipe.steps[2].changed_from


def test_a_tool_that_nothing_replaces_ends_it(kitchen: Kitchen) -> None:
    methods = [one.use for one in kitchen.knowledge.facts.equipment if one.instead_of == "oven"]
    absent = ["oven", *(tool for use in methods for tool in use)]
    with pytest.raises(RecipeError) as caught:
        cook(BISCUITS, tools_absent=absent, kitchen=kitchen)
    assert caught.value.code is RecipeCode.NOTHING_LEFT


def test_time_is_crisp(kitchen: Kitchen) -> None:
    assert cook(BISCUITS, minutes=20, kitchen=kitchen).recipe.minutes == 20
    with pytest.raises(RecipeError) as caught:
        cook(BISCUITS, minutes=19, kitchen=kitchen)
    assert caught.value.code is RecipeCode.NO_TIME


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(missing=st.sets(st.sampled_from(["butter", "eggs", "milk", "flour"]), max_size=4))
def test_what_is_missing_is_nowhere_any_more(kitchen: Kitchen, missing: set[str]) -> None:
    cooked = cook(PANCAKES, sorted(missing), kitchen=kitchen)
    given_by: set[str] = {one.name for one in cooked.recipe.ingredients}
    lost = {one.name for one in cooked.original.ingredients} - given_by
    foods = {kitchen.knowledge.find(one) for one in missing}
    for one in cooked.recipe.ingredients:
        assert not foods & kitchen.knowledge.kinds_of(one.food)
    for step in cooked.recipe.steps:
        assert not lost & set(step.uses)
        assert set(step.uses) <= given_by
        given_by.add(step.gives)
    for change in cooked.recipe.changes:
        assert 0.0 <= change.degree <= 1.0
        assert change.reason


def test_the_page_marks_the_changes(kitchen: Kitchen, tmp_path: Path) -> None:
    recipe = {**BISCUITS, "title": "<b>Biscuits</b>"}
    page = write_recipe_page(cook(recipe, ["butter"], kitchen=kitchen), tmp_path / "r.html")
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;Biscuits" in text
    assert "<b>Biscuits" not in text
    assert re.search(r"<del>[^<]*butter</del>", text)
    assert "<ins>olive oil</ins>" in text
    assert "0.90" in text
    assert "http" not in text


def test_marks_are_word_by_word() -> None:
    marked = mark_changes("Melt the butter.", "Melt the <oil>.")
    assert str(marked) == "Melt the <del>butter</del><ins>&lt;oil&gt;</ins>."


def test_what_a_change_of_the_procedure_needs_is_listed_and_allowed(kitchen: Kitchen) -> None:
    bread = {
        "title": "Bread",
        "ingredients": ["500 g flour", "7 g instant yeast", "300 ml water"],
        "directions": ["Mix flour, yeast and water.", "Knead the dough.", "Bake for 40 minutes."],
    }
    judge = LikingJudge(active_dry_yeast=0.9, dry_yeast=0.9, fresh_yeast=0.9)
    other = Kitchen(kitchen.knowledge, judge, kitchen.domain)
    recipe = cook(bread, ["instant yeast"], kitchen=other).recipe
    named = " ".join(step.text for step in recipe.steps if step.is_new)
    assert "sugar" not in named or "sugar" in [one.name for one in recipe.ingredients]
    strict = cook(bread, ["instant yeast"], without=["sugar"], kitchen=other).recipe
    assert not any("sugar" in step.text for step in strict.steps)


def test_a_line_with_several_foods_names_only_those_that_stay(kitchen: Kitchen) -> None:
    soup = {
        "title": "Soup",
        "ingredients": ["1 l stock", "Salt and pepper", "2 tbsp butter or margarine"],
        "directions": ["Boil the stock with salt and pepper.", "Stir in the butter."],
    }
    recipe = cook(soup, ["pepper", "margarine"], kitchen=kitchen).recipe
    lines = [one.line for one in recipe.ingredients]
    assert "salt" in lines
    assert "2 tbsp butter" in lines
    assert not any("margarine" in line for line in lines)
