# SPDX-License-Identifier: Apache-2.0
"""Gluing R to a context: the elements that the two share, and those that the pushout merges.

A context is the state without what a rule deletes, before anything is glued to it. In the
diagram of a rewrite, it is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rule_plan import RulePlan


@dataclass(frozen=True, slots=True)
class Context:
    """D, written as a state and what is still to be taken from it."""

    state: Instance
    # K -> D: an id of the state for each element and tuple of K
    glue: Mapping[int, int] = field(default_factory=dict)
    elements: Collection[int] = ()  # ids of the state to delete
    tuples: Collection[tuple[str, int]] = ()  # (relation, id of the state) to delete
    forgotten: Collection[tuple[str, int]] = ()  # (attribute, id of the state) to unset
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Gluing:
    """The gluing of R to a context."""

    # the element of the result for each element that R has from K, and without merges also the
    # tuples. With merges tuples are found by their legs, as those that become equal are one.
    image: dict[int, int]
    # for each element that is merged, the one that stands for it
    representative: dict[int, int] = field(default_factory=dict)
    violations: tuple[Violation, ...] = ()

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(element that stays, element that goes) pairs."""
        return tuple((keep, gone) for gone, keep in self.representative.items() if keep != gone)


def plan_gluing(plan: RulePlan, context: Context) -> Gluing:
    """Plan the gluing of a span's right side to a context."""
    glue = context.glue
    if plan.right_is_monic:
        return Gluing({result: glue[id_] for id_, _, result in plan.glue if id_ in glue})
    elements = [(id_, result) for id_, result in plan.glued_elements if id_ in glue]
    groups = _group_elements([(glue[id_], result) for id_, result in elements])
    representative: dict[int, int] = {}
    violations: list[Violation] = []
    merging = _Merging(plan, context)
    for group in groups:
        keep = merging.find_most_specific(group)
        representative.update(dict.fromkeys(group, group[0] if keep is None else keep))
        violations.extend(merging.compare_elements(group, keep))
    violations.extend(merging.compare_functions(groups, representative))
    violations.extend(merging.compare_tuples(representative))
    image = {result: representative[glue[id_]] for id_, result in elements}
    return Gluing(image, representative, tuple(violations))


def _group_elements(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Group the elements of the context by what the pushout identifies, sorted by id."""
    parent: dict[int, int] = {}

    def root(element: int) -> int:
        while parent.setdefault(element, element) != element:
            element = parent[element]
        return element

    first_at: dict[int, int] = {}
    for element, result in pairs:
        low, high = sorted((root(element), root(first_at.setdefault(result, element))))
        parent[high] = low
    groups: dict[int, list[int]] = {}
    for element in sorted(parent):
        groups.setdefault(root(element), []).append(element)
    return list(groups.values())


class _Merging:
    """Checks that merged elements and tuples agree."""

    def __init__(self, plan: RulePlan, context: Context) -> None:
        self.state = context.state
        self.gone = {row for _, row in context.tuples}
        # Values that the rule forgets or assigns need not agree.
        self.dropped = set(context.forgotten)
        for attribute, id_, _ in plan.assigned:
            for inner, original in plan.glued_elements:
                if original == id_ and inner in context.glue:
                    self.dropped.add((attribute, context.glue[inner]))

    def find_most_specific(self, group: list[int]) -> int | None:
        """Find the first element whose type is below the types of all the others, or None."""
        types = {self.state.type_of(element) for element in group}
        for element in group:
            own = self.state.type_of(element)
            if all(self.state.schema.is_subtype(own, other) for other in types):
                return element
        return None

    def compare_elements(self, group: list[int], keep: int | None) -> Iterator[Violation]:
        """Find elements that become one with unrelated types, or different attributes."""
        state = self.state
        if keep is None:
            names = tuple(map(state.name_of, group))
            types = ", ".join(f"{state.name_of(e)!r} is a {state.type_of(e)!r}" for e in group)
            text = f"the rule merges elements of unrelated types: {types}"
            yield Violation(ViolationKind.MERGE, text, names)
        yield from self.compare_values(group)

    def compare_values(self, group: Collection[int]) -> Iterator[Violation]:
        """Find elements or tuples that become one with different attributes."""
        values: dict[str, set[object]] = {}
        for id_ in group:
            for attribute, value in self.state.attributes(id_).items():
                if (attribute, id_) not in self.dropped:
                    values.setdefault(attribute, set()).add(value)
        for attribute, found in values.items():
            if len(found) > 1:
                names = tuple(map(self.state.name_of, group))
                shown = ", ".join(sorted(map(repr, found)))
                text = f"the rule merges {', '.join(names)}, but {attribute!r} differs: {shown}"
                yield Violation(ViolationKind.MERGE, text, names, attribute)

    def compare_functions(
        self, groups: list[list[int]], representative: Mapping[int, int]
    ) -> Iterator[Violation]:
        """Find elements that become one though functions lead from them to different ones.

        R gives all functions of the types in the rule; those of subtypes may disagree.
        """
        for function in self.state.schema.functions:
            values = self.state.function_table(function.name).values
            for group in groups:
                found = {values[e] for e in group if e in values}
                if len({representative.get(value, value) for value in found}) > 1:
                    names = tuple(map(self.state.name_of, group))
                    text = f"the rule merges {', '.join(names)}, but not their {function.name!r}"
                    yield Violation(ViolationKind.MERGE, text, names, function.name)

    def compare_tuples(self, representative: Mapping[int, int]) -> Iterator[Violation]:
        """Find tuples that become one though their attributes differ."""
        schema = self.state.schema
        for relation in schema.relations:
            if not schema.attributes_of(relation.name):
                continue
            table = self.state.relation_table(relation.name)
            rows = {
                row
                for position in range(len(relation.legs))
                for element in representative
                for row in table.index(position).get(element, ())
            }
            together: dict[tuple[int, ...], list[int]] = {}
            for row in sorted(rows - self.gone):
                legs = tuple([representative.get(leg, leg) for leg in table.rows[row]])
                together.setdefault(legs, []).append(row)
            for group in together.values():
                yield from self.compare_values(group)
