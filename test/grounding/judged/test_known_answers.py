# SPDX-License-Identifier: Apache-2.0
"""What was judged word for word is answered so, whoever is asked, and loads no model."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.model import GradedPredicate, TableEntry
from fcp_ros.grounding import Grounder, GroundingCode, GroundingError, GroundingOptions
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.grounder import make_grounder
from fcp_ros.grounding.judged_pairs import (
    PACKAGED_PAIRS,
    JudgedPairs,
    KnownAnswers,
    collect_pairs,
    hash_pair,
    load_pairs,
    look_up_forms,
    save_pairs,
)
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest, Membership
from fcp_ros.grounding.judgement_cache import JudgementCache
from fcp_ros.grounding.judgement_set import find_head_word, hash_judgements, read_judgements
from fcp_ros.grounding.membership_oracle import hash_predicate
from fcp_ros.grounding.options import EndpointOptions
from fcp_ros.grounding.stated import TableOracle


class CountingOracle:
    """A model that says 0.33 to everything, and counts."""

    name, model, mode = "embedding", "model@1", "mode"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        self.asked += [request.arguments[0].words for request in requests]
        return [Membership.of_degree(0.33, self.name, self.model, "a guess") for _ in requests]


def substitute(item: str, wanted: str, *attributes: tuple[str, Any]) -> JudgementRequest:
    return JudgementRequest(
        "suitable_substitute",
        (ArgumentContext("item", "x", item, attributes), ArgumentContext("wanted", wanted)),
    )


def look_up(
    known: KnownAnswers, predicate: GradedPredicate, request: JudgementRequest
) -> Membership | None:
    return known.find_all(predicate, hash_predicate(predicate), [request])[0]


@pytest.fixture
def predicate(household: Any) -> GradedPredicate:
    return household.graded["suitable_substitute"]


@pytest.fixture
def find(predicate: GradedPredicate) -> Callable[..., Membership | None]:
    known = KnownAnswers()
    return lambda *words: look_up(known, predicate, substitute(*words))


@pytest.fixture
def own_file(write_set: Any, tmp_path: Path) -> Path:
    folder = write_set("substitution", "kefir,buttermilk,0.2", header="item,wanted,degree")
    sets = read_judgements([folder])
    file = tmp_path / "heads.safetensors"
    save_pairs({name: collect_pairs(kind) for name, kind in sets.items()}, "hash", file)
    return file


def make_with(oracle: Any, predicate: GradedPredicate, known: KnownAnswers) -> Grounder:
    oracles = {oracle.name: oracle, "table": TableOracle()}
    stores = JudgementCache(), CalibrationStore(":memory:")
    return Grounder({predicate.name: predicate}, oracles, oracle.name, *stores, known=known)


def test_the_order_of_what_is_known(find: Any) -> None:
    example, same, judged, new = (
        find(*words)
        for words in (
            ("Mug", "cup"),
            ("desk_lamp", "Desk Lamp"),
            ("kefir", "buttermilk"),
            ("tin kefir", "buttermilk"),
        )
    )
    assert (example.degree, example.note) == (1.0, "an example of the rubric")
    assert (same.degree, same.note) == (1.0, "identical words")
    assert (judged.degree, judged.note) == (0.9, "judged so in the set substitution")
    assert (judged.source, judged.model, judged.spread) == ("judged", "judgements", 0.0)
    assert new is None


def test_declared_context_makes_another_question(find: Any) -> None:
    assert find("kefir", "buttermilk").degree == 0.9
    assert find("kefir", "buttermilk", ("spilled", False), ("name", "kefir_1")).degree == 0.9
    assert find("kefir", "buttermilk", ("spilled", True)) is None
    assert find("kefir", "buttermilk", ("material", "frozen")) is None
    assert find("kefir", "buttermilk", ("litres", 0.01)) is None
    assert find("milk", "whole milk", ("kind", "whole")).note == "identical words"


def test_identical_words_are_no_perfect_fit_where_that_is_another_question(household: Any) -> None:
    stable = replace(household.graded["stable_enough"], judged_like="stability", rubric=None)
    words = (ArgumentContext("support", "a", "pan"), ArgumentContext("item", "b", "pan"))
    request = JudgementRequest("stable_enough", words)
    known = look_up(KnownAnswers(), stable, request)
    assert known is None or known.note != "identical words"
    named_so = JudgementRequest(
        "serves_as",
        (ArgumentContext("item", "x_1", "drinking"), ArgumentContext("purpose", "drinking")),
    )
    serves = household.graded["serves_as"]
    assert look_up(KnownAnswers(), serves, named_so) is None


def test_sides_are_found_by_name(household: Any, repository: Path) -> None:
    stable = replace(household.graded["stable_enough"], judged_like="stability", rubric=None)
    kind = read_judgements([repository / "config" / "judgements"])["stability"]
    for judgement in kind.judgements[::100]:
        words = (
            ArgumentContext("support", "a", judgement.other),
            ArgumentContext("item", "b", judgement.item),
        )
        request = JudgementRequest("stable_enough", words)
        found = look_up(KnownAnswers(), stable, request)
        assert found.degree == pytest.approx(judgement.degree, abs=0.00501)


def test_only_what_nobody_judged_is_asked(predicate: GradedPredicate) -> None:
    oracle = CountingOracle()
    grounder = make_with(oracle, predicate, KnownAnswers())
    asked = [substitute(item, "buttermilk") for item in ("kefir", "tin kefir", "buttermilk")]
    answers = grounder.judge(asked)
    assert [answer.degree for answer in answers] == [0.9, 0.33, 1.0]
    assert oracle.asked == ["tin kefir"]
    grounder.record(asked[0], 0.5, membership=answers[0])
    assert grounder.calibration.entries()[0].model == "judgements"


def test_a_stated_answer_is_never_overruled(predicate: GradedPredicate) -> None:
    stated = replace(predicate, oracle="table", table=(TableEntry({"item": "kefir"}, 0.1),))
    grounder = make_with(CountingOracle(), stated, KnownAnswers())
    kefir, cream = grounder.judge(
        [substitute(item, "buttermilk") for item in ("kefir", "buttermilk")]
    )
    assert (kefir.degree, kefir.source) == (0.1, "table")
    assert (cream.degree, cream.source) == (1.0, "judged")  # of the default oracle


def test_ones_own_judgements_replace_those_of_the_package(
    predicate: GradedPredicate, own_file: Path
) -> None:
    oracle, request = CountingOracle(), substitute("kefir", "buttermilk")
    cache = JudgementCache()

    def judge(known: KnownAnswers | None) -> float:
        stores = cache, CalibrationStore(":memory:")
        graded = {predicate.name: predicate}
        grounder = Grounder(graded, {oracle.name: oracle}, oracle.name, *stores, known=known)
        return grounder.judge([request])[0].degree

    assert judge(None) == 0.33
    assert judge(KnownAnswers()) == 0.9  # at once, whatever the cache holds
    assert judge(KnownAnswers(own_file)) == 0.2
    assert judge(None) == 0.33
    assert look_up(KnownAnswers(own_file), predicate, substitute("couch", "settee")) is None


@pytest.mark.parametrize("damage", ["none", "cut", "text"])
def test_a_damaged_file_is_said_and_costs_nothing_else(
    predicate: GradedPredicate, own_file: Path, damage: str
) -> None:
    if damage == "none":
        own_file.unlink()
    else:
        data = own_file.read_bytes()
        own_file.write_bytes(data[: len(data) // 2] if damage == "cut" else b"judged")
    with pytest.raises(GroundingError) as caught:
        load_pairs(own_file)
    assert caught.value.code in (GroundingCode.NOT_A_MODEL, GroundingCode.MODEL_NOT_FOUND)
    grounder = make_with(CountingOracle(), predicate, KnownAnswers(own_file))
    assert grounder.judge([substitute("kefir", "buttermilk")])[0].degree == 0.9
    assert str(own_file) in grounder.notes[-1]


NOWHERE = "http://127.0.0.1:9/v1"
MODELS = {
    "embedding": GroundingOptions(),
    "causal_lm": GroundingOptions(oracle="causal_lm", model="/nowhere", fallback="table"),
    "endpoint": GroundingOptions(oracle="endpoint", endpoint=EndpointOptions(url=NOWHERE)),
}


@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_every_oracle_knows_it_without_its_model(household: Any, options: GroundingOptions) -> None:
    grounder = make_grounder(household, options)
    known = [
        substitute("kefir", "buttermilk"),
        substitute("fork", "mug"),
        substitute("flask", "flask"),
    ]
    assert [answer.degree for answer in grounder.judge(known)] == [0.9, 0.0, 1.0]
    info = next(i for i in grounder.describe() if i.predicate == "suitable_substitute")
    assert not info.loaded
    grounder.close()


def test_no_library_of_a_model_is_imported_for_it() -> None:
    program = """
