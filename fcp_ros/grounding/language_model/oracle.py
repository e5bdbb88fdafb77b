# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle: any causal language model in Hugging Face format, from a folder.

*Exact* mode reads the model's distribution over the scores: each score's token sequence is put
behind the prompt, all in one padded batch, and its probability is the product of its tokens'
probabilities times the probability that no further digit follows (so that "10" is not counted for
"100"). The degree is the median of that distribution. *Sample* mode draws k seeded answers and
takes their median. Both refuse to guess when the model does not answer with a score.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.language_model.prompt import (
    CUE,
    HIGHEST,
    PROMPT_VERSION,
    read_score,
    write_prompt,
)
from fcp_ros.grounding.models.model_folder import CONFIG, check_model_folder, fingerprint
from fcp_ros.grounding.models.torch_device import choose_device, quiet_loading
from fcp_ros.grounding.protocol.aggregation import distribution_median_and_spread, median_and_spread
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, ScoringMode

MINIMUM_MASS = 0.05
"""Least probability on all scores together under which exact mode refuses to answer."""

MAX_NEW_TOKENS = 8
"""Enough for a score in single digits or bytes behind a "Score:"."""


@dataclass(frozen=True)
class _Loaded:
    """The model in memory. `digit_tokens`: ids of tokens that go on with a digit."""

    model: Any
    tokenizer: Any
    device: str
    digit_tokens: Any
    window: int


class CausalLmOracle:
    """Membership from a causal language model.

    Args:
        folder: the model, as ``save_pretrained`` writes it, with safetensors weights.
        options: how it is asked.
        device: where it runs.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """

    name = "causal_lm"

    def __init__(
        self, folder: Path, options: LanguageModelOptions, device: Device = Device.AUTO
    ) -> None:
        self.folder = check_model_folder(folder)
        _check_architecture(self.folder)
        self.model = fingerprint(self.folder)
        self._options = options
        self._device = device
        self._loaded: _Loaded | None = None
        self._lock = threading.Lock()

    @property
    def mode(self) -> str:
        """All settings that an answer depends on."""
        options = self._options
        if options.mode == ScoringMode.EXACT:
            return f"exact/{PROMPT_VERSION}"
        return (
            f"sample/k{options.samples}/T{options.temperature:g}/seed{options.seed}/"
            f"{PROMPT_VERSION}"
        )

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._loaded is not None

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: the model can't be loaded, the prompt is longer than its window, or it
                does not answer with a score.
        """
        prompts = [write_prompt(predicate, request) for request in requests]
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            ask = self._exact if self._options.mode == ScoringMode.EXACT else self._sampled
            try:
                return [
                    ask(self._loaded, prompt, request)
                    for prompt, request in zip(prompts, requests, strict=True)
                ]
            except (RuntimeError, IndexError) as error:
                raise GroundingError(
                    GroundingCode.MODEL_FAILED,
                    f"the language model {self.model} failed on {predicate.name} ({error})",
                ) from error

    def _exact(self, loaded: _Loaded, prompt: str, request: JudgementRequest) -> Membership:
        scores = list(range(0, HIGHEST + 1, 10))
        text, separator = _as_asked(loaded.tokenizer, prompt)
        start = _tokens(loaded.tokenizer, text)
        answers = [
            _answer_tokens(loaded.tokenizer, text, start, f"{separator}{score}") for score in scores
        ]
        self._check_window(loaded, len(start) + max(map(len, answers)), request)
        weights = _probabilities(loaded, start, answers)
        mass = math.fsum(weights)
        if not mass >= MINIMUM_MASS:  # also true where the model returns NaN
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"the language model {self.model} does not answer {request} with a score: the "
                f"scores have {mass:.2%} of its probability, at least {MINIMUM_MASS:.0%} are "
                "needed; use a model that follows instructions, or the embedding oracle",
            )
        degrees = [score / HIGHEST for score in scores]
        degree, spread = distribution_median_and_spread(degrees, weights)
        mean = math.fsum(d * w for d, w in zip(degrees, weights, strict=True)) / mass
        note = f"exact distribution: mean {mean:.2f}, {mass:.0%} of the probability on scores"
        return Membership(
            degree, degree, spread=spread, source=self.name, model=self.model, note=note
        )

    def _sampled(self, loaded: _Loaded, prompt: str, request: JudgementRequest) -> Membership:
        text, _ = _as_asked(loaded.tokenizer, prompt)
        start = _tokens(loaded.tokenizer, text)
        self._check_window(loaded, len(start) + MAX_NEW_TOKENS, request)
        answers = _draw_answers(loaded, start, self._options, request.context_key)
        samples = tuple(s for s in map(read_score, answers) if s is not None)
        wanted = self._options.samples
        if len(samples) * 2 <= wanted:
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"the language model {self.model} does not answer {request} with a score: "
                f"{wanted - len(samples)} of {wanted} answers have none, the first is "
                f"{answers[0]!r}; use a model that follows instructions, or the embedding oracle",
            )
        degree, spread = median_and_spread(samples)
        note = f"median of {len(samples)} samples at temperature {self._options.temperature:g}"
        return Membership(degree, degree, samples, spread, self.name, self.model, note=note)

    def _check_window(self, loaded: _Loaded, length: int, request: JudgementRequest) -> None:
        if length > loaded.window:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the question {request} is {length} tokens long and the language model "
                f"{self.model} reads {loaded.window}; shorten the rubric or use another model",
            )

    def _load(self) -> _Loaded:
        device = choose_device(self._device)
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise GroundingError(
                GroundingCode.MISSING_LIBRARY,
                f"the language-model oracle needs transformers ({error}); pip install transformers",
            ) from error
        safe = {"local_files_only": True, "trust_remote_code": False}
        try:
            with quiet_loading():
                tokenizer = AutoTokenizer.from_pretrained(str(self.folder), **safe)
                model = AutoModelForCausalLM.from_pretrained(
                    str(self.folder),
                    use_safetensors=True,
                    dtype=torch.bfloat16 if device == "cuda" else torch.float32,
                    **safe,
                )
        except Exception as error:  # libraries raise whatever a damaged file leads them to
            raise GroundingError(
                GroundingCode.NOT_A_MODEL,
                f"the language model in {self.folder} can't be loaded "
                f"({type(error).__name__}: {error})",
            ) from error
        model = model.to(device).eval()
        window = getattr(model.config, "max_position_embeddings", None) or 1 << 30
        digits = _digit_tokens(tokenizer)
        return _Loaded(model, tokenizer, device, torch.tensor(digits, device=device), int(window))


def _check_architecture(folder: Path) -> None:
    """Refuse what is plainly no language model, such as a sentence-embedding model."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    names = [str(name) for name in config.get("architectures") or ()]
    generative = ("CausalLM", "LMHeadModel", "ForConditionalGeneration")
    if names and not any(name.endswith(generative) for name in names):
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the model in {folder} is a {', '.join(names)}, no causal language model; give it to "
            "the embedding oracle, or give the folder of a causal language model",
        )


