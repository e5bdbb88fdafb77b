# SPDX-License-Identifier: Apache-2.0
"""A language model on a GPU: ``python -m benchmark.grounding gpu`` (some 8 minutes).

For the 1.5B model (its own weights if `fcp models fetch qwen2.5-coder-1.5b` has fetched them, else
random ones) and the shape of a 7B model with random weights, in bfloat16 and in 8-bit integers:
judgements a second by batch size, beside k = 5 calls of ``generate()`` a judgement, and beside the
card's limit. The limit of a pass is the longer of two times: its operations, two a weight and
token, at the rate of a large matrix product; its weights, read once, at the rate of a large copy.
Both rates are measured here.

Then what happens when memory runs out, and when two processes share the card. ``--quick`` runs all
of it with tiny shapes, on a CPU, too; without a GPU nothing else can be measured.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmark.grounding.int8 import convert_to_int8
from benchmark.grounding.random_models import (
    ONE_AND_A_HALF_BILLION,
    REPOSITORY,
    SEVEN_BILLION,
    TINY,
    Shape,
    make_random_model,
)
from benchmark.grounding.throughput import questions, rival_rates, seconds
from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.yaml.reader import load_domain
from fcp_ros.grounding import GroundingError
from fcp_ros.grounding.language_model.loading import LanguageModel, load_language_model
from fcp_ros.grounding.language_model.oracle import LanguageModelOracle, Scorer
from fcp_ros.grounding.language_model.prompt import tokenize_batch, tokenize_prompts, write_prompt
from fcp_ros.grounding.models.model_folder import check_model_folder
from fcp_ros.grounding.protocol.judgement import JudgementRequest
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, Precision

SIZES = (1, 8, 64, 256)
QUICK_SIZES = (1, 8)
REPETITIONS = 3
REAL = "qwen2.5-coder-1.5b"
BRANCHES = 64
"""Questions that are judged with scarce memory, and by each of two processes."""
SHARED_SECONDS = 15.0
QUICK_SECONDS = 2.0
SCARCE = 0.25
"""The part of the memory of a usual pass that is left for one when memory is scarce."""
FEW_TOKENS = 200
"""Tokens of a packed pass that the stand-in for a full GPU allows."""


@dataclass(frozen=True)
class CardLimits:
    """What a device can do at most, measured.

    Args:
        operations: floating-point operations a second in bfloat16.
        integer_operations: operations a second on 8-bit integers.
        bandwidth: bytes a second that are read or written.
    """

    operations: float
    integer_operations: float
    bandwidth: float


def run(console: Console, quick: bool) -> None:
    """Measure and show all of it.

    Args:
        console: the tables go there.
        quick: tiny shapes and small batches.
    """
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not quick:
        console.print("no GPU here, so nothing is measured; --quick tries the commands on the CPU")
        return
    card = measure_card(device)
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU (a try of the commands)"
    console.print(
        f"{name}: {card.operations / 1e12:,.1f} TFLOP/s in bfloat16, "
        f"{card.integer_operations / 1e12:,.1f} TOP/s in int8, {card.bandwidth / 1e9:,.0f} GB/s"
    )
    shapes = (TINY,) if quick else (ONE_AND_A_HALF_BILLION, SEVEN_BILLION)
    sizes = QUICK_SIZES if quick else SIZES
    for shape in shapes:
        show_shape(console, shape, device, card, sizes)
        free(device)
    show_scarce_memory(console, shapes[0], device)
    free(device)
    show_two_processes(console, shapes[0], QUICK_SECONDS if quick else SHARED_SECONDS)


def measure_card(device: str) -> CardLimits:
    """Measure the best of several large products and copies."""
    import torch

    side = 8192 if device == "cuda" else 512
    left, right = (torch.randn(side, side, device=device, dtype=torch.bfloat16) for _ in range(2))
    small = [torch.ones(side, side, device=device, dtype=torch.int8) for _ in range(2)]
    source = torch.ones((1 << 30) if device == "cuda" else (1 << 24), dtype=torch.int8)
    source = source.to(device)
    target = torch.empty_like(source)
    product = min(seconds(lambda: left @ right) for _ in range(6))
    integers = min(seconds(lambda: torch._int_mm(small[0], small[1].t())) for _ in range(6))
    copy = min(seconds(lambda: target.copy_(source)) for _ in range(6))
    return CardLimits(2.0 * side**3 / product, 2.0 * side**3 / integers, 2.0 * len(source) / copy)


def make_model(shape: Shape, device: str) -> tuple[LanguageModel, str]:
    """Make the model of a shape in bfloat16, and say whose weights it has."""
    if shape is ONE_AND_A_HALF_BILLION:
        try:
            folder = check_model_folder(Path(REAL))
            return load_language_model(folder, Device(device), Precision.BFLOAT16), REAL
        except GroundingError as error:
            reason = error.sentence.split(";")[0]
            return make_random_model(shape, device, Precision.BFLOAT16), f"random, {reason}"
    return make_random_model(shape, device, Precision.BFLOAT16), "random weights"


def show_shape(
    console: Console, shape: Shape, device: str, card: CardLimits, sizes: tuple[int, ...]
) -> None:
    """Show one model in both number formats, beside its rivals."""
    loaded, weights = make_model(shape, device)
    predicate = load_predicate()
    fresh = questions(predicate)
    (prompt,) = tokenize_prompts(loaded.tokenizer, [write_prompt(predicate, next(fresh))])
    calls, call = rival_rates(loaded, prompt)
    asked = list(itertools.islice(questions(predicate), BRANCHES))
    exact = judge(make_oracle(loaded), predicate, asked)
    show_rates(console, loaded, f"{shape.name} ({weights}), bfloat16", card, sizes, calls)
    console.print(
        f"generate() in bfloat16: {calls:.3f} judgements/s by 5 calls, {call:.3f} by one of 5"
    )
    layers = convert_to_int8(loaded.model)
    for rounds_inputs, what in ((False, "int8 weights"), (True, "int8 products")):
        for layer in layers:
            layer.rounds_inputs = rounds_inputs
        off = np.abs(judge(trust_mask(make_oracle(loaded)), predicate, asked) - exact)
        show_rates(console, loaded, f"{shape.name} ({weights}), {what}", card, sizes, calls)
        console.print(
            f"{what}: {len(layers)} layers; degrees differ from bfloat16 by {off.mean():.3f}, at "
            f"most {off.max():.3f}, over {len(off)} questions (their standard deviation is "
            f"{exact.std():.3f})"
        )


def show_rates(
    console: Console,
    loaded: LanguageModel,
    title: str,
    card: CardLimits,
    sizes: tuple[int, ...],
    calls: float,
) -> None:
    """Show the rates of one model by batch size."""
    predicate = load_predicate()
    fresh = questions(predicate)
    oracle = make_oracle(loaded)
    if "int8" in title:
        trust_mask(oracle)
    judge(oracle, predicate, list(itertools.islice(fresh, max(sizes))))  # checks the mask
    scorer = oracle._scorer
    assert scorer is not None
    table = Table(
        "batch", "judgements/s, new predicate", "judgements/s, known predicate",
        "x generate(), new", "x generate(), known", "tokens/s", "of the limit", "bound by",
        title=title,
    )  # fmt: skip
    for size in sizes:
        first, again, tokens = time_batch(oracle, scorer, predicate, fresh, size)
        limit, bound = find_limit(loaded, card, tokens, count_passes(scorer, size, tokens))
        table.add_row(
            f"{size}", f"{size / first:,.1f}", f"{size / again:,.1f}",
            f"{size / first / calls:,.0f}", f"{size / again / calls:,.0f}",
            f"{tokens / again:,.0f}", f"{limit / again:.0%}", bound,
        )  # fmt: skip
    console.print(table)
    if not scorer.takes_trees or scorer.notes:
        console.print(f"NOTES: {'; '.join(scorer.notes)}")


def time_batch(
    oracle: LanguageModelOracle,
    scorer: Scorer,
    predicate: GradedPredicate,
    fresh: Iterator[JudgementRequest],
    size: int,
) -> tuple[float, float, int]:
    """Time a batch whose predicate is new, then known: the best of several; and its tokens."""
    first, again, tokens = [], [], 0
    for _ in range(REPETITIONS):
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
    loaded: LanguageModel, card: CardLimits, tokens: int, passes: int
) -> tuple[float, str]:
    """Find the least time in which the card can read tokens in passes, and what sets it."""
    model = loaded.model
    output = model.get_output_embeddings().weight
    layers = list(model.base_model.layers.parameters()) + list(model.base_model.layers.buffers())
    rounds = any(getattr(part, "rounds_inputs", False) for part in model.modules())
    integers = sum(part.numel() for part in layers if part.element_size() == 1) if rounds else 0
    others = sum(part.numel() for part in [*layers, output]) - integers
    weights = sum(part.numel() * part.element_size() for part in [*layers, output])
    reading = passes * weights / card.bandwidth
    computing = 2.0 * tokens * (others / card.operations + integers / card.integer_operations)
    return max(reading, computing), "memory" if reading > computing else "arithmetic"


def show_scarce_memory(console: Console, shape: Shape, device: str) -> None:
    """Judge with too little memory for a usual pass: slower, the same answers, and said so."""
    loaded, _ = make_model(shape, device)
    predicate = load_predicate()
    batch = list(itertools.islice(questions(predicate), BRANCHES))
    oracle = make_oracle(loaded)
    usual = judge(oracle, predicate, batch)
    with limit_memory(loaded, oracle, predicate, batch):
        scarce = make_oracle(loaded)
        found = judge(scarce, predicate, batch)
        took = seconds(lambda: judge(scarce, predicate, batch))
    console.print(
        f"scarce memory: {'; '.join(scarce.notes) or 'nothing was noticed'}; "
        f"{BRANCHES / took:,.1f} judgements/s, degrees differ by {np.abs(found - usual).max():.4f}"
    )


@contextmanager
def limit_memory(
    loaded: LanguageModel,
    oracle: LanguageModelOracle,
    predicate: GradedPredicate,
    batch: list[JudgementRequest],
) -> Iterator[None]:
    """Leave less memory than a pass needs: the allocator's limit, on a CPU a refusal of passes."""
    import torch

    if loaded.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        judge(oracle, predicate, batch)
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


