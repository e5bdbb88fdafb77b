# SPDX-License-Identifier: Apache-2.0
"""Prompts as the model reads them: in its chat template, as tokens, with what they share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.language_model.packing import common_prefix_length
from fcp_ros.grounding.language_model.prompt import CUE, write_prompt
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest

ENOUGH = 2
PROBES = ("zebra", "7 of them")
"""Words that begin differently: two prompts about them share what all prompts share."""


@dataclass(frozen=True, slots=True)
class PromptBatch:
    """Prompts about one predicate.

    Args:
        prefix: the tokens that all prompts begin with; may be empty.
        tails: of each prompt the tokens behind the prefix, at least one.
    """

    prefix: tuple[int, ...]
    tails: tuple[tuple[int, ...], ...]

    def whole(self, index: int) -> tuple[int, ...]:
        """All tokens of a prompt."""
        return self.prefix + self.tails[index]


def tokenize_batch(
    tokenizer: Any, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
) -> PromptBatch:
    """The prompts of requests as tokens.

    The shared prefix is found among the tokens, since a tokenizer may join the last shared
    character with what follows. Two made-up requests are compared along, so that the prefix of a
    single request, or of much alike ones, is the prefix that the next batch has, too.

    Raises:
        GroundingError: the predicate has no rubric, or the chat template can't be used.
    """
    if not requests:
        return PromptBatch((), ())
    probes = [_probe(requests[0], word) for word in PROBES]
    prompts = [write_prompt(predicate, request) for request in (*probes, *requests)]
    tokens = prompt_tokens(tokenizer, prompts)
    length = common_prefix_length(tokens)
    tails = tuple(tuple(ids[length:]) for ids in tokens[len(probes) :])
    return PromptBatch(tuple(tokens[0][:length]), tails)


def prompt_tokens(tokenizer: Any, prompts: Sequence[str]) -> list[list[int]]:
    """The tokens of each prompt, up to where the answer begins.

    Long texts that begin alike are cut behind the last line that all of them share, and that part
    is tokenized once. Whether this tokenizer gives the same tokens then is seen from the first two
    texts; the others begin in the same words on both sides of the cut.
    """
    texts = [as_asked(tokenizer, prompt) for prompt in prompts]
    checked = _tokens(tokenizer, texts[:ENOUGH])
    if len(texts) <= ENOUGH:
        return checked
    shared = os.path.commonprefix(texts)  # noqa: RUF071 (character by character, as is wanted)
    cut = shared.rfind("\n") + 1
    (head,) = _tokens(tokenizer, [texts[0][:cut]])
    tails = tokenizer([text[cut:] for text in texts], add_special_tokens=False)["input_ids"]
    joined = [head + list(tail) for tail in tails]
    if joined[:ENOUGH] == checked:
        return joined
    return checked + _tokens(tokenizer, texts[ENOUGH:])


def _tokens(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    # A chat template writes the special tokens itself.
    special = not getattr(tokenizer, "chat_template", None)
    # Some tokenizers close every text; behind a closed one there is no answer.
    ends = {getattr(tokenizer, name, None) for name in ("eos_token_id", "sep_token_id")}
    return [
        list(ids[:-1] if special and ids and ids[-1] in ends else ids)
        for ids in tokenizer(list(texts), add_special_tokens=special)["input_ids"]
    ]


def as_asked(tokenizer: Any, prompt: str) -> str:
    """The text in front of the answer: in the chat template where there is one.

    Raises:
        GroundingError: the template can't be used.
    """
    if not getattr(tokenizer, "chat_template", None):
        return f"{prompt}\n{CUE}"
    try:
        # Models that think aloud would otherwise begin with that; other templates don't look.
        return str(
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}],
                tokenize=False,
                add_generation_prompt=True,
                enable_thinking=False,
            )
        )
    except Exception as error:  # a template is a program of the model's maker
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the chat template of the language model fails ({type(error).__name__}: {error}); "
            "repair chat_template in its tokenizer_config.json",
        ) from error


def _probe(request: JudgementRequest, word: str) -> JudgementRequest:
    """The request about something made up, with the same attributes declared."""
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
