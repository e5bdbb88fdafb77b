# SPDX-License-Identifier: Apache-2.0
"""Judgements a second, by batch size: the embedding oracle, and language models on CPU or GPU.

The rival of a language model is what a program does that knows nothing of scores: k = 5 calls of
``generate()`` a judgement, with the whole prompt and the KV cache, of the same model in the same
process on the same prompts. Besides, five samples of one call. The models have random weights in
the shape of known ones (speed doesn't ask for weights), so the floor under the mass on scores is 0.

Beside it stands the device's limit, the longer of two times: the operations of a pass, two a weight
and token, at the rate of a large matrix product; its weights, read once, at the rate of a large
copy. Both rates are measured here. On a CPU all is measured in processor seconds of one core, so
that what else runs doesn't decide the ratios; on a GPU in seconds, until the device is done.

Then what happens when memory runs out, and when two processes share the device. ``--quick`` runs
all of it with a tiny shape, on a CPU, too.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.tables import Line, Part
from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.grounding import ArgumentContext, GroundingOptions, JudgementRequest
from fcp_ros.grounding.grounder import make_oracle as make_known_oracle
from fcp_ros.grounding.language_model.causal_model import LanguageModel, make_language_model
from fcp_ros.grounding.language_model.oracle import LanguageModelOracle, Scorer
from fcp_ros.grounding.language_model.rubric_prompt import (
    tokenize_batch,
    tokenize_prompts,
    write_prompt,
)
from fcp_ros.grounding.models.torch_device import choose_precision, free_memory
from fcp_ros.grounding.options import Device, LanguageModelOptions, Precision

REPOSITORY = Path(__file__).resolve().parents[2]
SIZES, CPU_SIZES, QUICK_SIZES = (1, 8, 64, 256), (1, 8, 64), (1, 8)
EMBEDDING_SIZES = (1, 8, 64, 512)
REPETITIONS = 3
SAMPLES, NEW_TOKENS = 5, 4
MATERIALS = ("wooden", "glass", "paper", "plastic", "steel", "woollen", "rubber", "clay")
THINGS = ("mug", "bowl", "book", "sponge", "lamp", "chair", "towel", "knife", "shoe", "tray")
PURPOSES = ("drinking", "sitting", "wiping a table", "reading at night", "cutting bread")
BRANCHES = 64
"""Questions that are judged with scarce memory, and by each of two processes."""
SHARED_SECONDS, QUICK_SECONDS = 15.0, 2.0
SCARCE = 0.25
"""The part of the memory of a usual pass that is left for one when memory is scarce."""
FEW_TOKENS = 200
"""Tokens of a packed pass that the stand-in for a full GPU allows."""


@dataclass(frozen=True)
class Shape:
    """The shape of a Qwen2.5 model.

    Args:
        name: for tables.
        hidden: width.
        inner: width of the feed-forward part.
        layers: how many.
        heads: of the queries.
        groups: of heads that share keys and values.
        vocabulary: rows of the embedding, which is the output's, too, unless it has its own.
        tied: True if it is.
    """

    name: str
    hidden: int
    inner: int
    layers: int
    heads: int
    vocabulary: int = 151_936
    groups: int = 2
    tied: bool = True


TINY = Shape("tiny", 128, 512, 4, 4, 12_000)
HALF_BILLION = Shape("0.5B (Qwen2.5)", 896, 4864, 24, 14)
ONE_AND_A_HALF_BILLION = Shape("1.5B (Qwen2.5)", 1536, 8960, 28, 12)
SEVEN_BILLION = Shape("7B (Qwen2.5)", 3584, 18944, 28, 28, 152_064, groups=4, tied=False)


@dataclass(frozen=True)
class DeviceLimits:
    """What a device can do at most, measured: operations, and bytes read or written, a second."""

    operations: float
    bandwidth: float


def measure(quick: bool) -> Part:
    """Measure all of it; quick: small batches and a tiny model."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    threads = torch.get_num_threads()
    if device == "cpu":
        torch.set_num_threads(1)
    try:
        shapes = [TINY] if quick else [ONE_AND_A_HALF_BILLION, SEVEN_BILLION]
        if device == "cpu" and not quick:
            shapes = [HALF_BILLION]
        sizes = QUICK_SIZES if quick else SIZES if device == "cuda" else CPU_SIZES
        lines = list_embedding(QUICK_SIZES if quick else EMBEDDING_SIZES)
        notes = [f"{device}; {'seconds' if device == 'cuda' else 'processor seconds of one core'}"]
        for shape in shapes:
            loaded = make_random_model(shape, device)
            found, said = measure_model(loaded, shape.name, measure_limits(loaded), sizes)
            lines, notes = [*lines, *found], [*notes, *said]
            del loaded
            free_memory(device)
        notes.append(measure_scarce_memory(make_random_model(shapes[0], device)))
        free_memory(device)
        if device == "cuda" or quick:
            notes.append(measure_two(shapes[0], QUICK_SECONDS if quick else SHARED_SECONDS))
    finally:
        torch.set_num_threads(threads)
    return Part("throughput", lines, (), notes)