def show_two_processes(console: Console, shape: Shape, duration: float) -> None:
    """Judge in one process, then in two at a time on the same card."""
    alone = run_children(1, shape, duration)
    both = run_children(2, shape, duration)
    shown = " and ".join(f"{rate:,.1f}" for rate in both)
    console.print(
        f"{shape.name}, batches of {BRANCHES}: {alone[0]:,.1f} judgements/s alone; two processes "
        f"on one card {shown}, together {sum(both) / alone[0]:.2f} times as many"
    )


def run_children(count: int, shape: Shape, duration: float) -> list[float]:
    """Run processes that judge at the same time; returns the judgements a second of each."""
    words = [sys.executable, __file__, shape.name, str(duration)]
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
    oracle = make_oracle(make_model(shape, device)[0])
    predicate = load_predicate()
    fresh = questions(predicate)
    judge(oracle, predicate, list(itertools.islice(fresh, BRANCHES)))
    print("ready", flush=True)
    sys.stdin.readline()
    begin, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < duration:
        judge(oracle, predicate, list(itertools.islice(fresh, BRANCHES)))
        count += BRANCHES
    print(json.dumps(count / passed))


def load_predicate() -> GradedPredicate:
    """Load `serves_as` of the household domain."""
    return load_domain(REPOSITORY / "config/domains/household.yaml").graded["serves_as"]


def make_oracle(loaded: LanguageModel) -> LanguageModelOracle:
    """Make an oracle of a model in memory that refuses nothing: weights may be random."""
    return LanguageModelOracle("benchmark", LanguageModelOptions(least_mass=0.0), lambda: loaded)


def trust_mask(oracle: LanguageModelOracle) -> LanguageModelOracle:
    """Keep an oracle from checking the tree mask: rounding to integers exceeds its tolerance."""
    oracle.load()
    scorer = oracle._scorer
    assert scorer is not None
    scorer.takes_trees = True
    scorer.notes.clear()
    scorer._checked = 1 << 40
    return oracle


def judge(
    oracle: LanguageModelOracle, predicate: GradedPredicate, batch: list[JudgementRequest]
) -> np.ndarray:
    """Judge requests; returns the degrees."""
    return np.array([membership.degree for membership in oracle.judge(predicate, batch)])


def free(device: str) -> None:
    """Give the memory of models that nobody holds back."""
    from fcp_ros.grounding.models.torch_device import free_memory

    free_memory(device)


if __name__ == "__main__":
    judge_for(sys.argv[1], float(sys.argv[2]))
