# SPDX-License-Identifier: Apache-2.0
"""Several flat operators, one after the other, as one: the composed span over variables.

The concurrency theorem of graph rewriting (Ehrig, Ehrig, Prange, Taentzer, *Fundamentals of
Algebraic Graph Transformation*, 2006, theorem 5.23) on a finite-domain task, where it is plain
substitution: a condition on a variable that an earlier step has set is decided; the rest become
conditions on the initial state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fcp_ros.planning.flat.builder import Assignment, Body, FlatBlock, FlatEffect


class BodyComposition:
    """The conditions of bodies, one after the other, on the initial state, and their effects."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._pre: dict[int, int] = {}
        self._unequal: dict[int, set[int]] = {}
        self._now: dict[int, int] = {}  # the values that are known after the bodies so far
        self._blocks: dict[FlatBlock, None] = {}

    def copy(self) -> BodyComposition:
        """Return a copy that can be extended in another way."""
        other = BodyComposition(self._sizes)
        other._pre = dict(self._pre)
        other._unequal = {variable: set(values) for variable, values in self._unequal.items()}
        other._now = dict(self._now)
        other._blocks = dict(self._blocks)
        return other

    def take(self, body: Body) -> bool:
        """Append a body.

        Returns:
            False if that is impossible in every initial state, or if its effects depend on the
            initial state (an undecided conditional effect). The composition is then unusable.
        """
        return (
            all(self._require(place) for place in body.pre)
            and all(self._require_not(place) for place in body.unequal)
            and all(self._require_unblocked(block) for block in body.blocks)
            and self._change(body.effects)
        )

    def body(self) -> Body:
        """Return the composed body: applicable exactly if the bodies are in turn."""
        unequal = (
            (variable, value)
            for variable, values in self._unequal.items()
            if variable not in self._pre
            for value in values
        )
        effects = (
            FlatEffect(variable, value)
            for variable, value in sorted(self._now.items())
            if self._pre.get(variable) != value
        )
        return Body(
            tuple(sorted(self._pre.items())),
            tuple(sorted(unequal)),
            tuple(effects),
            tuple(self._blocks),
        )

    def _holds(self, place: Assignment) -> bool | None:
        """Return True if variable = value now; None if that depends on the initial state."""
        variable, value = place
        known = self._now.get(variable)
        if known is not None:
            return known == value
        if self._sizes[variable] == 1:
            return True
        return False if value in self._unequal.get(variable, ()) else None

    def _require(self, place: Assignment) -> bool:
        holds = self._holds(place)
        if holds is None:
            variable, value = place
            self._pre[variable] = self._now[variable] = value
        return holds is not False

    def _require_not(self, place: Assignment) -> bool:
        holds = self._holds(place)
        if holds is None:
            self._unequal.setdefault(place[0], set()).add(place[1])
        return holds is not True

    def _require_unblocked(self, block: FlatBlock) -> bool:
        """Require that a block does not apply; return False if that is impossible."""
        if any(self._holds(place) is False for place in block.rest):
            return True
        rest = tuple(place for place in block.rest if self._holds(place) is None)
        done = tuple(place for place in block.done if self._holds(place) is None)
        undone = any(self._holds(place) is False for place in block.done)
        if not undone and not done:
            return True
        if not rest:
            return not undone and all(self._require(place) for place in done)
        if not undone:
            self._blocks[FlatBlock(rest, done)] = None
        elif len(rest) == 1:
            return self._require_not(rest[0])
        else:
            # At least one of the rest must not hold: a `done` that contradicts the rest says so.
            variable, value = rest[0]
            other = (value + 1) % self._sizes[variable]
            self._blocks[FlatBlock(rest, ((variable, other),))] = None
        return True

    def _change(self, effects: Iterable[FlatEffect]) -> bool:
        """Write the effects; return False if one is undecided.

        All conditions are read before anything is written; a later effect wins.
        """
        written: dict[int, int] = {}
        for effect in effects:
            holds = [self._holds(place) for place in effect.equal]
            absent = [self._holds(place) for place in effect.unequal]
            if False in holds or True in absent:
                continue
            if None in holds or None in absent:
                return False
            written[effect.variable] = effect.value
        self._now.update(written)
        return True


def compose_bodies(bodies: Sequence[Body], sizes: Sequence[int]) -> Body | None:
    """Compose several bodies to one; None if that is impossible (see `BodyComposition.take`)."""
    whole = BodyComposition(sizes)
    return whole.body() if all(whole.take(body) for body in bodies) else None
