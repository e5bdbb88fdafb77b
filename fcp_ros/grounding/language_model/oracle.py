# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle: any causal language model in Hugging Face format, from a folder.

Both modes read the probabilities of all scores 0 to 100 from packed forward passes (scorer.py);
nothing is generated. *Exact* mode takes the median of the distribution. *Sample* mode draws k
seeded answers at a temperature from it and takes their median, as free sampling would, k calls
cheaper. Both refuse to guess when the model does not answer with a score.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.language_model.answers import (
    all_answered,
    check_numbers,
    exact_membership,
    sampled_membership,
)
from fcp_ros.grounding.language_model.loading import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.prompt import PROMPT_VERSION, write_prompt
from fcp_ros.grounding.language_model.prompt_tokens import PromptBatch, tokenize_batch
from fcp_ros.grounding.language_model.score_trie import TRIE_VERSION
from fcp_ros.grounding.language_model.scorer import Scorer
from fcp_ros.grounding.models.model_folder import check_model_folder, fingerprint
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, Precision, ScoringMode

Result = TypeVar("Result")


class LanguageModelOracle:
    """Membership from a causal language model. Safe to call from several threads.

    Args:
        model: identifies the model.
        options: how it is asked.
        load: brings it into memory, at the first question.
    """

    name = "causal_lm"

    def __init__(
        self, model: str, options: LanguageModelOptions, load: Callable[[], LanguageModel]
    ) -> None:
        self.model = model
        self._options = options
        self._load = load
        self._scorer: Scorer | None = None
        self._lock = threading.Lock()

    @property
    def mode(self) -> str:
        """All settings that an answer depends on."""
        options = self._options
        how = f"{Precision(options.precision).value}/{PROMPT_VERSION}/{TRIE_VERSION}"
        if options.mode == ScoringMode.EXACT:
            return f"exact/mass{options.least_mass:g}/{how}"
        return f"sample/k{options.samples}/T{options.temperature:g}/seed{options.seed}/{how}"

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._scorer is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: a model asked the slow way, less memory than was set."""
        return tuple(self._scorer.notes) if self._scorer is not None else ()

    def load(self) -> None:
        """Load the model and ask it something, so that the first question needn't wait for that.

        Raises:
            GroundingError: the model can't be loaded.
        """
        with self._lock:
            self._ready()

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: the model can't be loaded, a prompt is longer than its window, the
                memory doesn't hold one, or a request is not answered with a score (it is named).
        """
        if not requests:
            return []
        write_prompt(predicate, requests[0])  # a missing rubric is said before anything is loaded
        with self._lock:
            known = len(self.notes)
            scorer = self._ready()
            begin = time.perf_counter()
            batch = tokenize_batch(scorer.loaded.tokenizer, predicate, requests)
            self._check_window(scorer.loaded, batch, requests)
            answers = self._answers(scorer, predicate, requests, batch)
            news = "; ".join(scorer.notes[known:])
            each = (time.perf_counter() - begin) / len(requests)
        return [
            replace(answer, latency=each, note=f"{answer.note}; {news}" if news else answer.note)
            for answer in all_answered(requests, answers, self.model)
        ]

    def _ready(self) -> Scorer:
        """The scorer, its model loaded and warm; called with the lock held."""
        if self._scorer is None:
            scorer = Scorer(self._load(), self._options.token_budget)
            self._guarded(scorer.warm_up, "its first question")
            self._scorer = scorer
        return self._scorer

    def _answers(
        self,
        scorer: Scorer,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        batch: PromptBatch,
    ) -> list[Membership | str]:
        options = self._options
        exact = options.mode == ScoringMode.EXACT
        temperature = 1.0 if exact else options.temperature
        rows = self._guarded(lambda: scorer.probabilities(batch, temperature), predicate.name)
        check_numbers(rows, self.model)
        if exact:
            return [
                exact_membership(row, self.name, self.model, options.least_mass) for row in rows
            ]
        return [
            sampled_membership(row, self.name, self.model, options, request.context_key)
            for row, request in zip(rows, requests, strict=True)
        ]

    def _guarded(self, action: Callable[[], Result], what: str) -> Result:
        """The action's result; what torch raises becomes an error that names the model."""
        try:
            return action()
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, GroundingError):
                raise
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the language model {self.model} failed on {what} ({error}); "
                "try another model, or report this architecture",
            ) from error

    def _check_window(
        self, loaded: LanguageModel, batch: PromptBatch, requests: Sequence[JudgementRequest]
    ) -> None:
        longest = max(range(len(requests)), key=lambda index: len(batch.tails[index]))
        length = len(batch.whole(longest)) + loaded.trie.depth
        if length > loaded.window:
            raise GroundingError(
                GroundingCode.CONTEXT_TOO_LONG,
                f"the question {requests[longest]} is {length} tokens long and the language model "
                f"{self.model} reads {loaded.window}; shorten the rubric or use another model",
            )


class CausalLmOracle(LanguageModelOracle):
    """The oracle of a model in a folder.

    Args:
        folder: the model, as ``save_pretrained`` writes it, with safetensors weights.
        options: how it is asked.
        device: where it runs.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """

    def __init__(
        self, folder: Path, options: LanguageModelOptions, device: Device = Device.AUTO
    ) -> None:
        self.folder = check_model_folder(folder)
        check_architecture(self.folder)
        load = partial(load_language_model, self.folder, device, options.precision)
        super().__init__(fingerprint(self.folder), options, load)
