# SPDX-License-Identifier: Apache-2.0
"""The probability that a part of an instruction asks for nothing: a logistic regression.

It weighs the place of the part in the tree and the vector of its words by the sentence encoder. It
was taught by labelled parts: reasons, small talk and hedges against parts that restrict, negate,
add a demand or name another thing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.datasheet import Datasheet, read_arrays, take_array, write_arrays
from fcp_ros.language.english.turning_words import NEGATIVES
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.statements import SPEAKERS
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

Array = NDArray[np.float64]
_ROLES = sorted(
    gather_words(
        "ROOT advcl ccomp parataxis conj dep relcl acl xcomp prep pobj dobj nsubj npadvmod advmod "
        "amod appos intj det nummod compound attr acomp csubj mark cc prt pcomp dative agent poss "
        "oprd nmod meta quantmod predet preconj"
    )
)
_TAGS = sorted(
    gather_words("VBD VBZ VBP VB VBG VBN MD NN NNS NNP JJ RB UH IN PRP CD DT W TO other")
)
_FINER = {"JJR": "JJ", "JJS": "JJ", "RBR": "RB", "RBS": "RB", "RP": "RB", "NNPS": "NNP"}
_SUBJECTS = sorted(gather_words("none inserted speaker you thing person indefinite noun"))
_YOU = frozenset(["you", "u"])
_THING = frozenset(["it", "this", "that", "there", "what"])
_PERSON = frozenset(["he", "she", "they"])
_INDEFINITE = gather_words("one somebody someone nobody everybody everyone anybody anyone")
_WISHING = gather_words("want need like would wish prefer love")
_OWN = SPEAKERS | frozenset(["my", "me", "our", "us"])
_POINTING = frozenset(["it", "them", "that", "those"])
_PAUSES, _STOPS = frozenset(",:;-"), frozenset(".!?")
_COUNTS = ("nouns", "adjectives", "adverbs")
_FLAGS = (
    "first",
    "last",
    "pause before",
    "pause behind",
    "stop before",
    "stop behind",
    "whole clause",
    "root",
    "verb",
    "finite verb",
    "base verb",
    "negated",
    "modal",
    "wish",
    "question word",
    "article",
    "pointing",
    "speaker",
    "addressed",
    "mark",
    "below a verb",
    "preposition alone",
    "to",
)
FEATURES = (
    *(f"role {role}" for role in _ROLES),
    *(f"tag {tag}" for tag in _TAGS),
    *(f"subject {subject}" for subject in _SUBJECTS),
    "words",
    *_COUNTS,
    *_FLAGS,
)


@dataclass(frozen=True, slots=True)
class DescribedPart:
    """Some words of an instruction, as a model sees them."""

    text: str  # the words, without marks
    features: Array  # of each of `FEATURES`


def describe_part(
    tree: Tree, tokens: frozenset[int], clauses: Sequence[frozenset[int]]
) -> DescribedPart:
    """Describe some tokens of an instruction.

    Args:
        tree: of the whole instruction.
        tokens: at least one of them is in the tree.
        clauses: the tokens of each clause that stands beside others.
    """
    said = {word.token: word for word in tree.words if not word.is_inserted}
    words = [said[token] for token in sorted(tokens) if token in said]
    spoken = [word for word in words if word.role != "punct"]
    top = find_top(words)
    values = dict.fromkeys(FEATURES, 0.0)
    for name in (
        f"role {top.role}",
        f"tag {_name_tag(top)}",
        f"subject {_name_subject(tree, top)}",
    ):
        if name in values:
            values[name] = 1.0
    values["words"] = math.log(len(spoken) + 0.5) / 2
    for name, tag in zip(_COUNTS, ("NN", "JJ", "RB"), strict=True):
        values[name] = min(3, sum(word.tag.startswith(tag) for word in words)) / 2
    flags = (
        *_find_bounds(words, said),
        any(clause and clause <= tokens for clause in clauses),
        *_find_flags(tree, top, words),
    )
    values.update({name: float(flag) for name, flag in zip(_FLAGS, flags, strict=True)})
    return DescribedPart(" ".join(word.text for word in spoken), np.array([*values.values()]))


def find_top(words: Sequence[Word]) -> Word:
    """Return the first word whose head is not among them."""
    inner = {word.place for word in words}
    found = (word for word in words if word.head not in inner or word.head == word.place)
    return next(found, words[0])


def _name_tag(word: Word) -> str:
    if word.tag.startswith("W"):
        return "W"
    tag = _FINER.get(word.tag, word.tag)
    return tag if tag in _TAGS else "other"


def _name_subject(tree: Tree, verb: Word) -> str:
    """Name the kind of the subject of a word."""
    subject = tree.find_child(verb.place, *SUBJECTS)
    if subject is None:
        return "none"
    if subject.is_inserted:
        return "inserted"
    kinds = (("speaker", SPEAKERS), ("you", _YOU), ("thing", _THING), ("person", _PERSON))
    for name, listed in kinds:
        if subject.text in listed:
            return name
    pronoun = subject.tag in ("PRP", "DT", "CD") or subject.text in _INDEFINITE
    return "indefinite" if pronoun else "noun"


def _find_bounds(words: Sequence[Word], said: dict[int, Word]) -> tuple[bool, ...]:
    """Return the flags of what stands around a part: ends of the text, pauses, stops."""
    first, last = words[0], words[-1]
    before, behind = said.get(first.token - 1), said.get(last.token + 1)
    while behind is not None and behind.role == "cc":
        behind = said.get(behind.token + 1)
    return (
        first.token == min(said),
        last.token >= max(said) - 1,
        (before is not None and before.text in _PAUSES) or first.text in _PAUSES,
        (behind is not None and behind.text in _PAUSES) or last.text in _PAUSES,
        before is None or before.text in _STOPS,
        behind is None or behind.text in _STOPS,
    )


def _find_flags(tree: Tree, top: Word, words: Sequence[Word]) -> tuple[bool, ...]:
    """Return the flags of what is in a part."""
    texts, tags = {word.text for word in words}, {word.tag for word in words}
    return (
        top.head == top.place,
        any(word.is_verb for word in words),
        bool(tags & {"VBD", "VBZ", "VBP", "MD"}),
        "VB" in tags,
        bool(texts & NEGATIVES),
        "MD" in tags,
        bool(texts & _WISHING),
        any(tag.startswith("W") for tag in tags),
        "the" in texts,
        bool(texts & _POINTING),
        bool(texts & _OWN),
        bool(texts & {"you", "your"}),
        any(word.role == "mark" for word in words),
        top.head != top.place and tree.words[top.head].is_verb,
        len(words) == 1 and words[0].tag in ("IN", "RP"),
        "TO" in tags,
    )


Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns the unit vectors of texts, one a row."""
TEXT_SCALE = 3.0
"""Factor of the vectors beside the features, whose squares sum up to about nine."""
LEAST_IDLE = 0.5
"""Probability from which on a part is left out of a reading that is asked about.

Of 1,130 sentences of others, none of them trained on, the partial readings that this completes (of
two readers, of which one is gone) were right in 8 of 8; from 0.4 on in 12 of 14, without the bound
on the rest (`LEAST_REST`) in 13 of 14.
"""
PACKAGED_FILE = Path(__file__).with_name("remarks.safetensors")
"""Weights trained on the parts of `rows.yaml`."""
FORMAT = "fcp_ros remarks 1"
_KIND = "remarks"
NO_TEXT = "something"
"""Stands for a part that has no words."""