# --- models and questions -----------------------------------------------------------------------


def make_tokenizer() -> Any:
    """Make a byte-level BPE trained on this project's documents, with single digits as in Qwen.

    The domain files are left out, so that the prompts are as new to it as to other tokenizers.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TINY.vocabulary,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    files = [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"]
    tokenizer.train_from_iterator((file.read_text(encoding="utf-8") for file in files), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")


def make_random_model(shape: Shape, device: str) -> LanguageModel:
    """Make a model of a shape on a device, in the precision that it gets there."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.groups,
        max_position_embeddings=32_768,
        tie_word_embeddings=shape.tied,
        bos_token_id=None,
        eos_token_id=None,
    )
    precision = choose_precision(Precision.AUTO, device)
    before = torch.get_default_dtype()
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, precision.value))
    try:
        with torch.device(device):
            model = Qwen2ForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    return make_language_model(model, make_tokenizer(), device, precision, shape.name)


@cache
def load_predicate() -> GradedPredicate:
    """Load `serves_as` of the household domain."""
    return load_domain(REPOSITORY / "config/domains/household.yaml").graded["serves_as"]


def questions() -> Iterator[JudgementRequest]:
    """Yield distinct requests, in an order that mixes things and purposes."""
    for number in itertools.count():
        for purpose, thing, material in itertools.product(PURPOSES, THINGS, MATERIALS):
            item = f"{material} {thing}" + (f" {number}" if number else "")
            words = ArgumentContext("item", "x", item), ArgumentContext("purpose", purpose)
            yield JudgementRequest("serves_as", words)


def make_oracle(loaded: LanguageModel) -> LanguageModelOracle:
    """Make an oracle of a model in memory that refuses nothing: weights may be random."""
    return LanguageModelOracle("benchmark", LanguageModelOptions(least_mass=0.0), lambda: loaded)


def judge(oracle: LanguageModelOracle, batch: list[JudgementRequest]) -> np.ndarray:
    """Judge requests; returns the degrees."""
    return np.array([found.degree for found in oracle.judge(load_predicate(), batch)])


# --- rates --------------------------------------------------------------------------------------


def seconds(action: Callable[[], object]) -> float:
    """Time an action: wall time until a GPU is done, CPU time on a CPU."""
    import torch

    on_gpu = torch.cuda.is_available()
    clock = time.perf_counter if on_gpu else time.process_time
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    wait()
    begin = clock()
    action()
    wait()
    return clock() - begin


def list_embedding(sizes: tuple[int, ...]) -> list[Line]:
    """The default oracle on the CPU, with new phrases and with known ones."""
    oracle = make_known_oracle("embedding", GroundingOptions(device=Device.CPU))
    oracle = make_known_oracle("embedding", GroundingOptions(device=Device.CPU))
    predicate, fresh, lines = load_predicate(), questions(), []
    oracle.judge(predicate, [next(fresh)])
    for size in sizes:
        batch = list(itertools.islice(fresh, size))
        new, known = (seconds(lambda b=batch: oracle.judge(predicate, b)) for _ in range(2))
        figures = {"new, 1/s": size / new, "known, 1/s": size / known}
        lines.append(Line(f"batch of {size}", "embedding, CPU", figures))
    return lines