import sys
from fcp_ros.domain import load_domain
from fcp_ros.grounding import ArgumentContext, JudgementRequest, make_grounder
from fcp_ros.package_files import find_domain
grounder = make_grounder(load_domain(find_domain("household")))
words = ArgumentContext("item", "x", "kefir"), ArgumentContext("wanted", "buttermilk")
(answer,) = grounder.judge([JudgementRequest("suitable_substitute", words)])
assert answer.degree == 0.9
print(sorted({"torch", "transformers", "tokenizers", "scipy"} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr


def test_the_packages_pairs_are_those_of_the_judgements(repository: Path) -> None:
    sets = read_judgements([repository / "config" / "judgements"])
    pairs = load_pairs(PACKAGED_PAIRS)
    said = f"config/judgements changed: fcp grounding collect --out {PACKAGED_PAIRS}"
    assert hash_judgements(sets).encode() in PACKAGED_PAIRS.read_bytes()[:2000], said
    assert {name: len(own.keys) for name, own in pairs.items()} == {
        name: len(kind.judgements) for name, kind in sets.items()
    }, said
    for name, kind in sets.items():
        assert pairs[name].columns == kind.columns
        asked = kind.judgements[::50]
        found = pairs[name].look_up_all([judgement.pair for judgement in asked])
        assert found == pytest.approx([judgement.degree for judgement in asked], abs=0.00501)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=30))
