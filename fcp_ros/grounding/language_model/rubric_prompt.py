# SPDX-License-Identifier: Apache-2.0
"""The question to a language model, written from the rubric and the declared context, and scores.

The prompt holds the rubric's question, the meaning of its anchors 0, 50 and 100 with examples, the
factors to weigh, and the declared context of each argument, nothing else. The part that all
requests of a predicate share comes first, so that a model reads it once a batch; the request comes
last, in few words. `read_score` reads the score of an answer in text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import category

from fcp_ros.domain.model import Anchor, GradedPredicate, Rubric
from fcp_ros.grounding.judgement import (
    HIGHEST_SCORE,
    ArgumentContext,
    AttributeValue,
    GroundingCode,
    GroundingError,
    JudgementRequest,
)
from fcp_ros.grounding.language_model.packed_forward import count_common_prefix


@dataclass(frozen=True, slots=True)
class Turn:
    """The words of one side in a chat with a language model, of a server or of this machine."""

    role: str  # "system", "user" or "assistant"
    content: str


ENOUGH = 2
PROBES = ("zebra", "7 of them")
"""Words that begin differently: prompts about them share only what all prompts share."""


@dataclass(frozen=True, slots=True)
class PromptBatch:
    """Prompts about one predicate."""

    prefix: tuple[int, ...]  # the tokens that all prompts begin with; may be empty
    tails: tuple[tuple[int, ...], ...]  # the tokens of each prompt after the prefix, at least one

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
    """Write the text before the answer, in the chat template if there is one, else with `cue`."""
    return apply_chat_template(tokenizer, (Turn("user", prompt),), cue)


def apply_chat_template(tokenizer: Any, turns: Sequence[Turn], cue: str = "") -> str:
    """Write the text before the answer to a chat, one turn a line without a chat template."""
    if not getattr(tokenizer, "chat_template", None):
        prompt = "\n".join(turn.content for turn in turns)
        return f"{prompt}\n{cue}" if cue else prompt
    try:
        # Models that think aloud would otherwise begin with that; other templates ignore it.
        return str(
            tokenizer.apply_chat_template(
                [{"role": turn.role, "content": turn.content} for turn in turns],
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


# --- the question, written from the rubric and the declared context ---

PROMPT_VERSION = "prompt4"  # Part of the cache key; change it with the text below

CUE = "Score:"

_NUMBER = re.compile(r"\s*(?:score\s*[:=]?\s*)?(\d{1,3})(?![.,/]?\d)", re.IGNORECASE)
_NO_CONTROL = str.maketrans(dict.fromkeys("<>|[]\uff5c", " "))
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_OUT_OF_HIGHEST = re.compile(rf"(\d)\s?/\s?{HIGHEST_SCORE}(?!\d)")


def write_prompt(predicate: GradedPredicate, request: JudgementRequest) -> str:
    """Write the question, which asks for a whole number from 0 to 100."""
    rubric = _require_rubric(predicate)
    return "\n".join([*_write_shared_lines(rubric), *_write_own_lines(rubric, request.arguments)])


def read_score(answer: str) -> float | None:
    """Read the degree at the beginning of an answer (``" 70"`` is 0.7); None without a score.

    A number with decimals, or a fraction of another number than 100 ("0.7", "8/10"), is on another
    scale and no score.
    """
    match = _NUMBER.match(_OUT_OF_HIGHEST.sub(r"\1", answer, count=1))
    if match is None or int(match.group(1)) > HIGHEST_SCORE:
        return None
    return int(match.group(1)) / HIGHEST_SCORE


def _require_rubric(predicate: GradedPredicate) -> Rubric:
    rubric = predicate.rubric
    if rubric is None or not rubric.anchors:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"{predicate.name} has no rubric, so a language model can't judge it; write one with "
            "a question and anchors 0, 50 and 100, or give the predicate a table",
        )
    return rubric


def _write_shared_lines(rubric: Rubric) -> list[str]:
    """Write the part that all requests of the predicate share."""
    lines = [
        "You judge for a service robot. Give one score from 0 to 100.",
        f"The question: {_join_line(rubric.question)}",
        "What the scores mean:",
        *(_write_anchor(anchor) for anchor in sorted(rubric.anchors, key=lambda a: a.score)),
    ]
    if rubric.factors:
        lines.append(f"Consider: {'; '.join(_join_line(factor) for factor in rubric.factors)}.")
    lines.append("Answer with one whole number from 0 to 100 and nothing else.")
    return lines


def _write_own_lines(rubric: Rubric, arguments: Sequence[ArgumentContext]) -> list[str]:
    """Write the request: arguments that the question doesn't say completely, and the question."""
    lines = ["To be judged:"]
    lines.extend(
        f"- {_write_argument(argument)}"
        for argument in arguments
        if argument.attributes or _to_placeholder(argument) not in rubric.question
    )
    words = {_to_placeholder(argument): sanitise(argument.words) for argument in arguments}
    # In one substitution: an argument's words may look like another placeholder.
    question = _PLACEHOLDER.sub(lambda m: words.get(m.group(0), m.group(0)), rubric.question)
    return [*lines, f"Question: {_join_line(question)}"]


def _to_placeholder(argument: ArgumentContext) -> str:
    return "{" + argument.parameter + "}"


def _write_anchor(anchor: Anchor) -> str:
    line = f"{anchor.score}: {_join_line(anchor.text)}"
    if anchor.examples:
        examples = "; ".join(", ".join(map(_join_line, example)) for example in anchor.examples)
        line += f" Examples: {examples}."
    return line


def _write_argument(argument: ArgumentContext) -> str:
    line = f"{argument.parameter}: {sanitise(argument.words)}"
    if argument.attributes:
        known = ", ".join(_write_attribute(name, value) for name, value in argument.attributes)
        line += f" ({known})"
    return line


def _write_attribute(name: str, value: AttributeValue) -> str:
    """Write a flag as a word, "full" or "not full", and another value behind its name."""
    if isinstance(value, bool):
        return f"{'' if value else 'not '}{name.replace('_', ' ')}"
    return f"{name} {sanitise(str(value))}"


def sanitise(text: str) -> str:
    """Put text from a scene or a task on one line, without a model's control tokens.

    Tokenizers would read "<|im_end|>" or "[INST]" in a label as the end of the question. Characters
    that nobody sees, and halves of characters, are no words either.
    """
    plain = text.translate(_NO_CONTROL)
    if not plain.isprintable():
        plain = "".join(" " if category(c).startswith("C") else c for c in plain)
    return _join_line(plain)


def _join_line(text: str) -> str:
    return " ".join(text.split())
