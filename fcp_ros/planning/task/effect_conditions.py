# SPDX-License-Identifier: Apache-2.0
"""What conditional effects must not bring about: forbidden patterns, two facts of one leg.

A forbidden set of facts may be completed by what holds, what the operator adds and what its effects
add, in any mixture. Each mixture that needs an effect is a block of its own: it bites where the
effects in it happen and the rest of the set holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from fcp_ros.planning.task.task import Block, GroundEffect, Operator

Forbidden = tuple[frozenset[int], str]
"""Facts that must not newly hold together, and the name of the constraint; "" for a leg."""


def surely_deleted(operator: Operator, fact: int, effects: Iterable[GroundEffect] = ()) -> bool:
    """Whether a fact that holds is gone after the operator, given that the effects happen.

    So it is where the operator deletes it, or an effect that depends on nothing else.
    """
    given = {fact, *operator.pre}
    without: set[int] = set()
    for effect in effects:
        given.update(effect.pre)
        without.update(effect.absent)
    if fact in operator.add or any(fact in effect.add for effect in operator.effects):
        return False
    return fact in operator.delete or any(
        fact in effect.delete and given.issuperset(effect.pre) and without.issuperset(effect.absent)
        for effect in operator.effects
    )


def effect_blocks(operator: Operator, forbidden: Iterable[Forbidden]) -> Iterator[Block]:
    """Where the effects of an operator would newly complete one of the forbidden sets."""
    for facts, name in forbidden:
        needed = sorted(facts)
        for sources in product(*(_sources(operator, fact) for fact in needed)):
            block = _block(operator, needed, sources, name)
            if block is not None:
                yield block


_BY_OPERATOR = -1
_HELD = -2


def _sources(operator: Operator, fact: int) -> list[int]:
    """Whence a fact may come: numbers of effects, or one of the above."""
    if fact in operator.add:
        return [_BY_OPERATOR]
    effects = [number for number, effect in enumerate(operator.effects) if fact in effect.add]
    return effects if fact in operator.delete else [_HELD, *effects]


def _block(
    operator: Operator, needed: Sequence[int], sources: Sequence[int], name: str
) -> Block | None:
    numbers = sorted({source for source in sources if source >= 0})
    effects = [operator.effects[number] for number in numbers]
    held = [fact for fact, source in zip(needed, sources, strict=True) if source == _HELD]
    if not effects or any(surely_deleted(operator, fact, effects) for fact in held):
        return None
    rest = {*held, *(fact for effect in effects for fact in effect.pre)}
    absent = {fact for effect in effects for fact in effect.absent}
    fresh = tuple(fact for fact in needed if fact not in rest)
    if not fresh or not rest.isdisjoint(absent):
        return None
    return Block(tuple(sorted(rest)), fresh, name, tuple(sorted(absent)))
