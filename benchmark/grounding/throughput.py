# SPDX-License-Identifier: Apache-2.0
"""Judgements per second, by batch size: the embedding oracle, and language models.

The rival of a language model is what a program does that knows nothing of scores: k = 5 calls of
``generate()`` a judgement, with the whole prompt and the KV cache, of the same model in the same
process on the same prompts. Besides, five samples of one call. The model has random weights in the
shape of a known one (speed doesn't ask for weights), so the floor under the mass on scores is 0.

On a CPU all of it is measured in processor seconds of one core, so that what else runs on the
machine doesn't decide the ratios; on a GPU in seconds, until the device is done.

Tokens per second stand beside the device's limit: the FLOP/s of a large matrix product, measured
here, through two operations a weight and token.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmark.grounding.random_models import (
    HALF_BILLION,
    REPOSITORY,
    THREE_BILLION,
    TINY,
    Shape,
    make_random_model,
    parameter_count,
)
from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.yaml.reader import load_domain
from fcp_ros.grounding import ArgumentContext, GroundingOptions, JudgementRequest
from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.oracle import LanguageModelOracle
from fcp_ros.grounding.language_model.prompt import tokenize_batch, tokenize_prompts, write_prompt
from fcp_ros.grounding.models.torch_device import choose_precision
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, Precision
from fcp_ros.grounding.registry import make_oracle

SIZES = (1, 8, 64, 512)
CPU_SIZES = SIZES[:-1]
"""A half-billion-parameter model takes minutes for the largest one on a CPU."""
SAMPLES = 5
NEW_TOKENS = 4
MATERIALS = ("wooden", "glass", "paper", "plastic", "steel", "woollen", "rubber", "clay")
THINGS = ("mug", "bowl", "book", "sponge", "lamp", "chair", "towel", "knife", "shoe", "tray")
PURPOSES = ("drinking", "sitting", "wiping a table", "reading at night", "cutting bread")


@dataclass(frozen=True)
class Rates:
    """The rates of one batch size.

    Args:
        size: judgements in the batch.
        first: judgements a second where the model has not read the predicate's preamble yet.
        again: the same for the next batch of the predicate.
        tokens: tokens a second that went through the model in the second case.
    """

    size: int
    first: float
    again: float
    tokens: float


def run(console: Console, quick: bool) -> None:
    """Measure and show all of it.

    Args:
        console: the tables go there.
        quick: small batches and a tiny model only.
    """
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    threads = torch.get_num_threads()
    if device == "cpu":
        torch.set_num_threads(1)
    try:
        tables(console, quick, device)
    finally:
        torch.set_num_threads(threads)


def tables(console: Console, quick: bool, device: str) -> None:
    """All tables of `run` on one device."""
    predicate = load_domain(REPOSITORY / "config/domains/household.yaml").graded["serves_as"]
    if device == "cpu":
        console.print("per processor second of one core; no GPU here, so not measured on one")
    embedding_table(console, predicate, (1, 8) if quick else SIZES)
    shapes = (TINY,) if quick else (HALF_BILLION,)
    if device == "cuda" and not quick:
        shapes += (THREE_BILLION,)
    sizes = SIZES if device == "cuda" else CPU_SIZES
    for shape in shapes:
        language_model_table(console, predicate, shape, device, (1, 8) if quick else sizes)


def questions(predicate: GradedPredicate) -> Iterator[JudgementRequest]:
    """Yield distinct requests, in an order that mixes things and purposes."""
    first, second = predicate.parameters
    for number in itertools.count():
        for purpose, thing, material in itertools.product(PURPOSES, THINGS, MATERIALS):
            item = f"{material} {thing}" + (f" {number}" if number else "")
            yield JudgementRequest(
                predicate.name,
                (ArgumentContext(first.name, "x", item), ArgumentContext(second.name, purpose)),
            )


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


def embedding_table(console: Console, predicate: GradedPredicate, sizes: tuple[int, ...]) -> None:
    """Show the default oracle on the CPU, with new phrases and with known ones."""
    oracle = make_oracle("embedding", GroundingOptions(device=Device.CPU))
    fresh = questions(predicate)
    oracle.judge(predicate, [next(fresh)])
    table = Table("batch", "new phrases, 1/s", "known phrases, 1/s", title="embedding, CPU")
    for size in sizes:
        batch = list(itertools.islice(fresh, size))
        new, known = (seconds(lambda b=batch: oracle.judge(predicate, b)) for _ in range(2))
        table.add_row(f"{size}", f"{size / new:,.0f}", f"{size / known:,.0f}")
    console.print(table)


def language_model_table(
    console: Console, predicate: GradedPredicate, shape: Shape, device: str, sizes: tuple[int, ...]
) -> None:
    """Show one model beside its rivals."""
    precision = choose_precision(Precision.AUTO, device)
    loaded = make_random_model(shape, device, precision)
    fresh = questions(predicate)
    limit = device_limit(device, precision) / (2 * parameter_count(loaded))
    (prompt,) = tokenize_prompts(loaded.tokenizer, [write_prompt(predicate, next(fresh))])
    rates = our_rates(loaded, predicate, fresh, sizes)
    calls, call = rival_rates(loaded, prompt)
    table = Table(
        "batch", "judgements/s, new predicate", "judgements/s, known predicate",
        "x generate(), new", "x generate(), known", "x one call of 5", "tokens/s", "of the limit",
        title=f"{shape.name}, {precision.value}, {device}: exact scores in packed passes",
    )  # fmt: skip
    for rate in rates:
        table.add_row(
            f"{rate.size}", f"{rate.first:.2f}", f"{rate.again:.2f}", f"{rate.first / calls:.0f}",
            f"{rate.again / calls:.0f}", f"{rate.again / call:.0f}", f"{rate.tokens:,.0f}",
            f"{rate.tokens / limit:.0%}",
        )  # fmt: skip
    console.print(table)
    theirs = SAMPLES * (len(prompt) + NEW_TOKENS - 1)
    ours = rates[-1].tokens / rates[-1].again
    for line in (
        f"prompt {len(prompt)} tokens, trie {len(loaded.trie.nodes)} nodes: {theirs} tokens by "
        f"{SAMPLES} calls of generate(), {ours:.0f} here, {theirs / ours:.0f} times fewer",
        f"generate(): {calls:.3f} judgements/s by {SAMPLES} calls, {calls * theirs:,.0f} tokens/s; "
        f"{call:.3f} by one call with {SAMPLES} samples",
        f"limit {limit:,.0f} tokens/s ({parameter_count(loaded) / 1e9:.2f} G weights), "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
    ):
        console.print(line)


def our_rates(
    loaded: LanguageModel,
    predicate: GradedPredicate,
    fresh: Iterator[JudgementRequest],
    sizes: tuple[int, ...],
) -> list[Rates]:
    """Of each batch size."""
    oracle = LanguageModelOracle("random", LanguageModelOptions(least_mass=0.0), lambda: loaded)
    oracle.load()
    scorer = oracle._scorer
    assert scorer is not None
    found: list[Rates] = []
    # Once unmeasured: the check of a pass of this length belongs to the first minute of a model.
    oracle.judge(predicate, list(itertools.islice(fresh, min(8, max(sizes)))))
    for size in sizes:
        batch = list(itertools.islice(fresh, size))
        tails = tokenize_batch(loaded.tokenizer, predicate, batch).tails
        tokens = sum(map(len, tails)) + size * (len(loaded.trie.nodes) - 1)
        scorer.tree.prefixes.clear()
        first, again = (seconds(lambda b=batch: oracle.judge(predicate, b)) for _ in range(2))
        found.append(Rates(size, size / first, size / again, tokens / again))
    assert scorer.takes_trees
    assert not scorer.notes
    return found


def rival_rates(loaded: LanguageModel, prompt: list[int]) -> tuple[float, float]:
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


def device_limit(device: str, precision: Precision) -> float:
    """Measure the FLOP/s of a large matrix product, the best of several."""
    import torch

    side = 8192 if device == "cuda" else 2048
    kind = getattr(torch, precision.value)
    left, right = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
    return 2.0 * side**3 / min(seconds(lambda: left @ right) for _ in range(6))