def _as_asked(tokenizer: Any, prompt: str) -> tuple[str, str]:
    """The text in front of the answer, and what separates them; chat templates are honoured."""
    if getattr(tokenizer, "chat_template", None):
        chat = [{"role": "user", "content": prompt}]
        return tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True), ""
    return f"{prompt}\n{CUE}", " "


def _tokens(tokenizer: Any, text: str) -> list[int]:
    # A chat template writes the special tokens itself.
    add_special = not getattr(tokenizer, "chat_template", None)
    return list(tokenizer(text, add_special_tokens=add_special)["input_ids"])


def _answer_tokens(tokenizer: Any, text: str, start: list[int], answer: str) -> list[int]:
    """The tokens of an answer as the tokenizer writes them behind this very text."""
    whole = _tokens(tokenizer, text + answer)
    if whole[: len(start)] == start and len(whole) > len(start):
        return whole[len(start) :]
    return list(tokenizer(answer, add_special_tokens=False)["input_ids"])


def _digit_tokens(tokenizer: Any) -> list[int]:
    """Ids of the tokens that begin with a digit, without a space before it."""
    digits = tuple("0123456789")
    as_bytes = {f"<0x{ord(digit):02X}>" for digit in digits}
    return [
        number
        for token, number in tokenizer.get_vocab().items()
        if token.removeprefix("##").startswith(digits) or token in as_bytes
    ]


def _probabilities(loaded: _Loaded, start: list[int], answers: list[list[int]]) -> list[float]:
    """Probability of each answer behind the start, with no further digit; one padded batch."""
    import torch

    longest = max(map(len, answers))
    # Padding stands behind the answers, where a causal model can't see it; any token does.
    rows = [start + answer + [start[-1]] * (longest - len(answer)) for answer in answers]
    mask = [[1] * (len(start) + len(answer)) + [0] * (longest - len(answer)) for answer in answers]
    keep = longest + 1
    extra = {}
    if "logits_to_keep" in inspect.signature(loaded.model.forward).parameters:
        extra["logits_to_keep"] = keep
    with torch.inference_mode():
        logits = loaded.model(
            input_ids=torch.tensor(rows, device=loaded.device),
            attention_mask=torch.tensor(mask, device=loaded.device),
            use_cache=False,
            **extra,
        ).logits[:, -keep:]
        chances = torch.log_softmax(logits.float(), dim=-1)
        probabilities = []
        for row, answer in enumerate(answers):
            total = sum(float(chances[row, i, token]) for i, token in enumerate(answer))
            goes_on = float(chances[row, len(answer), loaded.digit_tokens].exp().sum())
            probabilities.append(math.exp(total) * max(0.0, 1.0 - goes_on))
    return probabilities


def _draw_answers(
    loaded: _Loaded, start: list[int], options: LanguageModelOptions, context_key: str
) -> list[str]:
    """Answers drawn token by token; the same seed and question give the same answers."""
    import torch

    digest = hashlib.sha256(f"{options.seed}:{context_key}".encode()).digest()
    generator = torch.Generator(device=loaded.device)
    generator.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    step = torch.tensor([start] * options.samples, device=loaded.device)
    past = None
    drawn = []
    with torch.inference_mode():
        for _ in range(MAX_NEW_TOKENS):
            output = loaded.model(input_ids=step, past_key_values=past, use_cache=True)
            past = output.past_key_values
            chances = torch.softmax(output.logits[:, -1].float() / options.temperature, dim=-1)
            step = torch.multinomial(chances, 1, generator=generator)
            drawn.append(step)
    stop = loaded.tokenizer.eos_token_id
    answers = []
    for row in torch.cat(drawn, dim=1).tolist():
        end = row.index(stop) if stop in row else len(row)
        answers.append(loaded.tokenizer.decode(row[:end]))
    return answers
