# SPDX-License-Identifier: Apache-2.0
"""The language-model oracle: any causal language model in Hugging Face format, from a folder.

Both modes read the probabilities of all scores 0 to 100 from packed forward passes;
nothing is generated. *Exact* mode takes the mean or the median of the distribution. *Sample* mode
draws k seeded answers at a temperature from it and takes theirs, as free sampling would, but
without k calls. Both refuse to guess if less than `least_mass` of the probability is on scores.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.judgement import (
    HIGHEST_SCORE,
    SCORE_COUNT,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    Membership,
)
from fcp_ros.grounding.language_model.causal_model import (
    NO_SCORE,
    TRIE_VERSION,
    Floats,
    LanguageModel,
    NextTokens,
    TrieLogits,
    check_architecture,
    choose_tolerance,
    draw_scores,
    load_language_model,
    measure_difference,
    sum_scores,
)
from fcp_ros.grounding.language_model.packed_forward import (
    TokenBudget,
    TreePass,
    can_select_rows,
    plan_passes,
    refuse_architecture,
    refuse_failing,
)
from fcp_ros.grounding.language_model.rubric_prompt import (
    PROMPT_VERSION,
    PromptBatch,
    tokenize_batch,
    write_prompt,
)
from fcp_ros.grounding.membership_oracle import Answer, PerRequestOracle
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.options import (
    Device,
    Estimate,
    LanguageModelOptions,
    Precision,
    ScoringMode,
    build_exact_membership,
    build_sampled_membership,
)

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")

MOST_LOGITS = 1 << 28  # Most numbers in the logits of one pass: half a GiB in bfloat16
WARM_UP = "You judge for a service robot. Give one score from 0 to 100.\n"
WARM_UP_ENDS = ("How well does a mug serve for drinking?\nScore:", "And a book?\nScore:")


class MaskCheck:
    """Compares single answers of packed passes with passes of their own, on the deepest path."""

    def __init__(self, loaded: LanguageModel) -> None:
        trie = loaded.trie
        # The last of the deepest nodes: most branches that it must not see come before it.
        deepest = max(range(len(trie.nodes)), key=lambda n: (trie.nodes[n].depth, n))
        small, self._edges = trie.extract_chain(deepest)
        self._path = trie.find_path(deepest)
        self._loaded = loaded
        self._reader = TrieLogits(small, loaded.device)
        self._tolerance = choose_tolerance(loaded.precision)

    def check(self, prompt: Sequence[int], packed: NextTokens, index: int) -> None:
        """Refuse the model (NOT_A_MODEL) if a packed answer (temperature 1) is another one."""
        alone = self._reader.read(self._read_alone(prompt), 1.0)
        difference = measure_difference(packed.edges[index, list(self._edges)], alone.edges[0])
        if difference > self._tolerance:
            raise refuse_architecture(self._loaded.model, f"an answer is off by {difference:.2g}")

    def _read_alone(self, prompt: Sequence[int]) -> Any:
        """Compute the logits at the end of the prompt and along the path, in a plain pass."""
        import torch

        model, rows = self._loaded.model, len(self._path) + 1
        keep = {"logits_to_keep": rows} if can_select_rows(model) else {}
        tokens = torch.tensor([[*prompt, *self._path]], device=self._loaded.device)
        with torch.inference_mode():
            out = model(
                input_ids=tokens, attention_mask=torch.ones_like(tokens), use_cache=False, **keep
            )
        return out.logits[:, -rows:]


class Scorer:
    """Reads score probabilities from one loaded model; used by one thread at a time."""

    def __init__(self, loaded: LanguageModel, token_budget: int) -> None:
        reader = TrieLogits(loaded.trie, loaded.device)
        self.loaded = loaded
        self.tree = TreePass(loaded, reader)
        self._check = MaskCheck(loaded)
        self._checked = 0
        vocabulary = getattr(loaded.model.config.get_text_config(), "vocab_size", 0)
        self._row_budget = max(1, MOST_LOGITS // max(1, vocabulary))
        self._budget = TokenBudget(
            token_budget, loaded.device, self.tree.prefixes.clear, self._halve_rows
        )
        self.notes: list[str] = []
        """Remarks for people, each also logged once."""

    @property
    def token_budget(self) -> int:
        """Most tokens of one forward pass, as far as the memory held them."""
        return self._budget.tokens

    def warm_up(self) -> None:
        """Ask two short questions, so that the first real one finds everything loaded."""
        tokenizer = self.loaded.tokenizer
        begin, *ends = (
            tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
            for text in (WARM_UP, *WARM_UP_ENDS)
        )
        self.score(PromptBatch(begin, tuple(ends)), 1.0)

    def score(self, batch: PromptBatch, temperature: float) -> Floats:
        """Compute the probability of each score as the answer to each prompt, shape (prompts, 101).

        A row's remainder to 1 is the probability of no score. Prompts are within the model's
        window; a temperature of 1 leaves the model unchanged.
        """
        trie = self.loaded.trie
        answers = np.empty((len(batch.tails), SCORE_COUNT))
        waiting = list(range(len(batch.tails)))
        while waiting:
            chosen = self._choose_next(batch, waiting)
            read = self._budget.run(
                partial(self._read_packed, batch, chosen, temperature), len(chosen) > 1
            )
            if read is None:
                continue  # again, with a smaller pass
            answers[chosen] = sum_scores(trie, read)
            done = set(chosen)
            waiting = [index for index in waiting if index not in done]
        return answers

    def _choose_next(self, batch: PromptBatch, waiting: list[int]) -> list[int]:
        """Choose the prompts of the next packed pass."""
        lengths = [len(batch.tails[index]) for index in waiting]
        nodes = len(self.loaded.trie.nodes)
        first = plan_passes(lengths, nodes, self.token_budget, self._row_budget)[0]
        return [waiting[place] for place in first]

    def _read_packed(self, batch: PromptBatch, chosen: list[int], temperature: float) -> NextTokens:
        """Read a packed pass; NOT_A_MODEL if the model turns out not to honour the mask."""
        tails = [batch.tails[index] for index in chosen]
        length = len(batch.prefix) + sum(map(len, tails)) + len(tails) * len(self.loaded.trie.nodes)
        if length < 2 * self._checked:
            return self.tree.run(batch.prefix, tails, temperature)
        with refuse_failing(self.loaded.model):
            read = self.tree.run(batch.prefix, tails, 1.0)
        last = len(chosen) - 1
        self._check.check(batch.join(chosen[last]), read, last)
        self._checked = length
        return read if temperature == 1.0 else self.tree.run(batch.prefix, tails, temperature)

    def _halve_rows(self, note: str) -> None:
        self._row_budget = max(1, self._row_budget // 2)
        self._note(note)

    def _note(self, note: str) -> None:
        self.notes.append(note)
        LOG.warning("language model: %s", note)


# --- the language-model oracle ---


class LanguageModelOracle(PerRequestOracle):
    """Membership from a causal language model, loaded at first use; for several threads."""

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
        return self._scorer is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for people: fewer tokens a pass than were set."""
        return tuple(self._scorer.notes) if self._scorer is not None else ()

    def load(self) -> None:
        """Load the model and ask it something, so that the first question needn't wait."""
        with self._lock:
            self._prepare()

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: an error for each one that is too long or gets no score."""
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
    """The oracle of a model in a folder, as ``save_pretrained`` writes it, with safetensors."""

    def __init__(
        self, folder: Path, options: LanguageModelOptions, device: Device = Device.AUTO
    ) -> None:
        self.folder = check_model_folder(folder)
        check_architecture(self.folder)
        load = partial(load_language_model, self.folder, device, options.precision)
        super().__init__(compute_fingerprint(self.folder), options, load)
