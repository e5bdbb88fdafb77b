# SPDX-License-Identifier: Apache-2.0
"""Double-pushout (DPO) contexts: G without the image of ``L - K``, and how R is glued to it.

In the diagram of a rewrite, the context is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H

Ehrig et al., *Fundamentals of Algebraic Graph Transformation* (2006), definitions 3.9 and 3.11: the
pushout complement exists where the identification and the dangling condition hold, the left leg
being monic. Gluing finds the elements that R shares with D, and those that the pushout merges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.homs import find_homs
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.rule import Rule, RulePlan
from fcp_ros.cset.schema import AttributeValue
from fcp_ros.cset.value_expressions import ValueExpressionError


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


def make_dpo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """Make the pushout complement of a natural match (the left leg is monic), or say why not."""
    mapping = match.mapping
    glue = {id_: mapping[original] for id_, original, _ in plan.glue}
    elements = [mapping[element] for element in plan.deleted_elements]
    tuples = [(relation, mapping[row]) for relation, row in plan.deleted_tuples]
    forgotten = [(attribute, glue[id_]) for attribute, id_ in plan.forgotten]
    violations: list[Violation] = []
    # Only a match that identifies something can break the identification condition, and only the
    # deletion of elements can leave something dangling: nothing refers to tuples.
    if not monic:
        violations.extend(_check_identification(plan, match))
        violations.extend(_find_value_conflicts(plan, match.target, glue))
    if elements:
        deleted = {*elements, *(row for _, row in tuples)}
        violations.extend(_check_dangling(plan, match.target, elements, deleted))
    return Context(match.target, glue, elements, tuples, forgotten, violations=tuple(violations))


def collisions(match: Morphism) -> dict[int, list[int]]:
    """Find the images of more than one element or tuple, with their preimages."""
    groups: dict[int, list[int]] = {}
    for id_, image in match.mapping.items():
        groups.setdefault(image, []).append(id_)
    return {image: members for image, members in groups.items() if len(members) > 1}


def _describe_identification(
    match: Morphism, image: int, members: list[int], lost: list[int]
) -> Violation:
    what = match.target.name_of(image)
    names, gone = (", ".join(map(match.source.name_of, ids)) for ids in (members, lost))
    text = (
        f"{what!r} is matched by {names}, and the rule deletes {gone}: "
        "it cannot be told whether it stays"
    )
    return Violation(ViolationKind.IDENTIFICATION, text, (what,))


def _find_value_conflicts(
    plan: RulePlan, state: Instance, glue: Mapping[int, int]
) -> Iterator[Violation]:
    """Find attributes that a rule forgets at one element and keeps at another, with one image."""
    kept = {(attribute, glue[id_]) for attribute, id_ in plan.values_kept}
    for attribute, id_ in plan.forgotten:
        if (attribute, glue[id_]) in kept:
            yield _describe_value_conflict(state, glue[id_], attribute)


def _describe_value_conflict(state: Instance, id_: int, attribute: str) -> Violation:
    name = state.name_of(id_)
    text = f"the rule both forgets and keeps {attribute!r} of {name!r}"
    return Violation(ViolationKind.IDENTIFICATION, text, (name,), attribute)


def _check_identification(plan: RulePlan, match: Morphism) -> Iterator[Violation]:
    """Find what a natural match identifies though the rule deletes it, or a part of it."""
    deleted = {*plan.deleted_elements, *(row for _, row in plan.deleted_tuples)}
    for image, members in collisions(match).items():
        lost = [id_ for id_ in members if id_ in deleted]
        if lost:
            yield _describe_identification(match, image, members, lost)


def _check_dangling(
    plan: RulePlan, state: Instance, elements: Collection[int], deleted: Collection[int]
) -> Iterator[Violation]:
    for element in dict.fromkeys(elements):
        incidence = plan.incidence(state.type_of(element))
        for relation, position, leg in incidence.legs:
            for row in state.relation_table(relation).index(position).get(element, ()):
                if row not in deleted:
                    names = (state.name_of(element), state.name_of(row))
                    text = f"{names[1]} stays, but its {leg!r} {names[0]!r} would be deleted"
                    yield Violation(ViolationKind.DANGLING, text, names, leg)
        for function in incidence.functions:
            for source in state.function_table(function).preimages().get(element, ()):
                if source not in deleted:
                    yield _describe_dangling_value(state, function, source, element)


def _describe_dangling_value(
    state: Instance, function: str, source: int, element: int
) -> Violation:
    names = (state.name_of(element), state.name_of(source))
    text = (
        f"{names[1]!r} stays, but its {function!r} {names[0]!r} would be deleted. A function is "
        f"never without a value: if actions are to change {function!r}, declare it as a relation"
    )
    return Violation(ViolationKind.DANGLING, text, names, function)


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a match, before anything is glued."""

    violations: tuple[Violation, ...]
    # what the rule leaves of the state; None if the match is not natural
    context: Context | None = None
    values: Mapping[str, AttributeValue] = field(default_factory=dict)


