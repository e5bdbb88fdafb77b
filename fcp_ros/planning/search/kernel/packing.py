# SPDX-License-Identifier: Apache-2.0
"""States packed into 64-bit words, and effects as masks on those words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import FlatTask, Ints

Words = NDArray[np.uint64]
WORD = 64
"""Bits of a word."""


class Packing(NamedTuple):
    """The place of each variable, for n variables, W words and E effects.

    Attributes:
        goal_mask, goal_set: the bits of each word that the goal restricts, and their values,
            uint64[W]. A goal that asks for two values of one variable never holds; it is stored
            as a bit outside the mask that should be set.
    """

    word: Ints  # the word that holds a variable, int32[n]. No variable spans two words.
    shift: Words  # its lowest bit there, uint64[n]
    mask: Words  # the bits of its values before the shift, uint64[n]
    effect_word: Ints  # the word that an effect changes, int32[E]
    effect_keep: Words  # the bits of that word that it leaves alone, uint64[E]
    effect_set: Words  # the bits that it sets, uint64[E]
    # an odd number for each word, uint64[W]. The linear hash of a state is the sum of its words
    # times these, modulo 2^64, so that a change of one word updates it (multilinear hashing; Carter
    # and Wegman 1979).
    factor: Words
    goal_mask: Words
    goal_set: Words


def pack(task: FlatTask) -> Packing:
    """Give each variable as many bits as its values need, in the order of the variables."""
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
    nothing = np.zeros(0, np.uint64)
    packing = Packing(
        words,
        shifts,
        masks,
        words[variable],
        ~(masks[variable] << shifts[variable]),
        task.eff_val.astype(np.uint64) << shifts[variable],
        _draw_factors(current + 1),
        nothing,
        nothing,
    )
    goal_mask, goal_set = pack_goal(task, packing)
    return packing._replace(goal_mask=goal_mask, goal_set=goal_set)


@kernel
def mix_hash(linear: int) -> int:
    """Mix a linear hash, uint64, so that every bit of the result depends on all of its bits."""
    value = np.uint64(linear)
    value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    value ^= value >> np.uint64(29)
    return value  # type: ignore[no-any-return]


def pack_goal(task: FlatTask, packing: Packing) -> tuple[Words, Words]:
    """Pack the goal of a task into `goal_mask` and `goal_set`, by the places of its variables."""
    word, shift, mask = packing.word, packing.shift, packing.mask
    asked = dict(zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True))
    goal_mask, goal_set = np.zeros((2, int(word[-1]) + 1), np.uint64)
    for variable, value in asked.items():
        goal_mask[word[variable]] |= mask[variable] << shift[variable]
        goal_set[word[variable]] |= np.uint64(value) << shift[variable]
    if len(asked) < len(set(zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True))):
        goal_mask[0], goal_set[0] = 0, 1
    return goal_mask, goal_set


def _draw_factors(words: int) -> Words:
    """Draw the factors from a fixed seed: the same task hashes the same in every process."""
    drawn = np.random.default_rng(20_240_229).integers(0, 2**63, words, np.uint64)
    return np.asarray(drawn * np.uint64(2) + np.uint64(1), np.uint64)
