# SPDX-License-Identifier: Apache-2.0
"""What the endpoint oracle makes of the answers of a real HTTP server."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import USUAL, ScriptedModel, send, single_digits

from fcp_ros.domain.model import TableEntry
from fcp_ros.grounding import (
    EndpointOptions,
    Estimate,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    LanguageModelOptions,
    ScoringMode,
    make_grounder,
)
from fcp_ros.grounding.chat_completion import AGAIN, PATIENCE, OptionalFeature

EXACT = LanguageModelOptions(estimate=Estimate.MEDIAN)
SAMPLE = replace(EXACT, mode=ScoringMode.SAMPLE)


# --- answers


def test_the_distribution_that_the_server_tells(server: Any, connect: Any, judge: Any) -> None:
    oracle = connect()
    membership = judge(oracle)
    assert membership.degree == 0.7
    assert membership.distribution[70] == pytest.approx(0.5 / 0.875)
    assert membership.distribution[20] == pytest.approx(0.125 / 0.875)
    assert sum(membership.distribution) == pytest.approx(1.0)
    assert "88% of the probability on scores" in membership.note
    host = server.url.split("/")[2]
    assert (membership.source, membership.model) == ("endpoint", f"endpoint:tiny@{host}")
    question = server.bodies[-1]
    assert question["model"] == "tiny"
    assert question["messages"][0]["content"].startswith("You judge for a service robot")
    assert (question["logprobs"], question["top_logprobs"], question["temperature"]) == (
        True,
        20,
        0.0,
    )


def test_the_model_is_asked_for_once_and_lazily(server: Any, connect: Any, judge: Any) -> None:
    oracle = connect()
    assert (oracle.is_loaded, oracle.known_model, server.bodies) == (False, "", [])
    judge(oracle, "mug", "cup", "jar")
    assert sum(not body for body in server.bodies) == 1
    assert oracle.known_model == oracle.model
    named = connect(model="large")
    assert named.model.startswith("endpoint:large@127.0.0.1:")
    assert sum(not body for body in server.bodies) == 1


def test_a_tokenizer_that_writes_digits(server: Any, connect: Any, judge: Any) -> None:
    server.model = ScriptedModel({"70": 0.75, "75": 0.2, "80": 0.05}, single_digits)
    membership = judge(connect())
    assert membership.degree == 0.7
    assert membership.distribution[75] == pytest.approx(0.2 / 0.95)
    assert "5% not told" in membership.note
    assert len(server.bodies) == 2  # the models, the question


def test_digits_that_part_early_are_sampled_and_read_together(
    server: Any, connect: Any, judge: Any
) -> None:
    server.model = ScriptedModel({"70": 0.4, "80": 0.35, "90": 0.25}, single_digits)
    membership = judge(connect(replace(EXACT, samples=9, temperature=1.0)))
    assert membership.degree == 0.8
    assert membership.distribution[80] == pytest.approx(0.35)
    server.model = ScriptedModel({"70": 0.4, "80": 0.3, "90": 0.3}, single_digits)
    few = judge(connect(replace(EXACT, samples=1)))
    assert few.note.startswith("median of 1 samples") or few.distribution


def test_samples_of_a_server_without_alternatives(server: Any, connect: Any, judge: Any) -> None:
    def forgetful(handler: Any, body: Any) -> bool:
        body.pop("logprobs", None)
        return False

    server.behaviour = forgetful
    oracle = connect(replace(EXACT, samples=21, temperature=1.0))
    membership = judge(oracle)
    assert membership.degree in (0.7, 0.8)
    assert not membership.distribution
    assert len(membership.samples) + membership.note.count("without") >= 15
    for item in ("cup", "jar", "jug"):
        judge(oracle, item)
    assert [body.get("n", 1) for body in server.bodies[1:]] == [1, 21, 1, 21, 1, 21, 21]


def test_a_server_that_tells_few_alternatives(server: Any, connect: Any, judge: Any) -> None:
    def at_most_five(handler: Any, body: Any) -> bool:
        if body.get("top_logprobs", 0) <= 5:
            return False
        return send(handler, 422, {"error": {"message": "top_logprobs must be at most 5"}})

    server.behaviour = at_most_five
    oracle = connect(model="tiny")
    assert judge(oracle).distribution
    assert judge(oracle, "cup")[0].distribution
    assert [body["top_logprobs"] for body in server.bodies] == [20, 5, 5]


def test_one_answer_without_alternatives_is_no_rule(server: Any, connect: Any, judge: Any) -> None:
    bare: list[bool] = []

    def once(handler: Any, body: Any) -> bool:
        if not bare:
            bare.append(bool(body.pop("logprobs")))
        return False

    server.behaviour = once
    oracle = connect(model="tiny")
    assert judge(oracle).samples
    assert judge(oracle, "cup")[0].distribution


def test_a_server_that_refuses_alternatives_and_several_answers(
    server: Any, connect: Any, judge: Any
) -> None:
    def strict(handler: Any, body: Any) -> bool:
        for key in ("logprobs", "n"):
            if key in body:
                return send(handler, 400, {"error": {"message": f"{key} is not supported"}})
        return False

    server.behaviour = strict
    oracle = connect(replace(SAMPLE, samples=3))
    assert len(judge(connect(replace(EXACT, samples=3))).samples) >= 2
    assert judge(oracle).samples == judge(connect(replace(SAMPLE, samples=3))).samples
    judge(oracle, "cup", "jar", "jug")
    asked = len(server.bodies)
    judge(oracle, "can")
    assert len(server.bodies) == asked + 3  # it is not asked for several at once again


def test_a_server_that_draws_nothing(server: Any, connect: Any, judge: Any) -> None:
    def greedy(handler: Any, body: Any) -> bool:
        body["temperature"] = 0.0
        return False

    server.behaviour = greedy
    assert "all alike" in judge(connect(SAMPLE)).note


def test_a_server_that_lists_no_models(server: Any, connect: Any, judge: Any) -> None:
    server.behaviour = lambda handler, body: not body and send(handler, 501, "not offered")
    with pytest.raises(GroundingError, match="name one in the option endpoint model"):
        judge(connect(retries=1), "mug", "cup", "jar")
    assert len(server.bodies) == 2
    assert judge(connect(model="tiny")).degree == 0.7


def test_a_server_that_overlooks_n(server: Any, connect: Any, judge: Any) -> None:
    def one(handler: Any, body: Any) -> bool:
        body.pop("n", None)
        return False

    server.behaviour = one
    assert len(judge(connect(replace(SAMPLE, samples=5))).samples) >= 3
    seeds = [body["seed"] for body in server.bodies if body]
    assert seeds == list(range(seeds[0], seeds[0] + 5))


def test_the_same_seed_draws_the_same_samples(connect: Any, judge: Any) -> None:
    options = replace(SAMPLE, samples=7, temperature=1.0)
    first = judge(connect(options), "mug", "cup")
    assert [m.samples for m in judge(connect(options), "mug", "cup")] == [m.samples for m in first]
    others = [judge(connect(replace(options, seed=seed))).samples for seed in range(1, 6)]
    assert len({first[0].samples, *others}) > 1
    assert connect(options).mode != connect(replace(options, seed=1)).mode


def test_text_that_is_none(server: Any, connect: Any, judge: Any) -> None:
    assert judge(connect(), "mug \ud800")[0].degree == 0.7
    assert "does mug serve" in server.bodies[-1]["messages"][0]["content"]


def test_a_model_that_gives_no_scores_is_refused(server: Any, connect: Any, judge: Any) -> None:
    server.model = ScriptedModel({"<think> Well": 0.98, "70": 0.02})
    with pytest.raises(GroundingError, match=r"scores have 2.00% .* '<think> Well'") as caught:
        judge(connect())
    assert caught.value.code is GroundingCode.NO_ANSWER
    with pytest.raises(GroundingError, match=r". of 5 sampled answers have none"):
        judge(connect(SAMPLE))
    assert judge(connect(replace(EXACT, least_mass=0.01))).degree == 0.7


@pytest.mark.parametrize("options", [EXACT, SAMPLE], ids=["exact", "sample"])
@pytest.mark.parametrize(("share", "is_refused"), [(0.3, True), (0.9, False)])
def test_both_modes_refuse_below_the_same_share_of_scores(
    server: Any, connect: Any, judge: Any, options: Any, share: float, is_refused: bool
) -> None:
    server.model = ScriptedModel({"I am not sure": 1 - share, "70": share})
    asked = connect(replace(options, samples=99, temperature=1.0))
    if is_refused:
        with pytest.raises(GroundingError, match=r"50% (are needed|must have one)"):
            judge(asked)
    else:
        assert judge(asked).degree == 0.7


def test_one_refused_question_does_not_cost_the_others(
    server: Any, connect: Any, make_predicate: Any, ask: Any
) -> None:
    server.model = ScriptedModel(lambda prompt: {"No": 1.0} if "book" in prompt[-99:] else USUAL)
    requests = [ask(item, "reading") for item in ("mug", "book", "jar")]
    mug, book, jar = connect().judge_each(make_predicate(), requests)
    assert mug.degree == jar.degree == 0.7
    assert isinstance(book, GroundingError)


# --- concurrency


def test_no_more_requests_at_a_time_than_allowed(server: Any, connect: Any, judge: Any) -> None:
    server.delay = 0.03
    oracle = connect(concurrency=3, model="tiny")
    items = [f"thing {i}" for i in range(12)]
    threads = [threading.Thread(target=judge, args=(oracle, *items[i::2])) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(server.bodies) == 12
    assert server.most_at_once == 3


# --- behind the grounder


def test_behind_the_grounder_with_a_fallback(
    server: Any, household: Any, make_predicate: Any, ask: Any, tmp_path: Path
) -> None:
    table = (TableEntry({"item": "mug"}, 0.9), TableEntry({"item": "jar"}, 0.6))
    domain = replace(household, graded={"serves_as": make_predicate(table=table)})
    options = GroundingOptions(
        oracle="endpoint",
        endpoint=EndpointOptions(url=server.url, model="tiny", retries=0, timeout=2.0),
        language_model=EXACT,
        fallback="table",
        cache_path=tmp_path / "cache.sqlite",
    )
    grounder = make_grounder(domain, options)
    mug, jar = ask("tin mug", "drinking"), ask("tin jar", "drinking")
    assert grounder.judge([mug])[0].degree == 0.7
    server.close()
    kept, stood_in = grounder.judge([mug, jar])
    assert (kept.degree, kept.fallback) == (0.7, "")
    assert (stood_in.degree, stood_in.source) == (0.6, "table")
    assert "can't be reached" in stood_in.fallback
    assert "can't be reached" in grounder.notes[0]
    grounder.close()


def test_an_unnamed_model_of_a_server_that_is_down(
    server: Any, household: Any, make_predicate: Any, ask: Any
) -> None:
    table = (TableEntry({"item": "mug"}, 0.9),)
    domain = replace(household, graded={"serves_as": make_predicate(table=table)})
    url = server.url
    server.close()
    endpoint = EndpointOptions(url=url, retries=0, timeout=2.0)
    options = GroundingOptions(oracle="endpoint", endpoint=endpoint, fallback="table")
    grounder = make_grounder(domain, options)
    assert grounder.describe()[0].model == ""
    assert grounder.judge([ask("tin mug", "drinking")])[0].source == "table"


# --- What a server has is asked for as long as it comes


def test_what_does_not_come_is_asked_for_seldom() -> None:
    offer = OptionalFeature()
    for _ in range(PATIENCE - 1):
        offer.record(False)
    offer.record(True)
    for _ in range(PATIENCE):
        assert offer.is_worth_asking()
        offer.record(False)
    asked = [offer.is_worth_asking() for _ in range(2 * AGAIN)]
    assert asked.count(True) == 2
    offer.record(True)
    assert offer.is_worth_asking()
