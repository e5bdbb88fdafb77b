# SPDX-License-Identifier: Apache-2.0
"""Reasons: cells whose values suffice for an application condition to hold at a step.

A condition speaks of extensions of the match. Whatever extension any reordering could bring about
is one into the universe of the sequence (attributes aside); so it suffices to give, for each of
these, a reason why it counts or does not count. Where there are several reasons, the one that rules
out the fewest orders is chosen (greedily, for the least order is hard to find: Baeckstrom 1998).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fcp_ros.cset.conditions.conditions import Condition, ConditionKind, CountCondition
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.search.homs import find_homs
from fcp_ros.cset.sequences.applied_step import AppliedStep
from fcp_ros.cset.sequences.causal_needs import Need
from fcp_ros.cset.sequences.extension_parts import (
    Now,
    Part,
    as_they_are,
    attributes_of,
    parts_of,
)
from fcp_ros.cset.sequences.relabel import drop_values, relabelled
from fcp_ros.cset.sequences.step_effects import Cell, CellValue, History
from fcp_ros.cset.sequences.universe import Universe

Needs = tuple[Need, ...]
Cost = Callable[[Needs], int]

# So many witnesses of a positive condition are compared at most; any one of them would do.
_WITNESSES = 1_000


@dataclass(frozen=True)
class _Extension:
    """An extension of a match into the universe.

    Attributes:
        condition: what it is an extension for.
        elements: the image of each element of the pattern, by ids of the sequence.
        parts: what must be so for it to be one in a state.
    """

    condition: Condition
    elements: Mapping[int, int]
    parts: tuple[Part, ...]


class ConditionReasons:
    """Gives reasons for the steps of one sequence."""

    def __init__(self, history: History, universe: Universe, cost: Cost) -> None:
        """Reasons about a sequence; `cost` says how many orders some needs would rule out."""
        self._history = history
        self._universe = universe
        self._cost = cost
        self._bare: dict[int, Morphism] = {}

    def of_step(self, number: int, step: AppliedStep) -> Iterator[Needs]:
        """For each condition of a step's rule needs that suffice for it to hold."""
        elements = {id_: step.match.mapping[id_] for id_ in step.rule.L.all_elements()}
        for condition in step.rule.conditions:
            yield _At(self, number).holds(condition, elements)

    def cheapest(self, options: Sequence[Needs], number: int) -> Needs:
        """So many of the options, those that rule out the fewest orders."""
        chosen = options if number >= len(options) else sorted(options, key=self._cost)[:number]
        return tuple(chain.from_iterable(chosen))

    def value(self, cell: Cell, step: int) -> CellValue:
        """The value of a cell right before a step."""
        return self._history.before(cell, step)

    def extensions(
        self, condition: Condition, elements: Mapping[int, int], now: Now
    ) -> Iterator[_Extension]:
        """Every extension into the universe of the images of the elements of the source."""
        initial: dict[int, int] = {}
        inclusion = condition.inclusion
        for element, image in elements.items():
            known = initial.setdefault(inclusion.mapping[element], image)
            if known != image:
                return
        bare = self._bare_pattern(condition.pattern)
        anchors = {bare.mapping[p]: self._universe.image(image) for p, image in initial.items()}
        found = find_homs(
            bare.target, self._universe.instance, monic=condition.monic, initial=anchors
        )
        for hom in found:
            images = {
                element: self._universe.original(hom.mapping[bare.mapping[element]])
                for element in condition.pattern.all_elements()
            }
            yield _Extension(condition, images, tuple(parts_of(condition, images, now)))

    def _bare_pattern(self, pattern: Instance) -> Morphism:
        """To the pattern without attributes, which the universe has no values for."""
        found = self._bare.get(id(pattern))
        if found is None:
            found = relabelled(pattern, values=drop_values)
            self._bare[id(pattern)] = found  # it holds the pattern, so that the id stays taken
        return found


class _At:
    """Reasons at one step."""

    def __init__(self, reasons: ConditionReasons, step: int) -> None:
        self.reasons = reasons
        self.step = step

    def now(self, cell: Cell) -> CellValue:
        return self.reasons.value(cell, self.step)

    # --- conditions

    def holds(self, condition: Condition, elements: Mapping[int, int]) -> Needs:
        """Why a condition holds, which it does, where its source has these images."""
        least, most = _bounds(condition)
        return (
            *self.no_less(condition, elements, least),
            *(() if most is None else self.no_more(condition, elements, most)),
        )

    def fails(self, condition: Condition, elements: Mapping[int, int]) -> Needs:
        """Why a condition does not hold, which it does not."""
        least, _ = _bounds(condition)
        number = sum(1 for _ in islice(self.counting(condition, elements), least))
        if number < least:
            return self.no_more(condition, elements, least - 1)
        _, most = _bounds(condition)
        assert most is not None
        return self.no_less(condition, elements, most + 1)

    def is_true(self, condition: Condition, elements: Mapping[int, int]) -> bool:
        """Whether a condition holds in the state before the step."""
        least, most = _bounds(condition)
        number = sum(1 for _ in self.counting(condition, elements))
        return number >= least and (most is None or number <= most)

    def no_less(self, condition: Condition, elements: Mapping[int, int], number: int) -> Needs:
        """Why so many extensions count, which they do."""
        if not number:
            return ()
        counting = islice(self.counting(condition, elements), max(_WITNESSES, number))
        options = [self.counted(extension) for extension in counting]
        return self.reasons.cheapest(options, number)

    def no_more(self, condition: Condition, elements: Mapping[int, int], number: int) -> Needs:
        """Why only so many extensions count, which is so."""
        extensions = list(self.reasons.extensions(condition, elements, self.now))
        others = [extension for extension in extensions if not self.counts(extension)]
        options = [self.excluded(extension) for extension in others]
        return self.reasons.cheapest(options, max(0, len(extensions) - number))

    # --- extensions

    def counting(self, condition: Condition, elements: Mapping[int, int]) -> Iterator[_Extension]:
        """The extensions that count in the state before the step."""
        return filter(self.counts, self.reasons.extensions(condition, elements, self.now))

    def counts(self, extension: _Extension) -> bool:
        return self.is_there(extension) and all(
            self.is_true(inner, extension.elements) for inner in extension.condition.nested
        )

    def is_there(self, extension: _Extension) -> bool:
        return all(part.holds(self.now) for part in extension.parts)

    def counted(self, extension: _Extension) -> Needs:
        """Why an extension counts, which it does."""
        there = (need for part in extension.parts for need in part.kept(self.step, self.now))
        inner = extension.condition.nested
        nested = (need for one in inner for need in self.holds(one, extension.elements))
        return (*there, *nested)

    def excluded(self, extension: _Extension) -> Needs:
        """Why an extension does not count, which it does not."""
        options = [
            option
            for part in extension.parts
            if not part.holds(self.now)
            for option in part.broken(self.step, self.now)
        ]
        if not options:
            read = attributes_of(extension.condition, extension.elements)
            values = as_they_are(read, self.step, self.now)
            options = [
                (*values, *self.fails(inner, extension.elements))
                for inner in extension.condition.nested
                if not self.is_true(inner, extension.elements)
            ]
        return self.reasons.cheapest(options, 1)


def _bounds(condition: Condition) -> tuple[int, int | None]:
    """How often the pattern must occur at least, and may at most."""
    if isinstance(condition, CountCondition):
        return condition.at_least, condition.at_most
    return (0, 0) if condition.kind is ConditionKind.NAC else (1, None)