@dataclass(frozen=True)
class RemarkWeights:
    """Weights that training finds."""

    features: Array  # of each of `parts.FEATURES`
    text: Array  # of each dimension of the encoder's vectors
    bias: float
    encoder: str  # fingerprint of the weights of the sentence encoder


class RemarkModel:
    """Rates parts of instructions.

    Args:
        encode: the sentence encoder that the weights were trained with.
    """

    def __init__(self, weights: RemarkWeights, encode: Encode) -> None:
        self._weights = weights
        self._encode = encode

    def rate(self, parts: Sequence[DescribedPart]) -> list[float]:
        """Return the probability of each part that leaving it out changes nothing."""
        if not parts:
            return []
        weights = self._weights
        inputs = join_inputs(parts, self._encode)
        scores = inputs @ np.concatenate([weights.features, weights.text, [weights.bias]])
        return [float(chance) for chance in 1.0 / (1.0 + np.exp(-scores))]


def join_inputs(parts: Sequence[DescribedPart], encode: Encode) -> Array:
    """Join features, scaled vectors and a one, shape (parts, features + dimension + 1)."""
    vectors = np.asarray(encode([part.text or NO_TEXT for part in parts]), np.float64)
    features = np.stack([part.features for part in parts])
    return np.hstack([features, TEXT_SCALE * vectors, np.ones((len(parts), 1))])


def save_weights(weights: RemarkWeights, datasheet: Datasheet, file: Path) -> None:
    """Write a file of weights.

    Raises:
        InputError: it can't be written.
    """
    text = {
        "format": FORMAT,
        "encoder": weights.encoder,
        "features": list(FEATURES),
        **datasheet.to_json(),
    }
    arrays = {
        "features": weights.features.astype(np.float32),
        "text": weights.text.astype(np.float32),
        "bias": np.array([weights.bias], np.float32),
    }
    write_arrays(arrays, _KIND, text, file)


def load_weights(file: Path = PACKAGED_FILE) -> tuple[RemarkWeights, Datasheet]:
    """Read a file of weights.

    Raises:
        InputError: it can't be read, or holds something else; the message says what to do.
    """
    try:
        arrays, text = read_arrays(file, _KIND, FORMAT)
        if text["features"] != list(FEATURES):
            raise ValueError("its features are not those of this version")
        weights = RemarkWeights(
            take_array(arrays, "features", (len(FEATURES),), np.float64),
            take_array(arrays, "text", (-1,), np.float64),
            float(take_array(arrays, "bias", (1,), np.float64)[0]),
            str(text["encoder"]),
        )
        return weights, Datasheet.from_json(text)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(
            f"{file} holds no weights of the model of remarks ({error}); "
            "train it again with `fcp language train-remarks`"
        ) from error
