# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle on tiny models from folders: answers, settings and bad input."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from later import Later
from safetensors.numpy import load_file, save_file
from score_twins import SlowReader
from tiny_language_models import KINDS, WINDOW, make_tokenizer

from fcp_ros.grounding import (
    Device,
    Estimate,
    GroundingCode,
    GroundingError,
    LanguageModelOptions,
    Membership,
    ScoringMode,
)
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.language_model.rubric_prompt import (
    apply_template,
    tokenize_batch,
    tokenize_prompts,
    write_prompt,
)
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model
from fcp_ros.grounding.options import Precision

torch = Later("torch")

EXACT = LanguageModelOptions(estimate=Estimate.MEDIAN, precision=Precision.FLOAT32)
ANY = replace(EXACT, least_mass=0.0)
SAMPLE = replace(EXACT, mode=ScoringMode.SAMPLE)
TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% if enable_thinking is false %}!{% endif %}"
    "{% endif %}"
)


def make(folder: Path, options: LanguageModelOptions = EXACT) -> CausalLmOracle:
    return CausalLmOracle(folder, options, Device.CPU)


def test_exact_mode_reads_the_distribution(trained: Path, make_predicate: Any, ask: Any) -> None:
    oracle = make(trained)
    assert not oracle.is_loaded
    requests = [ask(item, "drinking") for item in ("mug", "book", "bowl")]
    mug, book, bowl = oracle.judge(make_predicate(), requests)
    assert oracle.is_loaded
    assert (mug.degree, book.degree, bowl.degree) == (1.0, 0.0, 0.5)
    assert mug.spread == book.spread == 0.0
    assert bowl.spread == pytest.approx(0.5)
    assert sum(bowl.distribution) == pytest.approx(1.0)
    assert bowl.distribution[50] == pytest.approx(2 / 3, abs=0.1)
    assert "of the probability on scores" in bowl.note
    assert (mug.source, mug.model) == ("causal_lm", oracle.model)
    assert oracle.model.startswith("tiny_lm@")
    assert mug.latency == book.latency > 0.0
    assert oracle.notes == ()


def slow(oracle: CausalLmOracle, predicate: Any, request: Any) -> tuple[SlowReader, list[int]]:
    """The slow twin of a loaded oracle, and the tokens of a prompt."""
    assert oracle._scorer is not None
    loaded = oracle._scorer.loaded
    (tokens,) = tokenize_prompts(loaded.tokenizer, [write_prompt(predicate, request)])
    return SlowReader(loaded.model, loaded.tokenizer), tokens


def test_sampling_tends_to_the_exact_distribution(
    trained: Path, make_predicate: Any, ask: Any
) -> None:
    """Sample mode, exact mode and free sampling from the model agree in the limit, at T = 1."""
    count = 4001
    request = ask("bowl", "drinking")
    many = replace(SAMPLE, samples=count, temperature=1.0)
    (sampled,) = make(trained, many).judge(make_predicate(), [request])
    oracle = make(trained)
    (exact,) = oracle.judge(make_predicate(), [request])
    reader, tokens = slow(oracle, make_predicate(), request)
    freely = reader.sample(tokens, count, 1.0, seed=1)
    assert sampled.degree == exact.degree == 0.5
    drawn = Counter(round(sample * 100) for sample in sampled.samples)
    for score, chance in enumerate(exact.distribution):
        allowed = 5 * math.sqrt(chance * (1 - chance) / count) + 2e-3
        assert drawn[score] / len(sampled.samples) == pytest.approx(chance, abs=allowed)
        assert freely[score] / count == pytest.approx(chance, abs=allowed + 0.02)


def test_a_low_temperature_tends_to_the_likeliest_answer(
    trained: Path, make_predicate: Any, ask: Any
) -> None:
    cold = replace(SAMPLE, samples=101, temperature=0.05)
    (answer,) = make(trained, cold).judge(make_predicate(), [ask("bowl", "drinking")])
    assert Counter(answer.samples)[0.5] >= 95


def test_samples_are_seeded(trained: Path, make_predicate: Any, ask: Any) -> None:
    request = ask("bowl", "drinking")

    def samples(seed: int) -> tuple[float, ...]:
        options = replace(SAMPLE, seed=seed, samples=15, temperature=1.0)
        (answer,) = make(trained, options).judge(make_predicate(), [request])
        return answer.samples

    assert samples(1) == samples(1)
    assert len({samples(seed) for seed in range(4)}) > 1


