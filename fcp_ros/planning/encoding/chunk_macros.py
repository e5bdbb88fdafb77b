# SPDX-License-Identifier: Apache-2.0
"""Chunks as operators: each sequence of flat operators that fits a chunk becomes one more operator.

A macro is applicable exactly in the states in which its steps are applicable in turn (see
`BodyComposition`), with two exceptions. It is not made if one operator can't say that: for a
conditional effect that depends on the initial state, and for a resource from which some steps take
and to which others give. And it may be applicable in fewer states if a step would have to wait for
its window after another one. Its steps stay operators of their own, so no plan is lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.domain.model import Chunk
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.encoding.encode import Entry, MacroMaker
from fcp_ros.planning.encoding.encoding import FlatAction
from fcp_ros.planning.flat.builder import Assignment, Body, FlatBlock, FlatEffect, FlatResource
from fcp_ros.planning.model.chunks import find_chunk_atoms
from fcp_ros.planning.model.ground_step import GroundStep


@dataclass(frozen=True, slots=True)
class MacroOptions:
    """Limits on the number of macros."""

    most_of_chunk: int = 500
    most: int = 2000
    tries: int = 20_000


def bind_macro_maker(
    chunks: Sequence[Chunk],
    options: MacroOptions | None = None,
    check: Check = never_stop,
) -> MacroMaker:
    """Bind chunks to the maker of macros that `EncodeOptions.macros` takes.

    It makes one entry for each macro: `action.steps` are its steps, `action.chunk` the chunk's
    name; its cost and use are the sums of theirs; its graded atoms judge the chunk, or its steps.
    """
    limits = options or MacroOptions()

    def make(
        entries: Sequence[Entry],  # each of one ground step (before any are merged)
        sizes: Sequence[int],
        pools: Sequence[FlatResource],
        clock: int,  # number of the one that counts time, or -1
    ) -> list[Entry]:
        index = _Index(entries)
        made: list[Entry] = []
        for chunk in chunks:
            search = _ChunkSearch(chunk, index, sizes, limits.tries, check)
            count = 0
            for binding, parts, whole in search.find_sequences():
                if count >= limits.most_of_chunk or len(made) >= limits.most:
                    break
                entry = _make_macro(chunk, binding, parts, whole, pools, clock)
                if entry is not None:
                    made.append(entry)
                    count += 1
        return made

    return make


def label_steps(actions: Iterable[FlatAction]) -> tuple[str, ...]:
    """Return the label of each step of the actions, in order (`PlanStep.chunk`).

    It is the name of the chunk, with a number from its second use on ("fetch", "fetch 2"); it is
    empty for a step that belongs to none.
    """
    uses: dict[str, int] = {}
    labels: list[str] = []
    for action in actions:
        label = action.chunk
        if label:
            uses[label] = uses.get(label, 0) + 1
            label = label if uses[label] == 1 else f"{label} {uses[label]}"
        labels.extend([label] * len(action.steps))
    return tuple(labels)


class _Index:
    """Entries by rule, and by rule and the element at an argument."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._of_rule: dict[str, list[Entry]] = {}
        self._of_argument: dict[tuple[str, int, str], list[Entry]] = {}
        for entry in entries:
            if len(entry.action.steps) != 1 or entry.action.recall is not None:
                continue
            (step,) = entry.action.steps
            self._of_rule.setdefault(step.rule.name, []).append(entry)
            for position, element in enumerate(step.arguments):
                key = (step.rule.name, position, element)
                self._of_argument.setdefault(key, []).append(entry)

    def find_fitting(
        self, rule: str, parameters: Sequence[str], binding: dict[str, str]
    ) -> Iterator[tuple[Entry, dict[str, str]]]:
        bound = [(i, binding[name]) for i, name in enumerate(parameters) if name in binding]
        lists = [self._of_argument.get((rule, i, element), []) for i, element in bound]
        for entry in min(lists, key=len) if lists else self._of_rule.get(rule, []):
            arguments = entry.action.steps[0].arguments
            extended = {**binding, **dict(zip(parameters, arguments, strict=True))}
            agrees = all(arguments[i] == element for i, element in bound)
            if agrees and len(set(extended.values())) == len(extended):
                yield entry, extended


