# SPDX-License-Identifier: Apache-2.0
"""Gluing: which elements of a state the right side of a rule is glued to, and which it merges."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.rule import Rule


@dataclass(frozen=True)
class Gluing:
    """How R is glued to what remains of a state.

    Attributes:
        preserved: the element of the state for each element of R that comes from K.
        representative: for each element of the state that is merged, the one that stands for it.
        violations: why elements cannot be merged.
    """

    preserved: dict[int, int]
    representative: dict[int, int] = field(default_factory=dict)
    violations: tuple[Violation, ...] = ()

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(element that stays, element that goes) pairs."""
        return tuple((keep, gone) for gone, keep in self.representative.items() if keep != gone)

    def find(self, element: int) -> int:
        """The element that stands for an element of the state."""
        return self.representative.get(element, element)


def plan_gluing(rule: Rule, match: Morphism) -> Gluing:
    """How the rule's right side is glued at a match (a natural one)."""
    if rule.right.is_monic and match.is_monic:
        return Gluing(
            {
                rule.right.mapping[element]: match.mapping[rule.left.mapping[element]]
                for element in rule.K.all_elements()
            }
        )
    state = match.target
    groups = _groups(rule, match)
    representative: dict[int, int] = {}
    violations: list[Violation] = []
    for group in groups:
        keep = _most_specific(state, group)
        representative.update(dict.fromkeys(group, group[0] if keep is None else keep))
        violations.extend(_disagreements(state, group, keep))
    find = representative.__getitem__
    violations.extend(_function_disagreements(state, groups, representative))
    preserved = {
        rule.right.mapping[element]: find(match.mapping[rule.left.mapping[element]])
        for element in rule.K.all_elements()
    }
    violations.extend(_assignment_conflicts(rule, state, preserved))
    return Gluing(preserved, representative, tuple(violations))


def _groups(rule: Rule, match: Morphism) -> list[list[int]]:
    """The preserved elements of the state, grouped by what the pushout identifies, sorted by id."""
    parent: dict[int, int] = {}

    def root(element: int) -> int:
        while parent.setdefault(element, element) != element:
            element = parent[element]
        return element

    first_at: dict[int, int] = {}
    for element in rule.K.all_elements():
        image = match.mapping[rule.left.mapping[element]]
        other = first_at.setdefault(rule.right.mapping[element], image)
        low, high = sorted((root(image), root(other)))
        parent[high] = low
    groups: dict[int, list[int]] = {}
    for element in sorted(parent):
        groups.setdefault(root(element), []).append(element)
    return list(groups.values())


def _most_specific(state: Instance, group: list[int]) -> int | None:
    """The first element whose type is below the types of all the others, if there is one."""
    types = {state.type_of(element) for element in group}
    for element in group:
        own = state.type_of(element)
        if all(state.schema.is_subtype(own, other) for other in types):
            return element
    return None


def _disagreements(state: Instance, group: list[int], keep: int | None) -> Iterator[Violation]:
    names = tuple(state.name_of(element) for element in group)
    if keep is None:
        types = ", ".join(f"{state.name_of(e)!r} is a {state.type_of(e)!r}" for e in group)
        yield Violation(
            ViolationKind.MERGE, f"the rule merges elements of unrelated types: {types}", names
        )
    values: dict[str, set[object]] = {}
    for element in group:
        for attribute, value in state.attributes(element).items():
            values.setdefault(attribute, set()).add(value)
    for attribute, found in values.items():
        if len(found) > 1:
            shown = ", ".join(sorted(map(repr, found)))
            text = f"the rule merges {', '.join(names)}, but {attribute!r} differs: {shown}"
            yield Violation(ViolationKind.MERGE, text, names)


def _function_disagreements(
    state: Instance, groups: list[list[int]], representative: dict[int, int]
) -> Iterator[Violation]:
    for function in state.schema.functions:
        values = state.function_table(function.name).values
        for group in groups:
            found = {values[e] for e in group if e in values}
            if len({representative.get(value, value) for value in found}) > 1:
                names = tuple(state.name_of(element) for element in group)
                text = f"the rule merges {', '.join(names)}, but not their {function.name!r}"
                yield Violation(ViolationKind.MERGE, text, names)


def _assignment_conflicts(
    rule: Rule, state: Instance, preserved: dict[int, int]
) -> Iterator[Violation]:
    assigned: dict[tuple[int, str], object] = {}
    for element, image in preserved.items():
        for attribute, value in rule.R.attributes(element).items():
            if assigned.setdefault((image, attribute), value) != value:
                name = state.name_of(image)
                text = f"the rule assigns two values to {attribute!r} of {name!r}"
                yield Violation(ViolationKind.MERGE, text, (name,))
