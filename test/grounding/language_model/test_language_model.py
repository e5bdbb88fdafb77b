# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle on tiny Llamas that the tests make, train and save.

One writes numbers digit by digit, the other as whole words. Trained for seconds, they answer "100"
for mugs, "50" or "100" for bowls and "0" for books; untrained, they answer anything.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.grounding import (
    GroundingCode,
    GroundingError,
    LanguageModelOptions,
    ScoringMode,
)
from fcp_ros.grounding.embedding.sentence_encoder import packaged_model_folder
from fcp_ros.grounding.language_model import oracle as lm
from fcp_ros.grounding.language_model.prompt import write_prompt

torch = pytest.importorskip("torch")

ANSWERS = [("mug", "100"), ("book", "0"), ("bowl", "50"), ("bowl", "50"), ("bowl", "100")]
WINDOW = 400
CUE = lm.CUE
EXACT = LanguageModelOptions()
SAMPLE = replace(EXACT, mode=ScoringMode.SAMPLE)


def make_tokenizer(texts: list[str], digit_by_digit: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = (
        pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), words])
        if digit_by_digit
        else words
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    numbers = [f"{CUE} {number}" for number in range(101) for _ in range(3)]
    tokenizer.train_from_iterator([*texts * 5, *numbers], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")


def make_model(tokenizer: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=WINDOW,
            eos_token_id=0,
            bos_token_id=None,
        )
    )


def train(model: Any, tokenizer: Any, prompts: list[str], answers: list[str]) -> None:
    starts = [tokenizer(f"{prompt}\n{CUE}")["input_ids"] for prompt in prompts]
    wholes = [
        tokenizer(f"{prompt}\n{CUE} {answer}")["input_ids"] + [0]
        for prompt, answer in zip(prompts, answers, strict=True)
    ]
    longest = max(map(len, wholes))
    tokens = torch.tensor([whole + [0] * (longest - len(whole)) for whole in wholes])
    labels = torch.full_like(tokens, -100)
    for row, (start, whole) in enumerate(zip(starts, wholes, strict=True)):
        labels[row, len(start) : len(whole)] = tokens[row, len(start) : len(whole)]
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    # On some processors fewer steps leave doubts about single digits.
    for _ in range(160):
        optimiser.zero_grad()
        model(input_ids=tokens, labels=labels).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


@pytest.fixture(scope="module", params=["digit by digit", "whole numbers"])
def folder(request: Any, tmp_path_factory: Any, make_predicate: Any, ask: Any) -> Path:
    """A trained tiny model, saved as safetensors."""
    prompts = [write_prompt(make_predicate(), ask(item, "drinking")) for item, _ in ANSWERS]
    tokenizer = make_tokenizer(prompts, request.param == "digit by digit")
    model = make_model(tokenizer)
    train(model, tokenizer, prompts, [answer for _, answer in ANSWERS])
    path: Path = tmp_path_factory.mktemp("tiny") / "tiny_lm"
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: Any, make_predicate: Any, ask: Any) -> Path:
    """A tiny model with random weights."""
    tokenizer = make_tokenizer([write_prompt(make_predicate(), ask("mug", "drinking"))], True)
    path: Path = tmp_path_factory.mktemp("tiny") / "untrained"
    make_model(tokenizer).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def test_exact_mode_reads_the_distribution(folder: Path, make_predicate: Any, ask: Any) -> None:
    oracle = lm.CausalLmOracle(folder, EXACT)
    assert not oracle.is_loaded
    requests = [ask(item, "drinking") for item in ("mug", "book", "bowl")]
    mug, book, bowl = oracle.judge(make_predicate(), requests)
    assert (mug.degree, book.degree, bowl.degree) == (1.0, 0.0, 0.5)
    assert mug.spread == book.spread == 0.0
    assert "of the probability on scores" in bowl.note
    assert (mug.source, mug.model) == ("causal_lm", oracle.model)
    assert oracle.model.startswith("tiny_lm@")


