# SPDX-License-Identifier: Apache-2.0
"""The features of a pair that a head sees: hidden states of a language model, fewer of them.

The states of the question about the pair (hidden_states.py) are shifted and projected to the
principal directions of the questions of the training.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.grounding.heads.hidden_states import (
    StatePlaces,
    StateReader,
    load_state_reader,
    load_tokenizer,
    read_width,
)
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.judgement_set import Judgement, JudgementSet, split
from fcp_ros.grounding.language_model.rubric_prompt import tokenize_texts
from fcp_ros.grounding.models.model_folder import (
    check_model_folder,
    compute_fingerprint,
    compute_weights_fingerprint,
)
from fcp_ros.grounding.options import Device, Precision

FILE = "questions.yaml"
TASK = "You judge for a service robot. Give one score from 0 to 100.\n"
SCALE = (
    "100: as good as made for it; nobody minds. 75: does it, with a small loss. 50: does the main "
    "part, in a pinch. 25: hardly, or at a price. 0: not at all, or only by ruining something.\n"
)
CUE = "Score:"
EXAMPLE_DEGREES = (0.9, 0.5, 0.0, 0.75, 0.3, 1.0, 0.15, 0.6, 0.05, 0.85, 0.4, 0.7)
NEAR = 0.05  # Most difference of an example's degree from the wanted one
LEFT, RIGHT = "{left}", "{right}"
PLACE = "the question stands here"
LONGEST = 400  # Characters of a side that are asked about
_NO_WORDS = re.compile(r"[^\w\s'&.,/%+-]+")


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The text of a question, but for the words of a pair."""

    prefix: str  # the part that all pairs share
    tail: str  # the rest, with LEFT and RIGHT in the places of the two sides

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

    `wording` has the set's columns in braces; examples come from its training part.
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
    """Choose short judgements of many degrees, each word in one only, by their hashes alone."""
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
    """Read the wording of each set's question, with its columns; a later folder overrules."""
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


# --- the features of a pair that a head sees ---

Array = NDArray[np.float32]
Pairs = Sequence[tuple[str, str]]
ReadStates = Callable[[QuestionForm, Pairs], Array]
"""Returns the states of the questions about pairs, one pair a row."""


class StateEncoder:
    """Reads the states of questions by the model of a folder, loaded at the first of them."""

    def __init__(
        self, folder: Path, device: Device = Device.AUTO, precision: Precision = Precision.AUTO
    ) -> None:
        self.folder = check_model_folder(folder)
        self.model = compute_fingerprint(self.folder)
        self._device = device
        self._precision = precision
        self._loaded: dict[StatePlaces, StateReader] = {}
        self._tokenizer: Any = None
        self._lock = threading.Lock()

    @property
    def weights(self) -> str:
        """Fingerprint of the weights, which heads are trained for."""
        return compute_weights_fingerprint(self.folder)

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return bool(self._loaded)

    @property
    def width(self) -> int:
        """Numbers of a token's state."""
        return read_width(self.folder)

    def load_tokenizer(self) -> Any:
        """Load the model's tokenizer, once."""
        if self._tokenizer is None:
            self._tokenizer = load_tokenizer(self.folder)
        return self._tokenizer

    def make_reading(self, places: StatePlaces) -> ReadStates:
        def read(form: QuestionForm, pairs: Pairs) -> Array:
            with self._lock:
                tokens = tokenize_questions(self.load_tokenizer(), form, pairs)
                return self._load(places).read(tokens.prefix, tokens.tails)

        return read

    def _load(self, places: StatePlaces) -> StateReader:
        """Load the model up to the last of some places, once."""
        if places not in self._loaded:
            self._loaded[places] = load_state_reader(
                self.folder, self._device, self._precision, places
            )
        return self._loaded[places]


@dataclass(frozen=True, slots=True)
class StateReduction:
    """A shift and a projection of states."""

    mean: Array  # shape (states,)
    # on each state, shape (states,), such that the features of a pair have a mean squared length of
    # about 1
    factor: Array
    projection: Array  # shape (states, features)

    def apply(self, states: Array) -> Array:
        """Reduce states, shape (pairs, states), to features."""
        return np.asarray(((states - self.mean) * self.factor) @ self.projection, np.float32)


@dataclass(frozen=True, slots=True)
class StateFeatures:
    """The features of the pairs of one set."""

    read: ReadStates
    form: QuestionForm
    reduction: StateReduction

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each block: there is one block."""
        return (self.reduction.projection.shape[1],)

    @property
    def sides(self) -> tuple[bool, ...]:
        """No block holds both sides."""
        return (False,)

    def compute(self, pairs: Pairs) -> Array:
        return self.reduction.apply(self.read(self.form, pairs))

    def compare(self, pairs: Pairs) -> Array:
        """Return zeros: there is no cosine of the two sides."""
        return np.zeros(len(pairs), np.float32)
