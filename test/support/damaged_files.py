# SPDX-License-Identifier: Apache-2.0
"""Truncated, bit-flipped and otherwise damaged copies of a file, the same ones in every run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from effort import scaled

from fcp_ros.scene import SceneError, SceneGraph, SceneLimits, complete_relations, read_scene

LIMITS = SceneLimits(max_nodes=20_000, max_bytes=16 * 1024 * 1024)

COPIES = scaled(240, quick=24)
"""Damaged copies of a file, by the profile; at least three for each of the `WAYS`."""


def damaged(content: bytes, count: int = COPIES, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """`count` damaged copies, each with a word for what was done to it.

    Args:
        content: what the whole file holds.
        count: number of copies, dealt evenly to the ways of damaging.
        seed: of the random places.
    """
    chance = random.Random(seed)
    for number in range(count):
        damage = WAYS[number % len(WAYS)]
        yield f"{number} ({damage.__name__.strip('_')})", damage(content, chance)


def _truncated(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def _one_bit_flipped(content: bytes, chance: random.Random) -> bytes:
    return _flipped(content, chance, 1)


def _bits_flipped(content: bytes, chance: random.Random) -> bytes:
    return _flipped(content, chance, chance.randint(2, 40))


def _flipped(content: bytes, chance: random.Random, times: int) -> bytes:
    changed = bytearray(content)
    for _ in range(times):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _run_overwritten(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.randint(1, 64)
    filler = bytes([chance.choice((0, 255, 48, 57, 123, 93))]) * length
    return content[:start] + filler + content[start + length :]


def _piece_lost(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.randint(1, 200)
    return content[:start] + content[start + length :]


def _piece_doubled(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.randint(1, 200)
    return content[: start + length] + content[start:]


def _number_exchanged(content: bytes, chance: random.Random) -> bytes:
    """A digit becomes a monster: 1e999, a minus, a huge whole number, NaN, null."""
    digits = [place for place, byte in enumerate(content) if 48 <= byte <= 57]
    if not digits:
        return _flipped(content, chance, 1)
    place = chance.choice(digits)
    monster = chance.choice((b"1e999", b"-9", b"99999999999999999999", b"NaN", b"null", b'""'))
    return content[:place] + monster + content[place + 1 :]


def _word_exchanged(content: bytes, chance: random.Random) -> bytes:
    """Two pieces of equal length change places: keys, ids and values get mixed up."""
    length = chance.randint(1, 16)
    if len(content) < 2 * length + 2:
        return content[::-1]
    a = chance.randrange(len(content) - 2 * length)
    b = chance.randrange(a + length, len(content) - length + 1)
    one, two = content[a : a + length], content[b : b + length]
    return content[:a] + two + content[a + length : b] + one + content[b + length :]


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _truncated,
    _one_bit_flipped,
    _bits_flipped,
    _run_overwritten,
    _piece_lost,
    _piece_doubled,
    _number_exchanged,
    _word_exchanged,
)


def read_or_refuse(path: Path) -> SceneGraph | SceneError:
    """What reading and completing a damaged file gives; any other exception is a failed test.

    A refusal must name the file; a graph is valid by construction (`SceneGraph` checks itself).
    """
    try:
        return complete_relations(read_scene(path, limits=LIMITS))
    except SceneError as error:
        refusal = error
    assert path.name in str(refusal) or str(path.parent) in str(refusal), str(refusal)
    return refusal
