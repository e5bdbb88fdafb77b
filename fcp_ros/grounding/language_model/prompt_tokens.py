# SPDX-License-Identifier: Apache-2.0
"""Prompts as tokens in the model's chat template, split into a shared prefix and tails."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.language_model.packing import count_common_prefix
from fcp_ros.grounding.language_model.prompt import CUE, write_prompt
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest

ENOUGH = 2
PROBES = ("zebra", "7 of them")
"""Words that begin differently: prompts about them share only what all prompts share."""


@dataclass(frozen=True, slots=True)
class PromptBatch:
    """Prompts about one predicate.

    Args:
        prefix: the tokens that all prompts begin with; may be empty.
        tails: the tokens of each prompt after the prefix, at least one.
    """

    prefix: tuple[int, ...]
    tails: tuple[tuple[int, ...], ...]

    def join(self, index: int) -> tuple[int, ...]:
        """Join prefix and tail to all tokens of a prompt."""
        return self.prefix + self.tails[index]


def tokenize_batch(
    tokenizer: Any, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
) -> PromptBatch:
    """Tokenize the prompts of requests.

    The shared prefix is found among the tokens, since a tokenizer may join the last shared
    character with what follows. Two made-up requests are included, so that the prefix of a single
    request, or of very similar ones, is also the prefix of the next batch.

    Raises:
        GroundingError: the predicate has no rubric, or the chat template can't be used.
    """
    if not requests:
        return PromptBatch((), ())
    probes = [_make_probe(requests[0], word) for word in PROBES]
    prompts = [write_prompt(predicate, request) for request in (*probes, *requests)]
    tokens = tokenize_prompts(tokenizer, prompts)
    length = count_common_prefix(tokens)
    tails = tuple(tuple(ids[length:]) for ids in tokens[len(probes) :])
    return PromptBatch(tuple(tokens[0][:length]), tails)


def tokenize_prompts(tokenizer: Any, prompts: Sequence[str]) -> list[list[int]]:
    """Tokenize prompts up to the beginning of the answer.

    Texts are cut after the last line that all of them share, and that line and those before it are
    tokenized once. The first `ENOUGH` texts check that this tokenizer then gives the same tokens;
    the others begin in the same words on both sides of the cut.
    """
    texts = [apply_template(tokenizer, prompt, CUE) for prompt in prompts]
    checked = tokenize_texts(tokenizer, texts[:ENOUGH])
    if len(texts) <= ENOUGH:
        return checked
    shared = os.path.commonprefix(texts)  # noqa: RUF071 (character by character, as is wanted)
    cut = shared.rfind("\n") + 1
    (head,) = tokenize_texts(tokenizer, [texts[0][:cut]])
    tails = tokenizer([text[cut:] for text in texts], add_special_tokens=False)["input_ids"]
    joined = [head + list(tail) for tail in tails]
    if joined[:ENOUGH] == checked:
        return joined
    return checked + tokenize_texts(tokenizer, texts[ENOUGH:])


def tokenize_texts(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    """Tokenize texts that `apply_template` wrote, each up to where the model goes on."""
    # A chat template contains the special tokens.
    special = not getattr(tokenizer, "chat_template", None)
    # Some tokenizers append an end token, after which a model gives no answer.
    ends = {getattr(tokenizer, name, None) for name in ("eos_token_id", "sep_token_id")}
    return [
        list(ids[:-1] if special and ids and ids[-1] in ends else ids)
        for ids in tokenizer(list(texts), add_special_tokens=special)["input_ids"]
    ]


def apply_template(tokenizer: Any, prompt: str, cue: str = "") -> str:
    """Write the text before the answer, in the chat template if there is one.

    Args:
        tokenizer: with or without a chat template.
        prompt: the question.
        cue: a line of its own at the end, for models without a template.

    Raises:
        GroundingError: the template can't be used.
    """
    if not getattr(tokenizer, "chat_template", None):
        return f"{prompt}\n{cue}" if cue else prompt
    try:
        # Models that think aloud would otherwise begin with that; other templates ignore it.
        return str(
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}],
                tokenize=False,
                add_generation_prompt=True,
                enable_thinking=False,
            )
        )
    except Exception as error:  # a template is a program, which may raise anything
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the chat template of the language model fails ({type(error).__name__}: {error}); "
            "repair chat_template in its tokenizer_config.json",
        ) from error


def _make_probe(request: JudgementRequest, word: str) -> JudgementRequest:
    """Make a request about something made up, with the same declared attributes."""
    return replace(
        request,
        arguments=tuple(
            replace(
                argument,
                text=word,
                category=word if argument.category else "",
                attributes=tuple((name, word) for name, _ in argument.attributes),
            )
            for argument in request.arguments
        ),
    )