def measure_limits(loaded: LanguageModel) -> DeviceLimits:
    """Measure the best of several large products and copies on the device of a model."""
    import torch

    device = loaded.device
    side, length = (8192, 1 << 30) if device == "cuda" else (1024, 1 << 24)
    kind = getattr(torch, loaded.precision.value)
    left, right = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
    source = torch.ones(length, dtype=torch.int8, device=device)
    target = torch.empty_like(source)
    product = min(seconds(lambda: left @ right) for _ in range(6))
    copy = min(seconds(lambda: target.copy_(source)) for _ in range(6))
    return DeviceLimits(2.0 * side**3 / product, 2.0 * length / max(copy, 1e-6))


def measure_model(
    loaded: LanguageModel, name: str, device: DeviceLimits, sizes: tuple[int, ...]
) -> tuple[list[Line], list[str]]:
    """Measure a model beside its rivals: a line for each batch size, and what is to be said."""
    predicate, fresh, oracle = load_predicate(), questions(), make_oracle(loaded)
    (prompt,) = tokenize_prompts(loaded.tokenizer, [write_prompt(predicate, next(fresh))])
    calls, call = rate_rivals(loaded, prompt)
    # Once unmeasured: the check of the mask belongs to the first minute of a model.
    judge(oracle, list(itertools.islice(fresh, max(sizes))))
    scorer = oracle._scorer
    assert scorer is not None
    lines = []
    for size in sizes:
        first, again, tokens = time_batch(oracle, scorer, fresh, size)
        limit, bound = find_limit(loaded, device, tokens, count_passes(scorer, size, tokens))
        figures: dict[str, float | str] = {
            "new, 1/s": size / first,
            "known, 1/s": size / again,
            "new, x 5 calls": size / first / calls,
            "known, x 5 calls": size / again / calls,
            "x one call of 5": size / again / call,
            "tokens/s": tokens / again,
            "of the limit": f"{limit / again:.0%}",
            "bound by": bound,
        }
        lines.append(Line(f"batch of {size}", f"{name}, {loaded.precision.value}", figures))
    said = f"{name}: generate() {calls:.3f} judgements/s by {SAMPLES} calls, {call:.3f} by one"
    return lines, [said, *scorer.notes, *([] if scorer.takes_trees else ["no tree mask"])]


def time_batch(
    oracle: LanguageModelOracle, scorer: Scorer, fresh: Iterator[JudgementRequest], size: int
) -> tuple[float, float, int]:
    """Time a batch whose predicate is new, then known: the best of several; and its tokens."""
    predicate = load_predicate()
    first, again, tokens = [], [], 0
    for _ in range(REPETITIONS if scorer.loaded.device == "cuda" else 1):
        batch = list(itertools.islice(fresh, size))
        tails = tokenize_batch(scorer.loaded.tokenizer, predicate, batch).tails
        tokens = sum(map(len, tails)) + size * (len(scorer.loaded.trie.nodes) - 1)
        scorer.tree.prefixes.clear()
        for times in (first, again):
            times.append(seconds(lambda b=batch: oracle.judge(predicate, b)))
    return min(first), min(again), tokens


