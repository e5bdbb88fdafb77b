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
    check_numbers,
    exact_membership,
    no_score,
    sampled_membership,
)
from fcp_ros.grounding.language_model.loading import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.prompt import PROMPT_VERSION, write_prompt
from fcp_ros.grounding.language_model.prompt_tokens import PromptBatch, tokenize_batch
from fcp_ros.grounding.language_model.score_reading import Floats
from fcp_ros.grounding.language_model.score_trie import TRIE_VERSION
from fcp_ros.grounding.language_model.scorer import Scorer
from fcp_ros.grounding.models.model_folder import check_model_folder, fingerprint
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, Precision, ScoringMode
from fcp_ros.grounding.protocol.oracle import Answer, all_answered

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
            GroundingError: as for `judge_each`, or a request has no answer.
        """
        return all_answered(self.judge_each(predicate, requests))

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each request its membership, or why there is none: too long, or no score.

        Raises:
            GroundingError: the model can't be loaded or fails, or there is no rubric.
        """
        if not requests:
            return []
        write_prompt(predicate, requests[0])  # a missing rubric is said before anything is loaded
        with self._lock:
            known = len(self.notes)
            scorer = self._ready()
            begin = time.perf_counter()
            batch = tokenize_batch(scorer.loaded.tokenizer, predicate, requests)
            answers = self._answers(scorer, predicate, requests, batch)
            news = "; ".join(scorer.notes[known:])
            each = (time.perf_counter() - begin) / len(requests)
        return [
            replace(answer, latency=each, note=f"{answer.note}; {news}" if news else answer.note)
            if isinstance(answer, Membership)
            else answer
            for answer in answers
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
    ) -> list[Answer]:
        answers: dict[int, Answer] = {}
        for index, request in enumerate(requests):
            length = len(batch.whole(index)) + scorer.loaded.trie.depth
            if length > scorer.loaded.window:
                answers[index] = self._too_long(request, length, scorer.loaded.window)
        fitting = [index for index in range(len(requests)) if index not in answers]
        if fitting:
            tails = tuple(batch.tails[index] for index in fitting)
            rows = self._rows(scorer, predicate, PromptBatch(batch.prefix, tails))
            answers |= {
                index: self._answer(row, requests[index])
                for index, row in zip(fitting, rows, strict=True)
            }
        return [answers[index] for index in range(len(requests))]

    def _rows(self, scorer: Scorer, predicate: GradedPredicate, batch: PromptBatch) -> Floats:
        """Probabilities of the scores, shape (requests, 101)."""
        exact = self._options.mode == ScoringMode.EXACT
        temperature = 1.0 if exact else self._options.temperature
        rows = self._guarded(lambda: scorer.probabilities(batch, temperature), predicate.name)
        check_numbers(rows, self.model)
        return rows

    def _answer(self, row: Floats, request: JudgementRequest) -> Answer:
        options = self._options
        if options.mode == ScoringMode.EXACT:
            found = exact_membership(row, self.name, self.model, options.least_mass)
        else:
            found = sampled_membership(row, self.name, self.model, options, request.context_key)
        return found if isinstance(found, Membership) else no_score(request, self.model, found)

    def _too_long(self, request: JudgementRequest, length: int, window: int) -> GroundingError:
        return GroundingError(
            GroundingCode.CONTEXT_TOO_LONG,
            f"the question {request} is {length} tokens long and the language model "
            f"{self.model} reads {window}; shorten the rubric or use another model",
        )

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
