# SPDX-License-Identifier: Apache-2.0
"""Score probabilities of any number of prompts, in packed passes if the model allows it.

Two invariants hold:

- *Memory.* A pass that doesn't fit is repeated with half the tokens, which then stay the limit.
- *Correctness.* Not every architecture honours the tree mask: those that bias attention by place
  (ALiBi), look back over a window that they don't declare, or carry a state along don't, and some
  of them don't report it and would give wrong degrees. So an answer of a packed pass is compared
  with a pass of its own (`MaskCheck`), again whenever a pass is at least twice as long as the
  longest one that was checked, because short passes may hide the fault.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.packed_forward import PlainPass, TreePass
from fcp_ros.grounding.language_model.packing import plan_passes
from fcp_ros.grounding.language_model.prompt import PromptBatch
from fcp_ros.grounding.language_model.score_reading import (
    Floats,
    NextTokens,
    TrieLogits,
    choose_tolerance,
    measure_difference,
    sum_scores,
)
from fcp_ros.grounding.models.torch_device import free_memory, is_out_of_memory
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import SCORE_COUNT

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")

MOST_LOGITS = 1 << 28
"""Most numbers in the logits of one pass: half a GiB in bfloat16."""
CPU_TOKENS = 512
"""A CPU gains nothing from longer passes, whose attention grows with the square of the length."""
LEAST_TOKENS = 16
WARM_UP = "You judge for a service robot. Give one score from 0 to 100.\n"
WARM_UP_ENDS = ("How well does a mug serve for drinking?\nScore:", "And a book?\nScore:")


class MaskCheck:
    """Compares single answers of packed passes with passes of their own, on the deepest path.

    Args:
        loaded: the model.
    """

    def __init__(self, loaded: LanguageModel) -> None:
        trie = loaded.trie
        # The last of the deepest nodes: most branches that it must not see come before it.
        deepest = max(range(len(trie.nodes)), key=lambda n: (trie.nodes[n].depth, n))
        small, self._edges = trie.extract_chain(deepest)
        alone = replace(loaded, trie=small)
        self._plain = PlainPass(alone, TrieLogits(small, loaded.device), may_branch=False)
        self.tolerance = choose_tolerance(loaded.precision)

    def compare(self, prompt: Sequence[int], packed: NextTokens, index: int) -> float:
        """Measure the difference of a packed answer from a pass of its own (see `tolerance`).

        Args:
            prompt: all tokens of the prompt.
            packed: the result of the packed pass at temperature 1.
            index: of the prompt in the packed pass.
        """
        alone = self._plain.run(prompt, 1, 1.0)
        return measure_difference(packed.edges[index, list(self._edges)], alone.edges[0])


class Scorer:
    """Reads score probabilities from one loaded model; used by one thread at a time.

    Args:
        loaded: the model.
        token_budget: most tokens of one forward pass; a single longer prompt is read alone.
    """

    def __init__(self, loaded: LanguageModel, token_budget: int) -> None:
        reader = TrieLogits(loaded.trie, loaded.device)
        self.loaded = loaded
        self.tree = TreePass(loaded, reader)
        self.plain = PlainPass(loaded, reader)
        self._check = MaskCheck(loaded)
        self._checked = 0
        vocabulary = getattr(loaded.model.config.get_text_config(), "vocab_size", 0)
        self._row_budget = max(1, MOST_LOGITS // max(1, vocabulary))
        self.token_budget = (
            token_budget if loaded.device != "cpu" else min(token_budget, CPU_TOKENS)
        )
        self.takes_trees = True
        self.notes: list[str] = []
        """Remarks for people, each also logged once."""

    def warm_up(self) -> None:
        """Ask two short questions, so that the first real one finds everything loaded."""
        tokenizer = self.loaded.tokenizer
        begin, *ends = (
            tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
            for text in (WARM_UP, *WARM_UP_ENDS)
        )
        self.score(PromptBatch(begin, tuple(ends)), 1.0)

    def score(self, batch: PromptBatch, temperature: float) -> Floats:
        """Compute the probability of each score as the answer to each prompt.

        Args:
            batch: the prompts, each within the model's window.
            temperature: at which answers are drawn; 1 leaves the model unchanged.

        Returns:
            Shape (prompts, 101); a row's remainder to 1 is the probability of no score.

        Raises:
            GroundingError: the memory doesn't hold a single prompt.
        """
        trie = self.loaded.trie
        answers = np.empty((len(batch.tails), SCORE_COUNT))
        waiting = list(range(len(batch.tails)))
        while waiting:
            chosen = self._choose_next(batch, waiting)
            if chosen:
                read = self._shrink_on_failure(
                    partial(self._read_packed, batch, chosen, temperature), len(chosen) > 1
                )
            else:
                chosen = waiting[:1]
                prompt = batch.join(chosen[0])
                read = self._shrink_on_failure(
                    partial(self.plain.run, prompt, self.token_budget, temperature),
                    self.token_budget > len(prompt),
                )
            if read is None:
                continue  # again, with a smaller pass or the plain way
            answers[chosen] = sum_scores(trie, read)
            done = set(chosen)
            waiting = [index for index in waiting if index not in done]
        return answers

    def _choose_next(self, batch: PromptBatch, waiting: list[int]) -> list[int]:
        """Choose the prompts of the next packed pass; none if the rest must go the plain way."""
        room = self.loaded.attention.chunk - len(batch.prefix) - self.loaded.trie.depth
        fitting = [index for index in waiting if len(batch.tails[index]) <= room]
        if not self.takes_trees or not fitting:
            return []
        lengths = [len(batch.tails[index]) for index in fitting]
        nodes = len(self.loaded.trie.nodes)
        first = plan_passes(lengths, nodes, self.token_budget, self._row_budget)[0]
        return [fitting[place] for place in first]

    def _read_packed(
        self, batch: PromptBatch, chosen: list[int], temperature: float
    ) -> NextTokens | None:
        """Read a packed pass; None if the model turns out not to honour the mask."""
        tails = [batch.tails[index] for index in chosen]
        length = len(batch.prefix) + sum(map(len, tails)) + len(tails) * len(self.loaded.trie.nodes)
        check = length >= 2 * self._checked
        try:
            read = self.tree.run(batch.prefix, tails, 1.0 if check else temperature)
            if not check:
                return read
            last = len(chosen) - 1
            difference = self._check.compare(batch.join(chosen[last]), read, last)
        except Exception as error:
            if is_out_of_memory(error) or not check:
                raise
            # An architecture without support for mask, cache or positions may raise anything.
            self._go_plain(f"{type(error).__name__}: {error}")
            return None
        if difference > self._check.tolerance:
            self._go_plain(f"a packed answer is off by {difference:.2g}")
            return None
        self._checked = length
        return read if temperature == 1.0 else self.tree.run(batch.prefix, tails, temperature)

    def _go_plain(self, reason: str) -> None:
        self.takes_trees = False
        self.tree.prefixes.clear()
        self._note(
            "the model doesn't take a tree mask, so each question is asked on its own, which is "
            f"slower ({reason.splitlines()[0][:200]})"
        )

    def _shrink_on_failure(
        self, action: Callable[[], Result | None], divisible: bool
    ) -> Result | None:
        """Run an action; None after it ran out of memory, with the budget halved."""
        try:
            return action()
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        # Trap: inside the handler, the error's frames would keep the memory in use.
        if not divisible or self.token_budget <= LEAST_TOKENS:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the device {self.loaded.device!r} has no memory left for a single question "
                f"({reason}); stop what else uses it, or use a smaller model, precision '4bit', or "
                "a model server (endpoint)",
            )
        self.tree.prefixes.clear()
        free_memory(self.loaded.device)
        self.token_budget //= 2
        self._row_budget = max(1, self._row_budget // 2)
        self._note(
            f"out of memory: from now on at most {self.token_budget} tokens a pass ({reason})"
        )
        return None

    def _note(self, note: str) -> None:
        self.notes.append(note)
        LOG.warning("language model: %s", note)