def count_passes(scorer: Scorer, size: int, tokens: int) -> int:
    """Count the passes that a batch needs at least, by its tokens and by its rows of logits."""
    rows = size * len(scorer.loaded.trie.nodes)
    return max(-(-tokens // scorer.token_budget), -(-rows // scorer._row_budget))


def find_limit(
    loaded: LanguageModel, device: DeviceLimits, tokens: int, passes: int
) -> tuple[float, str]:
    """Find the least time in which the device can read tokens in passes, and what sets it."""
    output = loaded.model.get_output_embeddings().weight
    parts = [*loaded.model.base_model.layers.parameters(), output]
    reading = passes * sum(p.numel() * p.element_size() for p in parts) / device.bandwidth
    computing = 2.0 * tokens * sum(part.numel() for part in parts) / device.operations
    return max(reading, computing), "memory" if reading > computing else "arithmetic"


def rate_rivals(loaded: LanguageModel, prompt: list[int]) -> tuple[float, float]:
    """Judgements a second by k calls of generate(), and by one call that returns k samples."""
    import torch

    asked = torch.tensor([prompt], device=loaded.device)
    settings: dict[str, Any] = {
        "attention_mask": torch.ones_like(asked),
        "max_new_tokens": NEW_TOKENS,
        "do_sample": True,
        "temperature": 0.7,
        "use_cache": True,
        "pad_token_id": 0,
    }

    def generate(samples: int) -> object:
        with torch.inference_mode():
            return loaded.model.generate(asked, num_return_sequences=samples, **settings)

    generate(1)
    repeat = 20 if loaded.device == "cuda" else 1
    calls = seconds(lambda: [generate(1) for _ in range(SAMPLES * repeat)]) / repeat
    call = seconds(lambda: [generate(SAMPLES) for _ in range(repeat)]) / repeat
    return 1.0 / calls, 1.0 / call


# --- scarce memory, and two processes -----------------------------------------------------------


def measure_scarce_memory(loaded: LanguageModel) -> str:
    """Judge with too little memory for a usual pass: slower, the same answers, and said so."""
    batch = list(itertools.islice(questions(), BRANCHES))
    oracle = make_oracle(loaded)
    usual = judge(oracle, batch)
    with limit_memory(loaded, oracle, batch):
        scarce = make_oracle(loaded)
        found = judge(scarce, batch)
        took = seconds(lambda: judge(scarce, batch))
    return (
        f"scarce memory: {'; '.join(scarce.notes) or 'nothing was noticed'}; "
        f"{BRANCHES / took:,.1f} judgements/s, degrees differ by {np.abs(found - usual).max():.4f}"
    )


@contextmanager
def limit_memory(
    loaded: LanguageModel, oracle: LanguageModelOracle, batch: list[JudgementRequest]
) -> Iterator[None]:
    """Leave less memory than a pass needs: the allocator's limit, on a CPU a refusal of passes."""
    import torch

    if loaded.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        judge(oracle, batch)
        most = before + (torch.cuda.max_memory_allocated() - before) * SCARCE
        torch.cuda.empty_cache()
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, most / total))
        try:
            yield
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)
        return
    forward = loaded.model.forward

    def refuse_long(*args: Any, **kwargs: Any) -> Any:
        is_packed = kwargs.get("position_ids") is not None
        if is_packed and kwargs["input_ids"].numel() > FEW_TOKENS:
            raise MemoryError("a stand-in for a full GPU")
        return forward(*args, **kwargs)

    loaded.model.forward = refuse_long
    try:
        yield
    finally:
        loaded.model.forward = forward


def measure_two(shape: Shape, duration: float) -> str:
    """Judge in one process, then in two at a time on the same device."""
    (alone,), both = run_children(1, shape, duration), run_children(2, shape, duration)
    shown = " and ".join(f"{rate:,.1f}" for rate in both)
    return (
        f"{shape.name}, batches of {BRANCHES}: {alone:,.1f} judgements/s alone; two processes "
        f"on one device {shown}, together {sum(both) / alone:.2f} times as many"
    )


def run_children(count: int, shape: Shape, duration: float) -> list[float]:
    """Run processes that judge at the same time; returns the judgements a second of each."""
    words = [sys.executable, "-m", "benchmark.grounding.throughput", shape.name, str(duration)]
    children = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    try:
        for child in children:  # all are loaded before any begins
            assert child.stdout is not None
            assert child.stdout.readline().strip() == "ready", "a process failed; see above"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        return [float(json.loads(child.communicate(timeout=600)[0])) for child in children]
    finally:
        for child in children:
            child.kill()


def judge_for(shape_name: str, duration: float) -> None:
    """Be one of several processes: load, wait for a line, judge for a while, print the rate."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    shape = next(s for s in (TINY, ONE_AND_A_HALF_BILLION, SEVEN_BILLION) if s.name == shape_name)
    oracle, fresh = make_oracle(make_random_model(shape, device)), questions()
    judge(oracle, list(itertools.islice(fresh, BRANCHES)))
    print("ready", flush=True)
    sys.stdin.readline()
    begin, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < duration:
        judge(oracle, list(itertools.islice(fresh, BRANCHES)))
        count += BRANCHES
    print(json.dumps(count / passed))


if __name__ == "__main__":
    judge_for(sys.argv[1], float(sys.argv[2]))
