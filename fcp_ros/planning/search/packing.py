# SPDX-License-Identifier: Apache-2.0
"""States packed into 64-bit words, and effects as masks on those words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import FlatTask, Ints

Words = NDArray[np.uint64]
WORD = 64
"""Bits of a word."""


class Packing(NamedTuple):
    """Where each variable lies, for n variables, W words and E effects.

    Attributes:
        word: the word that a variable lies in, int32[n]. No variable lies in two words.
        shift: its lowest bit there, uint64[n].
        mask: the bits of its values, before they are shifted, uint64[n].
        effect_word: the word that an effect changes, int32[E].
        effect_keep: the bits of that word that it leaves alone, uint64[E].
        effect_set: the bits that it sets, uint64[E].
        factor: an odd number for each word, uint64[W]. The hash of a state is the sum of its words
            times these, so that it can be kept up to date when one word changes (multilinear
            hashing; Carter and Wegman 1979).
        goal_mask, goal_set: the bits of each word that the goal asks for, and what it asks them to
            be, uint64[W]. A goal that asks for two values of a variable never holds: bits outside
            the mask should be set.
    """

    word: Ints
    shift: Words
    mask: Words
    effect_word: Ints
    effect_keep: Words
    effect_set: Words
    factor: Words
    goal_mask: Words
    goal_set: Words


def pack(task: FlatTask) -> Packing:
    """Gives each variable as many bits as its values need, in the order of the variables."""
    word: list[int] = []
    shift: list[int] = []
    mask: list[int] = []
    current = used = 0
    for size in task.domain.tolist():
        bits = max(1, (size - 1).bit_length())
        if used + bits > WORD:
            current, used = current + 1, 0
        word.append(current)
        shift.append(used)
        mask.append((1 << bits) - 1)
        used += bits
    words = np.array(word, np.int32)
    shifts = np.array(shift, np.uint64)
    masks = np.array(mask, np.uint64)
    variable = task.eff_var
    return Packing(
        words,
        shifts,
        masks,
        words[variable],
        ~(masks[variable] << shifts[variable]),
        task.eff_val.astype(np.uint64) << shifts[variable],
        _factors(current + 1),
        *_goal(task, words, shifts, masks),
    )


def packed(packing: Packing, state: Ints) -> Words:
    """A state in words, uint64[W].

    Arguments:
        packing: where the variables lie.
        state: the value of each variable, int32[n].
    """
    words = np.zeros(len(packing.factor), np.uint64)
    np.bitwise_or.at(words, packing.word, state.astype(np.uint64) << packing.shift)
    return words


def unpacked(packing: Packing, words: Words) -> Ints:
    """The value of each variable, int32[n], from its words; the inverse of `packed`."""
    return ((words[packing.word] >> packing.shift) & packing.mask).astype(np.int32)


@kernel
def scramble(linear: int) -> int:
    """The hash that a linear sum of words stands for: every bit depends on all of its bits."""
    value = np.uint64(linear)
    value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    value ^= value >> np.uint64(29)
    return value  # type: ignore[no-any-return]


def _goal(task: FlatTask, word: Ints, shift: Words, mask: Words) -> tuple[Words, Words]:
    asked = dict(zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True))
    goal_mask, goal_set = np.zeros((2, int(word[-1]) + 1), np.uint64)
    for variable, value in asked.items():
        goal_mask[word[variable]] |= mask[variable] << shift[variable]
        goal_set[word[variable]] |= np.uint64(value) << shift[variable]
    if len(asked) < len(set(zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True))):
        goal_mask[0], goal_set[0] = 0, 1
    return goal_mask, goal_set


def _factors(words: int) -> Words:
    drawn = np.random.default_rng(20_240_229).integers(0, 2**63, words, np.uint64)
    return np.asarray(drawn * np.uint64(2) + np.uint64(1), np.uint64)
