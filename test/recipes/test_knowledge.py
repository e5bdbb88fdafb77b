# SPDX-License-Identifier: Apache-2.0
"""The knowledge file is whole; a wrong one is refused with a sentence that names the entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fcp_ros.foundation.yaml_text import dump_yaml, load_yaml
from fcp_ros.package_files import config_folder
from fcp_ros.recipes.knowledge import KNOWLEDGE_FILE, FoodKnowledge, KnowledgeError, read_knowledge


def test_the_file_has_several_hundred_facts(knowledge: FoodKnowledge) -> None:
    assert len(knowledge.facts.ingredients) > 400
    assert len(knowledge.facts.substitutes) > 600
    assert len(knowledge.facts.allergens) == 14


def test_allergens_and_diets_look_into_compounds(knowledge: FoodKnowledge) -> None:
    assert knowledge.allergens_of("pesto") >= {"milk", "nuts"}
    assert "fish" in knowledge.allergens_of("worcestershire sauce")
    assert knowledge.allergens_of("soy sauce") == {"soybeans", "gluten"}
    assert knowledge.explain_exclusion("worcestershire sauce", diet="vegetarian")
    assert knowledge.explain_exclusion("marshmallow", diet="halal")
    assert not knowledge.explain_exclusion("olive oil", ("nuts", "milk"), "vegan")


def test_names_in_the_plural_and_synonyms_are_found(knowledge: FoodKnowledge) -> None:
    wanted = {
        "Eggs": "egg",
        "potatoes": "potato",
        "Unsalted  Butter": "butter",
        "berries": "berries",
    }
    assert {words: knowledge.find(words) for words in wanted} == wanted
    assert knowledge.find("gravel") is None


def test_weights_convert_only_where_they_can(knowledge: FoodKnowledge) -> None:
    assert knowledge.grams_of("butter", "cup") == 227
    assert knowledge.grams_of("wheat flour", "l") == pytest.approx(528, rel=0.01)
    assert knowledge.grams_of("bay leaf", "cup") is None


def test_substitutes_of_the_kind_come_last_and_never_itself(knowledge: FoodKnowledge) -> None:
    found = list(knowledge.substitutes_of("gouda"))
    assert found
    assert all(one.use[0].ingredient != "gouda" for one in found)
    first = next(knowledge.substitutes_of("mozzarella"))
    assert first.instead_of == "mozzarella"


def test_each_excluded_food_has_a_way_out_or_is_left_out(knowledge: FoodKnowledge) -> None:
    """What people do without most often has a substitute under each common demand."""
    for food, diet in {
        ("butter", "vegan"), ("milk", "vegan"), ("egg", "vegan"), ("cream", "vegan"),
        ("wheat flour", "gluten-free"), ("bread crumbs", "gluten-free"), ("pasta", "gluten-free"),
        ("bacon", "halal"), ("ground beef", "vegetarian"), ("soy sauce", "gluten-free"),
        ("white wine", "halal"), ("parmesan", "vegan"), ("honey", "vegan"), ("almond", "nut-free"),
    }:  # fmt: skip
        ways = [
            one
            for one in knowledge.substitutes_of(food)
            if not any(knowledge.explain_exclusion(new.ingredient, diet=diet) for new in one.use)
        ]
        assert ways, f"{food}, {diet}"


def test_what_an_allergen_or_a_diet_rules_out_has_a_way_out(knowledge: FoodKnowledge) -> None:
    limits = [((one,), "") for one in knowledge.facts.allergens]
    limits += [((), one) for one in knowledge.facts.diets]
    closed = {
        food
        for food in knowledge.facts.ingredients
        for limit in limits
        if knowledge.explain_exclusion(food, *limit)
        if not any(
            all(not knowledge.explain_exclusion(part.ingredient, *limit) for part in way.use)
            for way in knowledge.substitutes_of(food)
        )
    }
    assert closed == {"white chocolate", "gravy", "sourdough starter"}


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda d: d["ingredients"]["butter"].update(is_a=["dary"]), "'dary'.*butter.*dairy"),
        (lambda d: d["ingredients"]["butter"].update(grams={"cup": -1}), "butter.grams.cup"),
        (lambda d: d["ingredients"]["butter"].update(source="hearsay"), "source 'hearsay'"),
        (lambda d: d["ingredients"]["butter"].update(also=["milk"]), "'milk' names"),
        (lambda d: d["ingredients"]["butter"].update(parts=["bechamel"]), "part of themselves"),
        (lambda d: d["categories"]["food"].update(is_a=["meat"]), "kind of themselves"),
        (lambda d: d["categories"].update(egg={"source": "eu"}), "a category and an ingredient"),
        (lambda d: d["substitutes"][0].update(steps=["pray"]), "step change 'pray'"),
        (lambda d: d["roles"]["fat"]["purposes"][1].update(dishes=["baks"]), "'baks'.*baked"),
        (lambda d: d["diets"]["vegan"].update(excludes=["animals"]), "'animals'"),
        (lambda d: d.update(more=1), "more"),
    ],
)
def test_a_wrong_file_is_refused(spoil, sentence: str, tmp_path: Path) -> None:
    data = load_yaml((config_folder() / KNOWLEDGE_FILE).read_text(encoding="utf-8"))
    spoil(data)
    path = tmp_path / "knowledge.yaml"
    path.write_text(dump_yaml(data), encoding="utf-8")
    with pytest.raises(KnowledgeError) as error:
        read_knowledge(path)
    assert re.search(sentence, str(error.value), re.DOTALL)


def test_no_file_and_no_yaml_are_said(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError):
        read_knowledge(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="YAML"):
        read_knowledge(tmp_path / "bad.yaml")
