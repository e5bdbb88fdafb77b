# SPDX-License-Identifier: Apache-2.0
"""The arrays of a flat task, filled in bulk; the twin `FlatBuilder` also checks its input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.encoding.merge import Entry
from fcp_ros.planning.flat.axioms import FlatAxiom, pack_axioms
from fcp_ros.planning.flat.builder import Assignment, FlatResource
from fcp_ros.planning.flat.task import FlatTask, Ints


def make_flat_task(
    domain: Sequence[int],
    initial: Sequence[int],
    goal: Sequence[Assignment],
    entries: Sequence[Entry],
    pools: Sequence[FlatResource],
    clock: int,
    axioms: Sequence[FlatAxiom] = (),
) -> FlatTask:
    """Make the flat task of some entries, all with loss 0; arguments as of `FlatBuilder`."""
    bodies = [entry.body for entry in entries]
    effects = [effect for body in bodies for effect in body.effects]
    blocks = [block for body in bodies for block in body.blocks]
    conditional = any(effect.equal or effect.unequal for effect in effects)
    conditions = [(*e.equal, *e.unequal) for e in effects] if conditional else [()] * len(effects)
    negative = (
        [sign for e in effects for sign in (*(0 for _ in e.equal), *(1 for _ in e.unequal))]
        if conditional
        else []
    )
    effect_values = _pairs([(effect.variable, effect.value) for effect in effects])
    return FlatTask(
        np.array(domain, np.int32),
        np.array(initial, np.int32),
        *_pairs(goal),
        *_table([body.pre for body in bodies]),
        *_table([body.unequal for body in bodies]),
        _starts([len(body.effects) for body in bodies]),
        *effect_values,
        *_table(conditions),
        np.array(negative, np.uint8),
        _starts([len(body.blocks) for body in bodies]),
        *_table([block.rest for block in blocks]),
        *_table([block.done for block in blocks]),
        np.zeros(len(entries), np.float64),
        np.array([entry.cost for entry in entries], np.float64),
        _uses([entry.use for entry in entries], len(pools)),
        np.array([pool.amount for pool in pools], np.float64),
        np.array([pool.low for pool in pools], np.float64),
        np.array([pool.high for pool in pools], np.float64),
        clock,
        np.array([entry.opens for entry in entries], np.float64),
        np.array([entry.closes for entry in entries], np.float64),
        pack_axioms(axioms, len(domain)),
    )


def _uses(uses: Sequence[tuple[float, ...]], pools: int) -> NDArray[np.float64]:
    if not pools:
        return np.zeros((len(uses), 0), np.float64)
    return np.array(uses, np.float64).reshape(len(uses), pools)


def _starts(lengths: Sequence[int]) -> Ints:
    starts = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(np.array(lengths, np.int32), out=starts[1:])
    return starts


def _pairs(assignments: Iterable[Assignment]) -> tuple[Ints, Ints]:
    both = np.array(list(chain.from_iterable(assignments)), np.int32).reshape(-1, 2)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


def _table(rows: Sequence[Sequence[Assignment]]) -> tuple[Ints, Ints, Ints]:
    return (_starts(list(map(len, rows))), *_pairs(chain.from_iterable(rows)))
