# SPDX-License-Identifier: Apache-2.0
"""Abstract steps that no sample shows, but that improve the order of features as known ones do.

A small sample lacks combinations: debarking the last but one car at a place where others wait. A
step may be tried if a known rule leads with the same improvement, the features before it in the
order stay as they are, each feature stays as it is or changes as some sampled step of the rule
changes it, and no sampled step of this kind is refused. It improves the order, so the policy still
terminates; that it does no harm is a guess, so these steps are tried last.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

Row = tuple[bool, ...]
"""The truth of each feature."""
Changes = tuple[int, ...]
"""The sign of the change of each feature."""

MOST_FEATURES = 6  # with more, there are too many combinations


def extrapolate_steps(
    order: Sequence[tuple[int, int]],
    boolean: Sequence[bool],
    known: Mapping[tuple[Row, Changes], Collection[str]],
    refused: Collection[tuple[Row, Changes]],
    seen: Mapping[str, Sequence[Collection[int]]],
) -> Iterator[tuple[Row, Changes, tuple[str, ...]]]:
    """Yield steps that are not known, fewest changes first, with the rules to try.

    Args:
        order: (feature, direction): 1 for a number to decrease or a boolean to be cleared, -1 for
            it to be set.
        boolean: per feature True if it is a boolean.
        known: good steps with their rules.
        refused: sampled steps that are not good.
        seen: per rule and feature the signs of changes that some sampled step of the rule has.
    """
    if len(boolean) > MOST_FEATURES:
        return
    leading: dict[int, dict[str, None]] = {}
    for (_, changes), rules in known.items():
        lead = find_lead(order, changes)
        if lead is not None:
            leading.setdefault(lead, {}).update(dict.fromkeys(rules))
    found: dict[tuple[Row, Changes], dict[str, None]] = {}
    for lead, rules in leading.items():
        for rule in rules:
            for changes in itertools.product(*(sorted({0, *signs}) for signs in seen[rule])):
                if find_lead(order, changes) == lead:
                    for row in itertools.product((False, True), repeat=len(boolean)):
                        if is_possible(row, changes, boolean):
                            found.setdefault((row, changes), {})[rule] = None
    steps = [
        (*step, tuple(rules))
        for step, rules in found.items()
        if step not in known and step not in refused
    ]
    yield from sorted(steps, key=lambda step: sum(map(abs, step[1])))


def find_lead(order: Sequence[tuple[int, int]], changes: Changes) -> int | None:
    """Return the place in the order of the first feature that changes, if it is improved."""
    for place, (feature, direction) in enumerate(order):
        if changes[feature]:
            return place if direction * changes[feature] < 0 else None
    return None


def is_possible(row: Row, changes: Changes, boolean: Sequence[bool]) -> bool:
    """Return True if what is to become less is more than nothing, and what is set is false."""
    return all(
        (change >= 0 or true) and (change <= 0 or not (is_boolean and true))
        for true, change, is_boolean in zip(row, changes, boolean, strict=True)
    )
