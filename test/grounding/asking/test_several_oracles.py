# SPDX-License-Identifier: Apache-2.0
"""A predicate that several oracles answer: the first that can, or all of them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_oracle import ScriptedOracle, refusing

from fcp_ros.domain.model import Combination, GradedPredicate, OracleChoice, Parameter, TableEntry
from fcp_ros.fuzzy import TNORMS
from fcp_ros.grounding import (
    ArgumentContext,
    CalibrationStore,
    Grounder,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementCache,
    JudgementRequest,
    Membership,
    make_grounder,
)
from fcp_ros.grounding.router import compose
from fcp_ros.grounding.stated import TableOracle

TABLE = (TableEntry({"item": "mug"}, 0.9),)
FIRST = OracleChoice(("table", "first", "second"), Combination.FIRST_OF)
ALL = OracleChoice(("table", "first"), Combination.ALL_OF, "product")
NO_ANSWER = refusing(GroundingCode.NO_ANSWER, "it gives no score")


@pytest.fixture
def ask_all(make_predicate: Any, ask: Any) -> Callable[..., list[Membership]]:
    """Judge categories by a choice of oracles."""

    def judge(choice: OracleChoice, oracles: Any, *categories: str, **changes: Any) -> Any:
        predicate = make_predicate(oracle=choice, table=TABLE, **changes)
        grounder = Grounder(
            {predicate.name: predicate},
            {"table": TableOracle(), **{oracle.name: oracle for oracle in oracles}},
            "first",
            JudgementCache(),
            CalibrationStore(":memory:"),
        )
        return grounder.judge([ask(category, "drinking") for category in categories])

    return judge


def test_the_first_that_can_answers(ask_all: Any) -> None:
    first = ScriptedOracle("first", {"bowl": 0.4, "book": NO_ANSWER})
    second = ScriptedOracle("second", {"book": 0.1})
    mug, bowl, book = ask_all(FIRST, (first, second), "mug", "bowl", "book")
    assert [m.source for m in (mug, bowl, book)] == ["table", "first", "second"]
    assert (mug.degree, bowl.degree, book.degree) == (0.9, 0.4, 0.1)
    assert second.asked == [["book"]]
    assert not mug.fallback
    assert not bowl.fallback  # that a table has no entry is no fault
    assert "no entry of the table" in bowl.note
    assert book.fallback == "it gives no score"


def test_one_refused_question_does_not_cost_the_others(ask_all: Any) -> None:
    first = ScriptedOracle("first", {"book": NO_ANSWER, "*": 0.6})
    categories = ["bowl", "jar", "book", "jug", "can"]
    answers = ask_all(FIRST, (first, ScriptedOracle("second", {})), *categories)
    assert [a.source for a in answers] == ["first", "first", "second", "first", "first"]
    assert sum(len(batch) for batch in first.asked) <= 13


def test_a_whole_oracle_that_fails_is_asked_once(ask_all: Any) -> None:
    first = ScriptedOracle("first", {"*": refusing(GroundingCode.SERVER_UNREACHABLE, "it's down")})
    answers = ask_all(FIRST, (first, ScriptedOracle("second", {})), "bowl", "jar", "jug")
    assert {a.fallback for a in answers} == {"it's down"}
    assert len(first.asked) == 1


def test_none_can(ask_all: Any) -> None:
    oracles = [
        ScriptedOracle("first", {"*": NO_ANSWER}),
        ScriptedOracle("second", {"*": refusing(GroundingCode.MODEL_FAILED, "it broke")}),
    ]
    with pytest.raises(GroundingError) as caught:
        ask_all(FIRST, oracles, "bowl")
    for part in ("no entry of the table", "no score", "it broke"):
        assert part in caught.value.sentence
    assert caught.value.code is GroundingCode.NO_ANSWER


def test_all_compose(ask_all: Any) -> None:
    (mug,) = ask_all(ALL, [ScriptedOracle("first", {"mug": 0.5})], "mug")
    assert mug.degree == mug.prior == pytest.approx(0.45)
    assert mug.source == "all_of(table, first)"
    assert mug.model == "table:serves_as + first-model"
    assert "table 0.90" in mug.note
    assert "first 0.50" in mug.note
    with pytest.raises(GroundingError, match="no entry of the table"):
        ask_all(ALL, [ScriptedOracle("first", {})], "bowl")
    (bowl,) = ask_all(ALL, [ScriptedOracle("first", {})], "bowl", default_degree=0.2)
    assert bowl.degree == 0.2
    assert not bowl.fallback


@given(st.lists(st.floats(0, 1), min_size=2, max_size=4), st.sampled_from([*TNORMS, "hamacher(2)"]))
def test_a_composition_is_at_most_its_least_part(degrees: list[float], t_norm: str) -> None:
    parts = [Membership(d, d, model=str(d)) for d in degrees]
    whole = compose([f"o{i}" for i in range(len(parts))], parts, t_norm)
    assert 0.0 <= whole.degree <= min(degrees) + 1e-12
    if t_norm == "goedel":
        assert whole.degree == min(degrees)


@pytest.mark.parametrize(
    ("said", "whole"), [((0.3, 0.4), 0.5), ((0.9, 0.9), 1.0), ((0.3, None), None)]
)
def test_uncertainties_compose_if_all_say_one(
    said: tuple[float | None, float | None], whole: float | None
) -> None:
    parts = [Membership(0.5, 0.5, uncertainty=one) for one in said]
    found = compose(["a", "b"], parts, "product").uncertainty
    assert found == (None if whole is None else pytest.approx(whole))


PARTS = st.lists(st.floats(0, 1) | st.none(), min_size=2, max_size=4)


@given(PARTS, st.sampled_from(Combination), st.floats(0, 1) | st.none())
def test_any_choice_against_its_plain_meaning(
    parts: list[float | None], combination: Combination, default: float | None
) -> None:
    """None is an oracle that can't answer."""
    oracles = [
        ScriptedOracle(f"o{i}", {"*": NO_ANSWER if part is None else part})
        for i, part in enumerate(parts)
    ]
    choice = OracleChoice(tuple(oracle.name for oracle in oracles), combination, "lukasiewicz")
    predicate = GradedPredicate(
        "good", (Parameter("item", "item"),), None, {}, choice, default_degree=default
    )
    known = [part for part in parts if part is not None]
    if combination is Combination.FIRST_OF:
        expected = known[0] if known else default
    else:
        whole = len(known) == len(parts)
        expected = max(0.0, sum(known) - len(known) + 1) if whole else default
    grounder = Grounder(
        {"good": predicate},
        {oracle.name: oracle for oracle in oracles},
        "o0",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    request = JudgementRequest("good", (ArgumentContext("item", "mug_1", "mug"),))
    if expected is None:
        with pytest.raises(GroundingError):
            grounder.judge([request])
    else:
        assert grounder.judge([request])[0].degree == pytest.approx(expected, abs=1e-12)
    grounder.close()


def test_another_combination_never_meets_an_old_answer(make_predicate: Any, ask: Any) -> None:
    first, cache = ScriptedOracle("first", {"mug": 0.5}), JudgementCache()
    degrees = []
    for choice in (ALL, OracleChoice(ALL.names, Combination.ALL_OF, "goedel"), FIRST):
        predicate = make_predicate(oracle=choice, table=TABLE)
        grounder = Grounder(
            {"serves_as": predicate},
            {"table": TableOracle(), "first": first, "second": ScriptedOracle("second", {})},
            "first",
            cache,
            CalibrationStore(":memory:"),
        )
        for _ in range(2):
            degrees.append(grounder.judge([ask("mug", "drinking")])[0].degree)
    assert degrees == pytest.approx([0.45, 0.45, 0.5, 0.5, 0.9, 0.9])


def test_each_part_is_described(make_predicate: Any) -> None:
    predicate = make_predicate(
        oracle=OracleChoice(("table", "default"), Combination.FIRST_OF), table=TABLE
    )
    grounder = Grounder(
        {"serves_as": predicate},
        {"table": TableOracle(), "first": ScriptedOracle("first", {})},
        "first",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    assert [(i.oracle, i.model) for i in grounder.describe()] == [
        ("table", "table"),
        ("first", "first-model"),
    ]


def test_a_part_that_is_not_set_up_may_be_missing(household: Any, make_predicate: Any) -> None:
    """`first_of: [causal_lm, table]` runs on robots without a language model, and says so."""
    from dataclasses import replace

    choice = OracleChoice(("causal_lm", "table"), Combination.FIRST_OF)
    domain = replace(household, graded={"serves_as": make_predicate(oracle=choice, table=TABLE)})
    grounder = make_grounder(domain, GroundingOptions(oracle="table"))
    assert "needs a model" in grounder.notes[0]
    alone = replace(household, graded={"serves_as": make_predicate(oracle="causal_lm")})
    with pytest.raises(GroundingError, match="needs a model"):
        make_grounder(alone, GroundingOptions(oracle="table"))