def test_the_mode_says_all_that_changes_an_answer(untrained: Path) -> None:
    several = (
        EXACT, SAMPLE, replace(SAMPLE, samples=7), replace(SAMPLE, seed=1), ANY,
        replace(SAMPLE, temperature=1.0), replace(EXACT, precision=Precision.BFLOAT16),
        replace(EXACT, estimate=Estimate.MEAN),
    )  # fmt: skip
    assert len({make(untrained, options).mode for options in several}) == len(several)


def test_a_batch_of_hundreds_and_threads(untrained: Path, make_predicate: Any, ask: Any) -> None:
    oracle = make(untrained, ANY)
    requests = [ask(f"mug {'of clay ' * (n % 3)}{n}", "drinking") for n in range(60)]
    together = oracle.judge(make_predicate(), requests)
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda n: oracle.judge(make_predicate(), requests[n::4]), range(4))
        for first, part in enumerate(parts):
            for alone, answer in zip(part, together[first::4], strict=True):
                assert alone.distribution == pytest.approx(answer.distribution, abs=1e-6)
    assert oracle.judge(make_predicate(), []) == []


def test_a_prompt_is_mostly_prefix_and_stable(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(untrained)
    oracle.load()
    assert oracle._scorer is not None
    tokenizer = oracle._scorer.loaded.tokenizer
    one, other, two = (
        tokenize_batch(tokenizer, make_predicate(), requests)
        for requests in (
            [ask("mug", "drinking")],
            [ask("thing", "sitting")],
            [ask("book", "drinking"), ask("book", "reading")],
        )
    )
    assert one.prefix == other.prefix == two.prefix
    assert len(one.prefix) > 4 * max(map(len, (*one.tails, *two.tails)))


@pytest.mark.parametrize("template", ["", TEMPLATE + "\n<end>\n"], ids=["plain", "chat"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_tokenized_as_its_prompts_alone(
    kind: str, template: str, make_predicate: Any, ask: Any
) -> None:
    things = ["mug", "mugs of clay", "7-up can", " odd  one", "\u00e9clair", "-", "<eos>"]
    requests = [ask(thing, "drinking") for thing in things]
    prompts = [write_prompt(make_predicate(), request) for request in requests]
    tokenizer = make_tokenizer(prompts, kind)
    tokenizer.chat_template = template
    batch = tokenize_batch(tokenizer, make_predicate(), requests)
    for index, prompt in enumerate(prompts):
        assert [list(batch.join(index))] == tokenize_prompts(tokenizer, [prompt])


@pytest.mark.parametrize("estimate", list(Estimate))
@pytest.mark.parametrize("options", [EXACT, SAMPLE], ids=["exact", "sample"])
def test_the_degree_is_the_mean_or_the_median_and_says_which(
    trained: Path, make_predicate: Any, ask: Any, options: LanguageModelOptions, estimate: Estimate
) -> None:
    options = replace(options, estimate=estimate, samples=15, temperature=1.0)
    (bowl,) = make(trained, options).judge(make_predicate(), [ask("bowl", "drinking")])
    median = 0.5 if not bowl.samples else sorted(bowl.samples)[7]
    scores = bowl.samples or [score / 100 for score in range(101)]
    mean = float(np.average(scores, weights=bowl.distribution or None))
    expected = mean if estimate is Estimate.MEAN else median
    assert bowl.degree == bowl.prior == pytest.approx(expected)
    assert mean != pytest.approx(median, abs=0.05)
    assert bowl.note.startswith(f"{estimate.value} of ")
    other = f"median {median:.2f}" if estimate is Estimate.MEAN else f"mean {mean:.2f}"
    assert (other in bowl.note) == (not bowl.samples)


@pytest.mark.parametrize("options", [EXACT, SAMPLE], ids=["exact", "sample"])
def test_both_modes_refuse_at_the_same_probability_of_scores(
    untrained: Path, make_predicate: Any, ask: Any, options: LanguageModelOptions
) -> None:
    """Luck with the draws decides about no refusal: of an unlikely score a single one counts."""
    oracle = make(untrained)
    oracle.load()
    assert oracle._scorer is not None
    request = ask("mug", "drinking")
    batch = tokenize_batch(oracle._scorer.loaded.tokenizer, make_predicate(), [request])
    mass = float(oracle._scorer.score(batch, 1.0).sum())
    asked = replace(options, samples=9999, temperature=1.0)
    below, above = (replace(asked, least_mass=mass * factor) for factor in (0.99, 1.01))
    assert len(make(untrained, below).judge(make_predicate(), [request])) == 1
    with pytest.raises(GroundingError, match="does not answer") as caught:
        make(untrained, above).judge(make_predicate(), [request])
    assert caught.value.code is GroundingCode.NO_ANSWER


def test_what_of_a_batch_has_no_answer_is_named(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(untrained)
    oracle.load()
    assert oracle._scorer is not None
    requests = [ask(item, "drinking") for item in ("mug", "book", "bowl")]
    batch = tokenize_batch(oracle._scorer.loaded.tokenizer, make_predicate(), requests)
    masses = oracle._scorer.score(batch, 1.0).sum(axis=1).tolist()
    least, second, _ = sorted(masses)
    floor = replace(EXACT, least_mass=(least + second) / 2)
    answers = make(untrained, floor).judge_each(make_predicate(), requests)
    for request, mass, answer in zip(requests, masses, answers, strict=True):
        assert isinstance(answer, GroundingError) == (mass == least), "the others are answered"
        if isinstance(answer, GroundingError):
            assert answer.code is GroundingCode.NO_ANSWER
            assert str(request) in answer.sentence
    with pytest.raises(GroundingError, match="does not answer") as caught:
        make(untrained, floor).judge(make_predicate(), requests)
    assert caught.value.code is GroundingCode.NO_ANSWER
    floor = replace(EXACT, least_mass=least * 0.99)
    assert len(make(untrained, floor).judge(make_predicate(), requests)) == 3


@pytest.mark.parametrize("options", [EXACT, ANY, SAMPLE], ids=["exact", "any mass", "sample"])
def test_weights_that_are_not_numbers_give_no_degree(
    untrained: Path, make_predicate: Any, ask: Any, options: LanguageModelOptions
) -> None:
    oracle = make(untrained, options)
    oracle.load()
    assert oracle._scorer is not None
    with torch.no_grad():
        oracle._scorer.loaded.model.lm_head.weight.fill_(math.nan)
    with pytest.raises(GroundingError, match="not numbers") as caught:
        oracle.judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.MODEL_FAILED


def test_a_question_longer_than_the_window(untrained: Path, make_predicate: Any, ask: Any) -> None:
    predicate = make_predicate()
    long = replace(predicate, rubric=replace(predicate.rubric, factors=("shape",) * WINDOW))
    with pytest.raises(GroundingError, match=f"reads {WINDOW}"):
        make(untrained).judge(long, [ask("mug", "drinking")])


def test_a_label_without_end_does_not_cost_the_other_answers(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(untrained, ANY)
    requests = [ask(item, "drinking") for item in ("mug", "m" * 10_000, "book")]
    mug, endless, book = oracle.judge_each(make_predicate(), requests)
    assert isinstance(endless, GroundingError)
    assert endless.code is GroundingCode.CONTEXT_TOO_LONG
    (alone,) = oracle.judge(make_predicate(), requests[2:])
    assert isinstance(mug, Membership)
    assert isinstance(book, Membership)
    assert book.distribution == pytest.approx(alone.distribution, abs=1e-6)


def test_a_tokenizer_without_a_chat_template_ends_with_a_cue(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(untrained, ANY)
    oracle.load()
    assert oracle._scorer is not None
    tokenizer = oracle._scorer.loaded.tokenizer
    assert not tokenizer.chat_template
    (tokens,) = tokenize_prompts(
        tokenizer, [write_prompt(make_predicate(), ask("mug", "drinking"))]
    )
    assert tokenizer.decode(tokens).endswith("serve for drinking?\nScore:")


def test_a_predicate_without_a_rubric_loads_nothing(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(untrained)
    with pytest.raises(GroundingError) as caught:
        oracle.judge(make_predicate(rubric=None), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NO_ANCHORS
    assert not oracle.is_loaded


def test_chat_templates_are_honoured(make_folder: Any, make_predicate: Any, ask: Any) -> None:
    oracle = make(make_folder("qwen3", template=TEMPLATE), ANY)
    (answer,) = oracle.judge(make_predicate(), [ask("mug", "drinking")])
    assert oracle._scorer is not None
    tokenizer = oracle._scorer.loaded.tokenizer
    assert apply_template(tokenizer, "How much?") == "<user>How much?<assistant>!"
    reader, tokens = slow(oracle, make_predicate(), ask("mug", "drinking"))
    scores = reader.distribution(tokens)
    expected = [score / sum(scores) for score in scores]
    assert answer.distribution == pytest.approx(expected, abs=1e-4)


def test_a_tokenizer_that_closes_every_text() -> None:
    from tokenizers.processors import TemplateProcessing

    tokenizer = make_tokenizer(["How much?\nScore: 5"], "digits")
    (open_,) = tokenize_prompts(tokenizer, ["How much?"])
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<eos> $A <eos>", special_tokens=[("<eos>", tokenizer.eos_token_id)]
    )
    assert tokenize_prompts(tokenizer, ["How much?"]) == [[tokenizer.eos_token_id, *open_]]


def test_a_broken_chat_template(make_folder: Any, make_predicate: Any, ask: Any) -> None:
    folder = make_folder("llama", template="{{ raise_exception('only for poems') }}")
    with pytest.raises(GroundingError, match="chat template") as caught:
        make(folder).judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_an_embedding_model_is_no_language_model() -> None:
    with pytest.raises(GroundingError, match="BertModel, not a causal language model"):
        make(find_packaged_model())


def test_damaged_weights_are_said_at_the_first_question(
    untrained: Path, tmp_path: Path, make_predicate: Any, ask: Any
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in untrained.iterdir():
        content = file.read_bytes()
        short = file.suffix == ".safetensors"
        (broken / file.name).write_bytes(content[: len(content) // 2] if short else content)
    with pytest.raises(GroundingError, match="can't be loaded") as caught:
        make(broken).judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_weights_of_another_model_are_not_filled_up_by_chance(
    untrained: Path, tmp_path: Path, make_predicate: Any, ask: Any
) -> None:
    exchanged = tmp_path / "exchanged"
    shutil.copytree(untrained, exchanged)
    tensors = load_file(exchanged / "model.safetensors")
    del tensors["model.norm.weight"]
    save_file(tensors, exchanged / "model.safetensors", {"format": "pt"})
    with pytest.raises(GroundingError, match=r"lack 1 weights, such as model\.norm\.weight"):
        make(exchanged).judge(make_predicate(), [ask("mug", "drinking")])


def test_a_tokenizer_without_digits(
    untrained: Path, tmp_path: Path, make_predicate: Any, ask: Any
) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path / "no_digits"
    folder.mkdir()
    for file in untrained.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    words = Tokenizer(models.WordLevel({"<unk>": 0, "a": 1, "mug": 2}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>").save_pretrained(folder)
    with pytest.raises(GroundingError, match="lacks digits") as caught:
        make(folder).judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_half_precision_on_the_cpu_where_it_is_asked_for(
    trained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = make(trained, replace(EXACT, precision=Precision.BFLOAT16))
    mug, book = oracle.judge(make_predicate(), [ask("mug", "drinking"), ask("book", "drinking")])
    assert (mug.degree, book.degree) == (1.0, 0.0)
    assert oracle._scorer is not None
    assert oracle._scorer.loaded.model.dtype is torch.bfloat16
    assert oracle.notes == ()


def test_memory_that_runs_out_is_said_in_the_note(
    untrained: Path, make_predicate: Any, ask: Any, monkeypatch: Any
) -> None:
    oracle = make(untrained, ANY)
    requests = [ask(f"mug {n}", "drinking") for n in range(8)]
    whole = oracle.judge(make_predicate(), requests)
    assert oracle._scorer is not None
    forward = oracle._scorer.loaded.model.forward

    def limited(*args: Any, **kwargs: Any) -> Any:
        if kwargs["input_ids"].numel() > 200:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(*args, **kwargs)

    monkeypatch.setattr(oracle._scorer.loaded.model, "forward", limited)
    again = oracle.judge(make_predicate(), requests)
    assert [a.distribution for a in again] == [
        pytest.approx(w.distribution, abs=1e-6) for w in whole
    ]
    assert "out of memory: from now on at most" in again[0].note
    assert "out of memory" not in oracle.judge(make_predicate(), requests)[0].note
