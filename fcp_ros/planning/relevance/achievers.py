# SPDX-License-Identifier: Apache-2.0
"""What may achieve a literal, by the types of its elements, and how it is bound then."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from fcp_ros.planning.relevance.binding import Matcher
from fcp_ros.planning.relevance.binding_plans import Plan, Planner, Style
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.relevance.overwriting import Overwritings
from fcp_ros.planning.task.lifted import LiftedDomain, Trigger

_ANEW = (Style.NEAR, Style.FAR)
"""Styles for which a rule that only undoes something is no way."""


class Ways:
    """Triggers with their plans; worked out once for each relation and types of elements.

    Args:
        lifted: the domain.
        planner: its plans.
        facts: the facts.
        matcher: knows which types have a handful of elements.
        overwritings: what is bound without the old value.
    """

    def __init__(
        self,
        lifted: LiftedDomain,
        planner: Planner,
        facts: FactTable,
        matcher: Matcher,
        overwritings: Overwritings,
    ) -> None:
        self._overwritings = overwritings
        self._lifted = lifted
        self._planner = planner
        self._facts = facts
        self._matcher = matcher
        self._few: dict[Trigger, frozenset[int]] = {}
        self._found: dict[tuple[Hashable, ...], Sequence[Plan]] = {}

    def to(self, literal: int, style: Style) -> Sequence[Plan]:
        """The plans of all that may achieve a literal in a style, the slots of its atom bound."""
        relation, elements = self._facts.relation[literal >> 1], self._facts.elements[literal >> 1]
        types = tuple(map(self._facts.instance.type_of, elements))
        key = (literal & 1, relation.number, types, style)
        found = self._found.get(key)
        if found is None:
            ways = self._lifted.deleters if literal & 1 else self._lifted.adders
            found = self._found[key] = [
                self.of(trigger, style, trigger.slots)
                for trigger in ways.get(relation.name, ())
                if self._fits(trigger, types) and not self.is_idle(trigger, style)
            ]
        return found

    def is_idle(self, trigger: Trigger, style: Style) -> bool:
        """Whether the trigger is of no use in a style: it only undoes what led there."""
        return style in _ANEW and self._planner.only_undoes(trigger)

    def of(self, trigger: Trigger, style: Style, slots: Iterable[int]) -> Plan:
        """The plan of a trigger with some slots bound."""
        bare = self._overwritings.triggers.get(trigger)
        if bare is not None:
            trigger, slots = bare, (*slots, self._overwritings.rules[trigger.rule.number].slot)
        few = self._few.get(trigger)
        if few is None:
            few = self._few[trigger] = self._matcher.few(trigger.types)
        return self._planner.plan(trigger, style, frozenset(slots), few)

    def _fits(self, trigger: Trigger, types: Sequence[str]) -> bool:
        below = self._lifted.below
        return all(
            type_ in below[trigger.types[slot]]
            for slot, type_ in zip(trigger.slots, types, strict=True)
        )
