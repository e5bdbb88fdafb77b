# SPDX-License-Identifier: Apache-2.0
"""The question that a language model reads about a pair, whose hidden states are its features.

    the task, the scale, a dozen examples of the training part (the same for all pairs: the prefix)
    "How well does <item> serve for <purpose>?", and the beginning of an answer (the tail)

The model answers nothing; the examples only put its states into the place where an answer would be
decided. Texts are written once, when a head is trained, and kept in its file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.grounding.judged.judgement_set import Judgement, JudgementSet, split
from fcp_ros.grounding.language_model.prompt import tokenize_texts
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

FILE = "questions.yaml"
TASK = "You judge for a service robot. Give one score from 0 to 100.\n"
SCALE = (
    "100: as good as made for it; nobody minds. 75: does it, with a small loss. 50: does the main "
    "part, in a pinch. 25: hardly, or at a price. 0: not at all, or only by ruining something.\n"
)
CUE = "Score:"
EXAMPLE_DEGREES = (0.9, 0.5, 0.0, 0.75, 0.3, 1.0, 0.15, 0.6, 0.05, 0.85, 0.4, 0.7)
NEAR = 0.05
"""Most difference of an example's degree from the wanted one."""
LEFT, RIGHT = "{left}", "{right}"
PLACE = "the question stands here"
LONGEST = 400
"""Characters of a side that are asked about."""
_NO_WORDS = re.compile(r"[^\w\s'&.,/%+-]+")


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The text of a question, but for the words of a pair.

    Args:
        prefix: the part that all pairs share.
        tail: the rest, with LEFT and RIGHT in the places of the two sides.
    """

    prefix: str
    tail: str

    def write(self, pair: tuple[str, str]) -> str:
        """Write the tail for a pair; signs that could end the question are left out."""
        pieces = re.split(f"({re.escape(LEFT)}|{re.escape(RIGHT)})", self.tail)
        words = dict(zip((LEFT, RIGHT), map(clean_words, pair), strict=True))
        return "".join(words.get(piece, piece) for piece in pieces)


@dataclass(frozen=True, slots=True)
class QuestionTokens:
    """Questions about pairs as tokens; each tail has one at least."""

    prefix: tuple[int, ...]
    tails: tuple[tuple[int, ...], ...]


def clean_words(text: str) -> str:
    """Leave out signs that tokenizers or templates give a meaning, and what is too long."""
    return " ".join(_NO_WORDS.sub(" ", text).split())[:LONGEST].strip() or "nothing"


def tokenize_questions(
    tokenizer: Any, form: QuestionForm, pairs: Sequence[tuple[str, str]]
) -> QuestionTokens:
    """Tokenize the questions about pairs; the prefix apart from the tails."""
    prefix: tuple[int, ...] = ()
    if form.prefix:
        prefix = tuple(tokenize_texts(tokenizer, [form.prefix])[0])
    texts = [form.write(pair) for pair in pairs]
    tails = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
    return QuestionTokens(prefix, tuple(tuple(tail) for tail in tails))


def write_form(tokenizer: Any, wording: str, kind: JudgementSet) -> QuestionForm:
    """Write the form of a set's questions, in the chat template if there is one.

    Args:
        tokenizer: with or without a chat template.
        wording: the question, with the set's columns in braces.
        kind: the set; examples are taken from its training part.

    Raises:
        GroundingError: the chat template can't be used.
    """
    left, right = kind.columns
    question = wording.replace(f"{{{left}}}", LEFT).replace(f"{{{right}}}", RIGHT)
    bare = QuestionForm("", question)
    examples = "".join(
        f"{bare.write(example.pair)} {CUE} {round(100 * example.degree)}\n"
        for example in choose_examples(split(kind.judgements).training)
    )
    preamble = f"{TASK}{SCALE}Examples:\n{examples}" if examples else TASK + SCALE
    before, after = _apply_template(tokenizer, preamble)
    return QuestionForm(before, question + after + CUE)


def choose_examples(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Choose short judgements of many degrees, whose words stand in one example only.

    The choice depends on the judgements alone, by their hashes.
    """
    short = [j for j in judgements if len(j.item.split()) <= 2 and len(j.other.split()) <= 4]
    short.sort(key=lambda j: hashlib.sha256(f"example:{j.item}|{j.other}".encode()).digest())
    used: set[str] = set()
    chosen = []
    for degree in EXAMPLE_DEGREES:
        fitting = (
            j for j in short if abs(j.degree - degree) <= NEAR and not used & {j.item, j.other}
        )
        found = next(fitting, None)
        if found is not None:
            used |= {found.item, found.other}
            chosen.append(found)
    return chosen


class _WordingFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: dict[str, str]


def read_wordings(folders: Sequence[Path], sets: Mapping[str, JudgementSet]) -> dict[str, str]:
    """Read the wording of each set's question; a later folder overrules an earlier one.

    Raises:
        GroundingError: INVALID_OPTION, a file is wrong, or a wording lacks a column of its set.
    """
    given: dict[str, tuple[str, Path]] = {}
    for folder in folders:
        file = folder.expanduser() / FILE
        if file.is_file():
            given.update({name: (text, file) for name, text in _read_file(file).items()})
    wordings = {}
    for name, kind in sets.items():
        if name not in given:
            wordings[name] = _make_wording(kind)
            continue
        wordings[name], file = given[name]
        missing = [column for column in kind.columns if f"{{{column}}}" not in wordings[name]]
        if missing:
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"{file}: the question of {name} lacks {{{missing[0]}}}; its words are inserted "
                "there",
            )
    return wordings


def _make_wording(kind: JudgementSet) -> str:
    """Make the question of a set that nobody wrote one for."""
    left, right = kind.columns
    return f"How well does this fit ({kind.name})? {left}: {{{left}}}; {right}: {{{right}}}."


def _read_file(file: Path) -> dict[str, str]:
    try:
        return _WordingFile.model_validate(load_yaml(read_text(file))).questions
    except (FileError, TextError) as error:
        what = str(error)
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    raise GroundingError(
        GroundingCode.INVALID_OPTION,
        f"{file} can't be used: {what}; it maps 'questions' to one text for each set",
    )


def _apply_template(tokenizer: Any, preamble: str) -> tuple[str, str]:
    """Return the texts before and after the question."""
    if not getattr(tokenizer, "chat_template", None):
        return preamble, "\n"
    ways = (
        [{"role": "system", "content": preamble}, {"role": "user", "content": PLACE}],
        [{"role": "user", "content": f"{preamble}{PLACE}"}],  # some templates know no system
    )
    failure: Exception | None = None
    for messages in ways:
        try:
            text = tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        except Exception as error:  # a template is a program, which may raise anything
            failure = error
            continue
        before, found, after = str(text).partition(PLACE)
        if found:
            return before, after
    raise GroundingError(
        GroundingCode.NOT_A_MODEL,
        f"the chat template of the language model fails ({failure or 'it drops the question'}); "
        "repair chat_template in its tokenizer_config.json",
    )
