# SPDX-License-Identifier: Apache-2.0
"""Slow and obvious twins of the score trie: one forward pass a path, and free sampling.

Both read answers by their text, with the regular expressions below; neither knows a trie, a mask,
a cache or a batch.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

BEGINNING = re.compile(r" ?(0|[1-9][0-9]?|100)?")
SPOILING = tuple("0123456789.,/")
NO_SCORE = -1


class SlowReader:
    """Reads answers of one model, token by token.

    Args:
        model: of transformers, on the CPU.
        tokenizer: its tokenizer.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        anchor = tokenizer("a", add_special_tokens=False)["input_ids"][-1]
        lead = tokenizer.decode([anchor], clean_up_tokenization_spaces=False)
        self.texts = {}
        for token in range(len(tokenizer)):
            whole = tokenizer.decode([anchor, token], clean_up_tokenization_spaces=False)
            self.texts[token] = whole[len(lead) :]
        byte_like = re.compile("<0x[0-9A-F]{2}>")
        of_bytes = [n for token, n in tokenizer.get_vocab().items() if byte_like.fullmatch(token)]
        others = {text for token, text in self.texts.items() if token not in of_bytes}
        for number in of_bytes:
            if self.texts[number] in others:
                self.texts[number] = "?"  # a byte of a character that has its own token

    def chances(self, prompt: list[int], answer: list[int], temperature: float = 1.0) -> Any:
        """Next-token probabilities; a whole forward pass."""
        import torch

        with torch.inference_mode():
            logits = self.model(torch.tensor([[*prompt, *answer]]), use_cache=False).logits
        return torch.softmax(logits[0, -1].double() / temperature, dim=-1)

    def score(self, answer: list[int]) -> int | None:
        """The score that an answer is read as, NO_SCORE, or None while it must be read on."""
        text = ""
        for token in answer:
            further = text + self.texts[token]
            if not (match := BEGINNING.fullmatch(further)) or not self.texts[token]:
                number = BEGINNING.fullmatch(text).group(1)  # type: ignore[union-attr]
                bad = number is None or self.texts[token].startswith(SPOILING)
                return NO_SCORE if bad else int(number)
            if match.group(1) and int(match.group(1)) > 10:
                return int(match.group(1))
            text = further
        return None

    def distribution(self, prompt: list[int], temperature: float = 1.0) -> list[float]:
        """Probability of each score, by trying every next token of every unfinished answer."""
        scores = [0.0] * 101
        unfinished: list[tuple[list[int], float]] = [([], 1.0)]
        while unfinished:
            answer, reached = unfinished.pop()
            for token, chance in enumerate(self.chances(prompt, answer, temperature).tolist()):
                if token not in self.texts:
                    continue
                score = self.score([*answer, token])
                if score is None:
                    unfinished.append(([*answer, token], reached * chance))
                elif score != NO_SCORE:
                    scores[score] += reached * chance
        return scores

    def sample(self, prompt: list[int], count: int, temperature: float, seed: int) -> Counter[int]:
        """How often each score (and NO_SCORE) comes out of free sampling from the model."""
        import torch

        generator = torch.Generator().manual_seed(seed)
        known: dict[tuple[int, ...], Any] = {}
        drawn: Counter[int] = Counter()
        for _ in range(count):
            answer: list[int] = []
            while (score := self.score(answer)) is None:
                if tuple(answer) not in known:  # the same pass again gives the same chances
                    known[tuple(answer)] = self.chances(prompt, answer, temperature)
                answer.append(int(torch.multinomial(known[tuple(answer)], 1, generator=generator)))
            drawn[score] += 1
        return drawn