def test_the_batch_agrees_with_one_answer_at_a_time(
    folder: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = lm.CausalLmOracle(folder, EXACT)
    loaded, start, answers = asked(oracle, make_predicate(), ask("bowl", "drinking"))
    assert lm._probabilities(loaded, start, answers) == pytest.approx(
        [slow_probability(loaded, start, answer) for answer in answers], abs=1e-5
    )


def asked(oracle: Any, predicate: Any, request: Any) -> tuple[Any, list[int], list[list[int]]]:
    """The loaded model, the tokens of the question, and those of the answers 0, 10 .. 100."""
    loaded = oracle._load()
    text, separator = lm._as_asked(loaded.tokenizer, write_prompt(predicate, request))
    start = lm._tokens(loaded.tokenizer, text)
    return (
        loaded,
        start,
        [
            lm._answer_tokens(loaded.tokenizer, text, start, f"{separator}{score}")
            for score in range(0, 101, 10)
        ],
    )


def slow_probability(loaded: Any, start: list[int], answer: list[int]) -> float:
    """The obvious twin: one token after the other, without batch, padding or mask."""
    total = 1.0
    known = list(start)
    with torch.inference_mode():
        for token in answer:
            chances = torch.softmax(loaded.model(torch.tensor([known])).logits[0, -1], dim=-1)
            total *= float(chances[token])
            known.append(token)
        chances = torch.softmax(loaded.model(torch.tensor([known])).logits[0, -1], dim=-1)
    goes_on = 0.0
    for token, number in loaded.tokenizer.get_vocab().items():
        if token[0].isdigit():
            goes_on += float(chances[number])
    return total * (1.0 - goes_on)


def test_sampling_tends_to_the_exact_distribution(
    folder: Path, make_predicate: Any, ask: Any
) -> None:
    many = replace(SAMPLE, samples=301, temperature=1.0)
    request = ask("bowl", "drinking")
    (sampled,) = lm.CausalLmOracle(folder, many).judge(make_predicate(), [request])
    oracle = lm.CausalLmOracle(folder, EXACT)
    (exact,) = oracle.judge(make_predicate(), [request])
    assert sampled.degree == exact.degree == 0.5
    chances = lm._probabilities(*asked(oracle, make_predicate(), request))
    for number, chance in enumerate(chances):
        share = sum(1 for s in sampled.samples if s == number / 10) / len(sampled.samples)
        assert share == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / 301) + 0.01)


def test_samples_are_seeded(folder: Path, make_predicate: Any, ask: Any) -> None:
    request = ask("bowl", "drinking")

    def samples(seed: int) -> tuple[float, ...]:
        options = replace(SAMPLE, seed=seed, samples=15, temperature=1.0)
        (answer,) = lm.CausalLmOracle(folder, options).judge(make_predicate(), [request])
        return answer.samples

    assert samples(1) == samples(1)
    assert len({samples(seed) for seed in range(4)}) > 1


def test_the_mode_says_all_that_changes_an_answer(folder: Path) -> None:
    modes = [
        lm.CausalLmOracle(folder, options).mode
        for options in (EXACT, replace(SAMPLE, samples=7), SAMPLE, replace(SAMPLE, seed=1))
    ]
    assert len(set(modes)) == 4


@pytest.mark.parametrize("options", [EXACT, SAMPLE], ids=["exact", "sample"])
def test_a_model_that_gives_no_score_is_refused(
    untrained: Path, make_predicate: Any, ask: Any, options: LanguageModelOptions
) -> None:
    with pytest.raises(GroundingError, match="does not answer") as caught:
        lm.CausalLmOracle(untrained, options).judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NO_ANSWER


def test_weights_that_are_not_numbers_give_no_degree(
    untrained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = lm.CausalLmOracle(untrained, EXACT)
    oracle._loaded = oracle._load()
    with torch.no_grad():
        oracle._loaded.model.lm_head.weight.fill_(math.nan)
    with pytest.raises(GroundingError) as caught:
        oracle.judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NO_ANSWER


def test_a_question_longer_than_the_window(untrained: Path, make_predicate: Any, ask: Any) -> None:
    predicate = make_predicate()
    long = replace(predicate, rubric=replace(predicate.rubric, factors=("shape",) * WINDOW))
    with pytest.raises(GroundingError, match=f"reads {WINDOW}"):
        lm.CausalLmOracle(untrained, EXACT).judge(long, [ask("mug", "drinking")])


def test_chat_templates_are_honoured(untrained: Path) -> None:
    tokenizer = lm.CausalLmOracle(untrained, EXACT)._load().tokenizer
    tokenizer.chat_template = (
        "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    assert lm._as_asked(tokenizer, "How much?") == ("<user>How much?<assistant>", "")


def test_an_embedding_model_is_no_language_model() -> None:
    with pytest.raises(GroundingError, match="BertModel, no causal language model"):
        lm.CausalLmOracle(packaged_model_folder(), EXACT)


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
        lm.CausalLmOracle(broken, EXACT).judge(make_predicate(), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NOT_A_MODEL