def check_match(rule: Rule, match: Morphism) -> tuple[Violation, ...]:
    """Find every condition that the match breaks; empty if the rule is applicable.

    In this order: naturality (alone, for the rest presupposes it), monicity, identification and
    dangling, comparisons, application conditions. Functional legs, merges and the values of
    expressions concern the result (see `rewrite`).
    """
    return examine(rule, match).violations


def find_matches(
    rule: Rule, target: Instance, *, initial: Mapping[int, int] | None = None
) -> Iterator[Morphism]:
    """Find the matches at which the rule passes `check_match`; `initial` as in `find_homs`."""
    candidates = find_homs(rule.L, target, monic=rule.monic, initial=initial, where=rule.searchable)
    return (match for match in candidates if not check_match(rule, match))


def examine(rule: Rule, match: Morphism) -> Examination:
    if match.source is not rule.L and not match.source.is_same(rule.L):
        raise ValueError(
            f"the match starts at {match.source!r}, which is not the left side of "
            f"rule {rule.name!r}; search matches of rule.L"
        )
    plan = rule.plan
    values = plan.check.read_values(match) if plan.check.holds(match) else None
    if values is None:
        return Examination(match.violations() or (_explain_unbound(rule, match),))
    monic = match.is_monic
    context = make_dpo_context(plan, match, monic=monic)
    violations: list[Violation] = []
    if not monic and rule.monic is not False:
        violations.extend(_check_monic(rule, match))
    violations.extend(context.violations)
    if rule.where:
        violations.extend(_check_comparisons(rule, values))
    for condition in rule.conditions:
        violation = condition.violation(match)
        if violation is not None:
            violations.append(violation)
    return Examination(tuple(violations), context, values)


def _explain_unbound(rule: Rule, match: Morphism) -> Violation:
    """Explain why a mapping fails to be natural because of the values of variables."""
    for attribute, id_, variable in rule.plan.check.variables:
        if match.target.attribute(match.mapping[id_], attribute) is None:
            name = match.target.name_of(match.mapping[id_])
            text = f"{attribute!r} of {name!r} is not set, but the rule calls it ?{variable}"
            return Violation(ViolationKind.NATURALITY, text, (name,), attribute)
    cells = [
        f"{attribute!r} of {match.target.name_of(match.mapping[id_])!r} is "
        f"{match.target.attribute(match.mapping[id_], attribute)!r}"
        for attribute, id_, _ in rule.plan.check.variables
    ]
    text = f"the rule calls different values by one name: {'; '.join(cells)}"
    return Violation(ViolationKind.NATURALITY, text)


def _check_comparisons(rule: Rule, values: Mapping[str, AttributeValue]) -> Iterator[Violation]:
    for comparison in rule.where:
        try:
            if comparison.holds(values):
                continue
        except ValueExpressionError as error:
            yield Violation(ViolationKind.EXPRESSION, str(error))
            continue
        shown = ", ".join(f"?{name} = {value!r}" for name, value in sorted(values.items()))
        text = f"{comparison} does not hold, where {shown}"
        yield Violation(ViolationKind.COMPARISON, text, (), str(comparison))


def _check_monic(rule: Rule, match: Morphism) -> Iterator[Violation]:
    schema = match.source.schema
    for image, members in collisions(match).items():
        if rule.monic is not True and rule.monic is not False:
            own = [(id_, schema.ancestors(match.source.type_of(id_))) for id_ in members]
            members = [id_ for id_, above in own if not above.isdisjoint(rule.monic)]
        if len(members) > 1:
            names = [match.source.name_of(id_) for id_ in members]
            text = (
                f"{', '.join(names)} must be different, but all are {match.target.name_of(image)!r}"
            )
            yield Violation(ViolationKind.NOT_MONIC, text, (match.target.name_of(image),))
