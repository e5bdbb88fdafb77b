# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle: any causal language model in Hugging Face format, from a folder.

Both modes read the probabilities of all scores 0 to 100 from packed forward passes (scorer.py);
nothing is generated. *Exact* mode takes the mean or the median of the distribution. *Sample* mode
draws k seeded answers at a temperature from it and takes theirs, as free sampling would, but
without k calls. Both refuse to guess if less than `least_mass` of the probability is on scores.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.language_model.loading import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.prompt import (
    PROMPT_VERSION,
    PromptBatch,
    tokenize_batch,
    write_prompt,
)
from fcp_ros.grounding.language_model.score_reading import NO_SCORE, Floats, draw_scores
from fcp_ros.grounding.language_model.score_trie import TRIE_VERSION
from fcp_ros.grounding.language_model.scorer import Scorer
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.protocol.aggregation import (
    Estimate,
    build_exact_membership,
    build_sampled_membership,
)
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import HIGHEST_SCORE, JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import Device, LanguageModelOptions, Precision, ScoringMode
from fcp_ros.grounding.protocol.oracle import Answer, PerRequestOracle

Result = TypeVar("Result")


class LanguageModelOracle(PerRequestOracle):
    """Membership from a causal language model. Safe to call from several threads.

    Args:
        model: identity of the model.
        options: settings for asking it.
        load: loads it at the first question.
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
        how = (
            f"{Estimate(options.estimate).value}/mass{options.least_mass:g}/"
            f"{Precision(options.precision).value}/{PROMPT_VERSION}/{TRIE_VERSION}"
        )
        if options.mode == ScoringMode.EXACT:
            return f"exact/{how}"
        return f"sample/k{options.samples}/T{options.temperature:g}/seed{options.seed}/{how}"

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._scorer is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for people: a model asked the slow way, fewer tokens a pass than were set."""
        return tuple(self._scorer.notes) if self._scorer is not None else ()

    def load(self) -> None:
        """Load the model and ask it something, so that the first question needn't wait.

        Raises:
            GroundingError: the model can't be loaded.
        """
        with self._lock:
            self._prepare()

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: an error for each one that is too long or gets no score.

        Raises:
            GroundingError: the model can't be loaded or fails, or there is no rubric.
        """
        if not requests:
            return []
        write_prompt(predicate, requests[0])  # reports a missing rubric before anything is loaded
        with self._lock:
            known = len(self.notes)
            scorer = self._prepare()
            begin = time.perf_counter()
            batch = tokenize_batch(scorer.loaded.tokenizer, predicate, requests)
            answers = self._answer_all(scorer, predicate, requests, batch)
            news = "; ".join(scorer.notes[known:])
            each = (time.perf_counter() - begin) / len(requests)
        return [
            replace(answer, latency=each, note=f"{answer.note}; {news}" if news else answer.note)
            if isinstance(answer, Membership)
            else answer
            for answer in answers
        ]

    def _prepare(self) -> Scorer:
        """Return the scorer with its model loaded and warm; called with the lock held."""
        if self._scorer is None:
            scorer = Scorer(self._load(), self._options.token_budget)
            self._run_guarded(scorer.warm_up, "its first question")
            self._scorer = scorer
        return self._scorer

    def _answer_all(
        self,
        scorer: Scorer,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        batch: PromptBatch,
    ) -> list[Answer]:
        answers: dict[int, Answer] = {}
        for index, request in enumerate(requests):
            length = len(batch.join(index)) + scorer.loaded.trie.depth
            if length > scorer.loaded.window:
                answers[index] = self._build_too_long(request, length, scorer.loaded.window)
        fitting = [index for index in range(len(requests)) if index not in answers]
        if fitting:
            tails = tuple(batch.tails[index] for index in fitting)
            rows = self._compute_rows(scorer, predicate, PromptBatch(batch.prefix, tails))
            answers |= {
                index: self._read_row(row, requests[index])
                for index, row in zip(fitting, rows, strict=True)
            }
        return [answers[index] for index in range(len(requests))]

    def _compute_rows(
        self, scorer: Scorer, predicate: GradedPredicate, batch: PromptBatch
    ) -> Floats:
        """Compute the probabilities of the scores, shape (requests, 101)."""
        exact = self._options.mode == ScoringMode.EXACT
        temperature = 1.0 if exact else self._options.temperature
        rows = self._run_guarded(lambda: scorer.score(batch, temperature), predicate.name)
        if not np.isfinite(rows).all():
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the language model {self.model} computes probabilities that are not numbers; its "
                "weights are damaged or its precision is too low: copy it again, or use precision "
                "'float32'",
            )
        return rows

    def _read_row(self, row: Floats, request: JudgementRequest) -> Answer:
        """Build the answer from the probabilities of the scores, shape (101,)."""
        options = self._options
        found = build_exact_membership(
            row.tolist(), options.least_mass, options.estimate, self.name, self.model
        )
        # The probability is known, so that luck with the draws doesn't decide about refusing.
        if options.mode == ScoringMode.SAMPLE and isinstance(found, Membership):
            drawn = draw_scores(row, options.samples, options.seed, request.context_key)
            degrees = [None if score == NO_SCORE else score / HIGHEST_SCORE for score in drawn]
            found = build_sampled_membership(
                degrees, options.temperature, 0.0, options.estimate, self.name, self.model
            )
        if isinstance(found, Membership):
            return found
        return GroundingError(
            GroundingCode.NO_ANSWER,
            f"the language model {self.model} does not answer {request} with a score: {found}; "
            "use a model that follows instructions, or the embedding oracle",
        )

    def _build_too_long(
        self, request: JudgementRequest, length: int, window: int
    ) -> GroundingError:
        return GroundingError(
            GroundingCode.CONTEXT_TOO_LONG,
            f"the question {request} is {length} tokens long and the language model "
            f"{self.model} reads {window}; shorten the rubric or use another model",
        )

    def _run_guarded(self, action: Callable[[], Result], what: str) -> Result:
        """Run an action; what torch raises becomes an error that names the model."""
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
        options: settings for asking it.
        device: the device that it runs on.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """

    def __init__(
        self, folder: Path, options: LanguageModelOptions, device: Device = Device.AUTO
    ) -> None:
        self.folder = check_model_folder(folder)
        check_architecture(self.folder)
        load = partial(load_language_model, self.folder, device, options.precision)
        super().__init__(compute_fingerprint(self.folder), options, load)