def test_many_are_looked_up_like_one(numbers: list[tuple[int, int]]) -> None:
    pairs = load_pairs(PACKAGED_PAIRS)["function"]
    phrases = [*sorted(pairs.phrases)[:400:4], "drinking", "mugs", "no such thing", "mug"]
    asked = [(phrases[a % len(phrases)], phrases[b % len(phrases)]) for a, b in numbers]
    asked += [("mug", "drinking"), ("mugs", "drinking")]
    assert pairs.look_up_all(asked) == [look_up_alone(pairs, pair) for pair in asked]
    forms = look_up_forms(pairs, asked)
    assert forms[-2:] == pairs.look_up_all(asked[-2:-1]) * 2 != [None] * 2
    assert forms == [look_up_form_by_form(pairs, pair) for pair in asked]


def look_up_alone(pairs: JudgedPairs, pair: tuple[str, str]) -> float | None:
    places = np.flatnonzero(pairs.keys == np.uint64(hash_pair(pair)))
    return int(pairs.degrees[places[0]]) / 100.0 if len(places) else None


def look_up_form_by_form(pairs: JudgedPairs, pair: tuple[str, str]) -> float | None:
    """The rule as it reads: as it stands, then the singular of the left, then of both."""
    left, right = (" ".join([*side.split(" ")[:-1], find_head_word(side)]) for side in pair)
    for form in (pair, (left, pair[1]), (left, right)):
        if (degree := look_up_alone(pairs, form)) is not None:
            return degree
    return None
