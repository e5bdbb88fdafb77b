# SPDX-License-Identifier: Apache-2.0
"""Random flat tasks whose goal takes several steps that help each other: many goals, chains, paths.

`random_flat_tasks` has everything in it, but most of its goals are one step away or out of reach.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.builder import FlatBlock, FlatBuilder, FlatEffect, FlatOperator

WEIGHTS = (0.0, 0.0, 0.125, 0.25, 0.5, 1.0)


def connected_task(seed, variables=4, values=3, operators=14, plain=False):
    """A task drawn with a seed: operators move one variable (or two) and ask for others.

    Arguments:
        plain: no conditional effects, no unequal conditions, no blocks.
    """
    draw = np.random.default_rng(seed)

    def value():
        return int(draw.integers(values))

    def others(var, most):
        chosen = draw.permutation([v for v in range(variables) if v != var])
        return [(int(v), value()) for v in chosen[: draw.integers(most + 1)]]

    def operator():
        var = int(draw.integers(variables))
        old = value()
        new = (old + int(draw.integers(1, values))) % values
        pre = [(var, old)] if draw.random() < 0.8 else []
        needs = others(var, 2)
        excluded, conditional, blocks = [], [], ()
        effects = [FlatEffect(var, new)]
        if draw.random() < 0.4:
            extra, at = others(var, 1) or [(var, new)], value()
            effects += [FlatEffect(extra[0][0], at)]
        if not plain:
            if draw.random() < 0.4 and needs:
                excluded, needs = needs[:1], needs[1:]
            if draw.random() < 0.4:
                target = int(draw.integers(variables))
                conditional = [
                    FlatEffect(target, value(), tuple(others(target, 1)), ())
                    if draw.random() < 0.5
                    else FlatEffect(target, value(), (), tuple(others(target, 1)))
                ]
            if draw.random() < 0.2:
                blocks = (FlatBlock(tuple(others(var, 1)), ((var, new),)),)
        return FlatOperator(
            tuple(pre + needs),
            tuple(excluded),
            tuple(effects + conditional),
            blocks,
            float(draw.choice(WEIGHTS)),
            float(draw.choice([0.0, 1.0, 1.0, 2.0, 3.5])),
        )

    return FlatBuilder(
        [values] * variables,
        [0] * variables,
        [(var, values - 1) for var in range(variables) if var == 0 or draw.random() < 0.7],
        [operator() for _ in range(operators)],
    ).build()


def tangled_task(seed):
    """A task drawn with a seed: flags that are never taken back, operators that set several."""
    draw = np.random.default_rng(seed)
    flags = int(draw.integers(6, 12))

    def some(low, high):
        return [(int(flag), 1) for flag in draw.permutation(flags)[: draw.integers(low, high)]]

    operators = [
        FlatOperator(
            tuple(some(0, 3)),
            (),
            tuple(FlatEffect(flag, 1) for flag, _ in some(1, 4)),
            (),
            float(draw.integers(0, 9)) / 8.0,
        )
        for _ in range(draw.integers(6, 16))
    ]
    return FlatBuilder([2] * flags, [0] * flags, some(1, 5), operators).build()
