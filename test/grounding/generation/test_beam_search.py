# SPDX-License-Identifier: Apache-2.0
"""Beam search against exhaustive enumeration, with and without caches, and its limits."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from grammar_twin import derive_all

from fcp_ros.grounding import GroundingError, beam_search
from fcp_ros.grounding.beam_search import BeamSearch, prepare_search
from fcp_ros.grounding.generation import Grammar, Nonterminal, TextRequest, WrittenText

GRAMMAR = Grammar(
    {
        "start": ((Nonterminal("atom"),), ("not ", Nonterminal("atom"))),
        "atom": (("on(", Nonterminal("thing"), ", table_1)"),),
        "thing": (("mug_1",), ("bowl_1",), ("shelf_1",)),
    }
)


def never() -> None:
    """Does not stop."""


def ask(count: int = 6, grammar: Grammar | None = GRAMMAR, most: int = 40) -> TextRequest:
    return TextRequest("", "", grammar, count, most)


def find_prompt(search: BeamSearch, text: str = "put the mug_1 on the table_1\n") -> list[int]:
    return list(search.loaded.tokenizer([text], add_special_tokens=False)["input_ids"][0])


def enumerate_texts(search: BeamSearch, prompt: list[int]) -> dict[str, tuple[float, float]]:
    """The definition: for each text of the grammar the log-probabilities of its likeliest way to be
    written in tokens, and of all ways together; each way is read whole, without a cache."""
    import torch

    tokens = {
        t: search._vocabulary.decode_bytes([t]).decode("utf-8", "replace")
        for t in range(search._vocabulary.vocab_size)
    }
    ends = search._line_ends.tolist()
    ways: dict[str, list[float]] = {}

    def write(text: str, left: str, written: list[int]) -> None:
        if not left:
            row = torch.tensor([prompt + written])
            with torch.inference_mode():
                logits = search.loaded.model(input_ids=row).logits
            logs = logits[0].float().log_softmax(-1)
            total = float(logs[-1, ends].logsumexp(0))
            for place, token in enumerate(written):
                total += float(logs[len(prompt) + place - 1, token])
            ways.setdefault(text, []).append(total)
        for token, part in tokens.items():
            if part and token not in ends and left.startswith(part):
                write(text, left[len(part) :], [*written, token])

    for text in derive_all(GRAMMAR):
        write(text, text, [])
    return {
        text: (max(logs), math.log(math.fsum(map(math.exp, logs)))) for text, logs in ways.items()
    }


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_all_texts_are_found_with_their_probabilities(
    make_search: Callable[..., BeamSearch], architecture: str
) -> None:
    short = Grammar({"start": (("on",), ("not",), ("in",))})
    search = make_search(architecture)
    prompt = find_prompt(search)
    found = search.search(prompt, ask(30, short), never)  # too wide to leave anything out
    assert {one.text for one in found} == derive_all(short)
    assert found == sorted(found, key=lambda one: -one.log_probability)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "GRAMMAR", short)
        expected = enumerate_texts(search, prompt)
    for one in found:
        likeliest, together = expected[one.text]
        assert likeliest - 1e-4 <= one.log_probability <= together + 1e-4


def test_only_texts_of_the_grammar_are_written(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    found = search.search(find_prompt(search), ask(), never)
    assert found
    assert {one.text for one in found} <= derive_all(GRAMMAR)
    assert all(one.is_complete and one.log_probability < 0.0 for one in found)


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mistral"])
def test_caches_change_nothing(
    make_search: Callable[..., BeamSearch], architecture: str, monkeypatch: Any
) -> None:
    search = make_search(architecture)
    prompt = find_prompt(search)
    cached = search.search(prompt, ask(), never)
    monkeypatch.setattr(beam_search, "_is_plain", lambda cache: False)
    check_equal(cached, make_search(architecture).search(prompt, ask(), never))


def test_a_model_with_a_state_is_read_again_and_again(
    make_search: Callable[..., BeamSearch],
) -> None:
    search = make_search("mamba")
    found = search.search(find_prompt(search), ask(), never)
    assert found
    assert {one.text for one in found} <= derive_all(GRAMMAR)


def test_a_long_prompt_of_a_model_with_a_state_is_read_whole(
    make_search: Callable[..., BeamSearch], monkeypatch: Any
) -> None:
    search = make_search("mamba")
    prompt = find_prompt(search, "put the mug_1 on the table_1 and " * 12)
    assert len(prompt) > beam_search.CHUNK
    found = search.search(prompt, ask(), never)
    monkeypatch.setattr(beam_search, "CHUNK", len(prompt))
    check_equal(found, search.search(prompt, ask(), never))


def test_a_prompt_that_begins_alike_is_not_read_again(
    make_search: Callable[..., BeamSearch], monkeypatch: Any
) -> None:
    search = make_search()
    shared = "put the mug_1 on the table_1 and " * 20
    first = find_prompt(search, f"{shared}the bowl_1\n")
    second = find_prompt(search, f"{shared}the shelf_1 too\n")
    search.search(first, ask(), never)
    lengths = []
    run = search._run
    monkeypatch.setattr(
        search, "_run", lambda rows, cache: lengths.append(len(rows[0])) or run(rows, cache)
    )
    again = search.search(second, ask(), never)
    assert lengths[0] < len(second) / 2
    assert again == make_search().search(second, ask(), never)
    assert again == search.search(second, ask(), never)
    check_equal(
        search.search(second[:4], ask(), never), make_search().search(second[:4], ask(), never)
    )


def check_equal(found: list[WrittenText], other: list[WrittenText]) -> None:
    assert [one.text for one in found] == [one.text for one in other]
    for one, same in zip(found, other, strict=True):
        assert one.log_probability == pytest.approx(same.log_probability, abs=1e-3)


def test_searches_repeat(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    prompt = find_prompt(search)
    assert search.search(prompt, ask(), never) == search.search(prompt, ask(), never)


def test_a_text_that_is_cut_says_so(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    found = search.search(find_prompt(search), ask(most=2), never)
    assert found
    assert not any(one.is_complete for one in found)


def test_without_a_grammar_anything_is_written(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    assert search.search(find_prompt(search), ask(1, None, most=5), never)


def test_without_a_grammar_a_text_goes_on_until_its_end_is_likeliest(
    make_search: Callable[..., BeamSearch],
) -> None:
    import torch

    search = make_search()
    prompt = find_prompt(search)
    written: list[int] = []
    # The definition: the likeliest token each time, read whole; an untrained model seldom ends.
    for _ in range(12):
        with torch.inference_mode():
            logits = search.loaded.model(input_ids=torch.tensor([[*prompt, *written]])).logits
        token = int(logits[0, -1].argmax())
        if token in search._ends.tolist():
            break
        written.append(token)
    (found,) = search.search(prompt, ask(1, None, most=12), never)
    assert found.text == search._decode(written).strip()
    assert found.is_complete == (len(written) < 12)
    assert len(written) > 1


def test_a_prompt_that_is_too_long_is_refused(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    with pytest.raises(GroundingError, match="reads 400") as told:
        search.search(find_prompt(search) * 80, ask(), never)
    assert told.value.code == "context_too_long"


def test_a_stop_ends_the_search_between_two_passes(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    calls = []

    def stop() -> None:
        calls.append(0)
        if len(calls) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        search.search(find_prompt(search), ask(), stop)
    assert len(calls) == 3


def test_a_grammar_that_is_too_large_is_told(make_search: Callable[..., BeamSearch]) -> None:
    search = make_search()
    words = tuple((f"{number}",) for number in range(150_000))
    large = Grammar({"start": ((Nonterminal("word"),),), "word": words})
    with pytest.raises(GroundingError, match="smaller scene") as told:
        search.search(find_prompt(search), ask(1, large), never)
    assert told.value.code == "model_failed"


def test_a_tokenizer_without_a_fast_form_is_refused(make_search: Callable[..., BeamSearch]) -> None:
    class SlowTokenizer:
        """A tokenizer as old models bring it, in Python alone."""

        eos_token_id = 0

        def __len__(self) -> int:
            return 10

    loaded = replace(make_search().loaded, tokenizer=SlowTokenizer())
    with pytest.raises(GroundingError, match=r"tokenizer\.json") as told:
        prepare_search(loaded, "old")
    assert told.value.code == "not_a_model"


def test_a_missing_library_is_told(
    make_search: Callable[..., BeamSearch], monkeypatch: Any
) -> None:
    loaded = make_search().loaded
    monkeypatch.setitem(sys.modules, "llguidance.hf", None)
    with pytest.raises(GroundingError, match="pip install") as told:
        prepare_search(loaded, "tiny")
    assert told.value.code == "missing_library"
