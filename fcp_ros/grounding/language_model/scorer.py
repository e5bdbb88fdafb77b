# SPDX-License-Identifier: Apache-2.0
"""Score probabilities of any number of prompts: in packed passes where the model allows it.

It keeps within the memory (a pass that doesn't fit is tried again with half the tokens, for good)
and within what was seen to be right: a packed pass at least twice as long as the longest one that
was checked is checked itself, so that a model that a short check doesn't show up is found out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.packing import plan_passes
from fcp_ros.grounding.language_model.plain_pass import PlainPass
from fcp_ros.grounding.language_model.prompt_tokens import PromptBatch
from fcp_ros.grounding.language_model.score_reading import Floats, NextTokens, score_probabilities
from fcp_ros.grounding.language_model.self_check import SelfCheck
from fcp_ros.grounding.language_model.tree_pass import TreePass
from fcp_ros.grounding.language_model.trie_logits import TrieLogits
from fcp_ros.grounding.models.out_of_memory import free_memory, is_out_of_memory
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import SCORE_COUNT

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")

MOST_LOGITS = 1 << 28
"""Numbers that the logits of one pass may have: half a GiB in bfloat16."""
CPU_TOKENS = 512
"""A CPU gains nothing from longer passes, and the attention of a pass grows with its square."""
LEAST_TOKENS = 16
WARM_UP = "You judge for a service robot. Give one score from 0 to 100.\n"
WARM_UP_ENDS = ("How well does a mug serve for drinking?\nScore:", "And a book?\nScore:")


class Scorer:
    """Reads score probabilities from one loaded model. Not safe for several threads at a time.

    Args:
        loaded: the model.
        token_budget: tokens that one forward pass may hold; a single longer prompt is read alone.
    """

    def __init__(self, loaded: LanguageModel, token_budget: int) -> None:
        reader = TrieLogits(loaded.trie, loaded.device)
        self.loaded = loaded
        self.tree = TreePass(loaded, reader)
        self.plain = PlainPass(loaded, reader)
        self._check = SelfCheck(loaded)
        self._checked = 0
        vocabulary = getattr(loaded.model.config.get_text_config(), "vocab_size", 0)
        self._row_budget = max(1, MOST_LOGITS // max(1, vocabulary))
        self.token_budget = (
            token_budget if loaded.device != "cpu" else min(token_budget, CPU_TOKENS)
        )
        self.takes_trees = True
        self.notes: list[str] = []
        """What a person should know, each said once in the log, too."""

    def warm_up(self) -> None:
        """Ask two short questions, so that the first real one finds everything in place."""
        tokenizer = self.loaded.tokenizer
        begin, *ends = (
            tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
            for text in (WARM_UP, *WARM_UP_ENDS)
        )
        self.probabilities(PromptBatch(begin, tuple(ends)), 1.0)

    def probabilities(self, batch: PromptBatch, temperature: float) -> Floats:
        """Probability that the answer to each prompt is read as each score.

        Args:
            batch: the prompts, each within the model's window.
            temperature: at which answers are drawn; 1 leaves the model as it is.

        Returns:
            Shape (prompts, 101); a row's rest to 1 is the probability of no score.

        Raises:
            GroundingError: the memory doesn't hold a single prompt.
        """
        trie = self.loaded.trie
        answers = np.empty((len(batch.tails), SCORE_COUNT))
        waiting = list(range(len(batch.tails)))
        while waiting:
            chosen = self._next(batch, waiting)
            if chosen:
                read = self._less_on_failure(
                    partial(self._read_packed, batch, chosen, temperature), len(chosen) > 1
                )
            else:
                chosen = waiting[:1]
                prompt = batch.whole(chosen[0])
                read = self._less_on_failure(
                    partial(self.plain.run, prompt, self.token_budget, temperature),
                    self.token_budget > len(prompt),
                )
            if read is None:
                continue  # with less in a pass, or the other way
            answers[chosen] = score_probabilities(trie, read)
            done = set(chosen)
            waiting = [index for index in waiting if index not in done]
        return answers

    def _next(self, batch: PromptBatch, waiting: list[int]) -> list[int]:
        """The prompts of the next packed pass; none if what waits must go the plain way."""
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
        """What a packed pass says; None where the model turns out not to take the mask."""
        tails = [batch.tails[index] for index in chosen]
        length = len(batch.prefix) + sum(map(len, tails)) + len(tails) * len(self.loaded.trie.nodes)
        check = length >= 2 * self._checked
        try:
            read = self.tree.run(batch.prefix, tails, 1.0 if check else temperature)
            if not check:
                return read
            last = len(chosen) - 1
            difference = self._check.difference(batch.whole(chosen[last]), read, last)
        except Exception as error:
            if is_out_of_memory(error) or not check:
                raise
            # An architecture that knows no such mask, cache or positions fails in its own way.
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
        self._say(
            "the model doesn't take a tree mask, so each question is asked on its own, which is "
            f"slower ({reason.splitlines()[0][:200]})"
        )

    def _less_on_failure(
        self, action: Callable[[], Result | None], divisible: bool
    ) -> Result | None:
        """The action's result; None after it ran out of memory, with the budget halved."""
        try:
            return action()
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        # Outside of the handler: the error's frames hold on to what filled the memory.
        if not divisible or self.token_budget <= LEAST_TOKENS:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the device {self.loaded.device!r} has no memory left for a single question "
                f"({said}); stop what else uses it, or use a smaller model, precision '4bit', or "
                "a model server (endpoint)",
            )
        self.tree.prefixes.clear()
        free_memory(self.loaded.device)
        self.token_budget //= 2
        self._row_budget = max(1, self._row_budget // 2)
        self._say(f"out of memory: from now on at most {self.token_budget} tokens a pass ({said})")
        return None

    def _say(self, note: str) -> None:
        self.notes.append(note)
        LOG.warning("language model: %s", note)