class _ChunkSearch:
    """Searches for the sequences of entries that fit a chunk and can follow one another."""

    def __init__(
        self,
        chunk: Chunk,
        index: _Index,
        sizes: Sequence[int],
        tries: int,
        check: Check,
    ) -> None:
        self._chunk = chunk
        self._index = index
        self._sizes = sizes
        self._tries = tries
        self._check = check

    def find_sequences(self) -> Iterator[tuple[dict[str, str], tuple[Entry, ...], BodyComposition]]:
        """Yield binding, entries and composition of each, in the order of the entries."""
        yield from self._extend({}, (), BodyComposition(self._sizes))

    def _extend(
        self, binding: dict[str, str], parts: tuple[Entry, ...], whole: BodyComposition
    ) -> Iterator[tuple[dict[str, str], tuple[Entry, ...], BodyComposition]]:
        if len(parts) == len(self._chunk.steps):
            yield binding, parts, whole
            return
        rule, parameters = self._chunk.steps[len(parts)]
        for entry, extended in self._index.find_fitting(rule, parameters, binding):
            if self._tries <= 0:
                return
            self._tries -= 1
            self._check()
            further = whole.copy()
            if further.take(entry.body):
                yield from self._extend(extended, (*parts, entry), further)


def _make_macro(
    chunk: Chunk,
    binding: dict[str, str],
    parts: Sequence[Entry],
    whole: BodyComposition,
    pools: Sequence[FlatResource],
    clock: int,
) -> Entry | None:
    body, use = whole.body(), _sum_use(parts, pools, clock)
    if body.changes_nothing or use is None:
        return None
    opens, closes = _find_window(parts, clock)
    duration = -use[clock] if clock >= 0 else 0.0
    if opens + duration > closes + EPSILON:
        return None
    steps: tuple[GroundStep, ...] = tuple(part.action.steps[0] for part in parts)
    return Entry(
        body,
        FlatAction(steps, chunk=chunk.name),
        find_chunk_atoms(chunk, binding, steps),
        math.fsum(part.cost for part in parts),
        use,
        opens,
        closes,
    )


def _sum_use(
    parts: Sequence[Entry], pools: Sequence[FlatResource], clock: int
) -> tuple[float, ...] | None:
    """Sum up what the parts use; None if their order could matter to a resource."""
    total: list[float] = []
    for number, pool in enumerate(pools):
        uses = [part.use[number] for part in parts]
        if number != clock and any(uses):
            within = pool.low - EPSILON <= pool.amount <= pool.high + EPSILON
            if not within or (min(uses) < 0.0 < max(uses)):
                return None
        total.append(math.fsum(uses))
    return tuple(total)


def _find_window(parts: Sequence[Entry], clock: int) -> tuple[float, float]:
    """Find the window in which no part of a macro waits and each is within its own window."""
    opens, closes = 0.0, math.inf
    if clock < 0:
        return opens, closes
    total = -math.fsum(part.use[clock] for part in parts)
    passed = 0.0
    for part in parts:
        duration = -part.use[clock]
        opens = max(opens, part.opens - passed)
        passed += duration
        closes = min(closes, part.closes + total - passed)
    return opens, closes


# --- several flat operators, one after the other, as one: the composed span over variables
#
# The concurrency theorem of graph rewriting (Ehrig, Ehrig, Prange, Taentzer, *Fundamentals of
# Algebraic Graph Transformation*, 2006, theorem 5.23) on a finite-domain task, where it is plain
# substitution: a condition on a variable that an earlier step has set is decided; the rest become
# conditions on the initial state.


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
