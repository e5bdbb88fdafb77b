# SPDX-License-Identifier: Apache-2.0
"""Rewriting by double pushouts: delete ``L - K`` at a match, then glue in ``R``.

Both squares of the diagram are pushouts::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H

The context D is the pushout complement; the result H is the pushout of ``D <- K -> R``,
taken of elements and tuples alike, and then reflected into relations, which are sets: a tuple that
is added a second time becomes one with the first. Attributes that R assigns replace the old ones.

Ehrig et al., *Fundamentals of Algebraic Graph Transformation* (2006), definitions 3.9 and 3.11: the
pushout complement exists where the identification and the dangling condition hold, the left leg
being monic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.builder import InstanceBuilder, find_unused_name
from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.draft import Change
from fcp_ros.cset.homs import find_homs
from fcp_ros.cset.instance import Instance, InstanceError
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.rule import Rule, RulePlan
from fcp_ros.cset.schema import AttributeValue
from fcp_ros.cset.state_facts import Delta, delta_of


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


def check_match(rule: Rule, match: Morphism) -> tuple[Violation, ...]:
    """Find every condition that the match breaks; empty if the rule is applicable.

    In this order: naturality (alone, for the rest presupposes it), monicity, identification and
    dangling, application conditions. Functional legs concern the result (see `rewrite`).
    """
    return _make_context(rule, match).violations


def find_matches(
    rule: Rule, target: Instance, *, initial: Mapping[int, int] | None = None
) -> Iterator[Morphism]:
    """Find the matches at which the rule passes `check_match`; `initial` as in `find_homs`."""
    candidates = find_homs(rule.L, target, monic=rule.monic, initial=initial)
    return (match for match in candidates if not check_match(rule, match))


def _make_context(rule: Rule, match: Morphism) -> Context:
    """Make the pushout complement, or say why the rule does not apply at the match."""
    if match.source is not rule.L and not match.source.is_same(rule.L):
        raise ValueError(
            f"the match starts at {match.source!r}, which is not the left side of "
            f"rule {rule.name!r}; search matches of rule.L"
        )
    plan = rule.plan
    if not plan.check.holds(match):
        return Context(match.target, violations=match.violations())
    mapping = match.mapping
    glue = {id_: mapping[original] for id_, original, _ in plan.glue}
    elements = [mapping[element] for element in plan.deleted_elements]
    tuples = [(relation, mapping[row]) for relation, row in plan.deleted_tuples]
    forgotten = [(attribute, glue[id_]) for attribute, id_ in plan.forgotten]
    violations: list[Violation] = []
    # Only a match that identifies something can break the identification condition, and only the
    # deletion of elements can leave something dangling: nothing refers to tuples.
    if not match.is_monic:
        if rule.monic:
            violations.extend(_check_monic(match))
        violations.extend(_check_identification(plan, match))
        violations.extend(_find_value_conflicts(plan, match.target, glue))
    if elements:
        deleted = {*elements, *(row for _, row in tuples)}
        violations.extend(_check_dangling(plan, match.target, elements, deleted))
    for condition in rule.conditions:
        violation = condition.violation(match)
        if violation is not None:
            violations.append(violation)
    return Context(match.target, glue, elements, tuples, forgotten, tuple(violations))


def _check_monic(match: Morphism) -> Iterator[Violation]:
    for image, members in collisions(match).items():
        names, what = [match.source.name_of(id_) for id_ in members], match.target.name_of(image)
        text = f"{', '.join(names)} must be different, but all are {what!r}"
        yield Violation(ViolationKind.NOT_MONIC, text, (what,))


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The result of applying a rule at a match; with violations, there is no new state."""

    instance: Instance | None
    comatch: Morphism | None
    before: Instance | None = None
    violations: tuple[Violation, ...] = ()
    change: Change = field(default_factory=Change)

    @property
    def delta(self) -> Delta:
        """The change, by names; computed at each access, as few ask for it."""
        if self.before is None or self.instance is None:
            return Delta()
        return delta_of(self.before, self.instance, self.change)


def rewrite(rule: Rule, match: Morphism) -> Rewrite:
    """Apply a rule at a match of its left side.

    The result's functional legs are checked where the rule changed something; conflicts that were
    there before are not the rule's.
    """
    context = _make_context(rule, match)
    if context.violations:
        return _refuse(context.violations)
    return _Application(rule.plan, match, context).run()


def _refuse(violations: tuple[Violation, ...]) -> Rewrite:
    return Rewrite(None, None, violations=violations)


class _Application:
    """One rewrite while it is carried out; `image` maps R into the result."""

    def __init__(self, plan: RulePlan, match: Morphism, context: Context) -> None:
        self.plan = plan
        self.match = match
        self.context = context
        self.builder = InstanceBuilder.of(context.state)
        self.image = {result: context.glue[id_] for id_, _, result in plan.glue}

    def run(self) -> Rewrite:
        self.delete()  # first, so that what is created may take the names that become free
        self.create()
        violations = self.assign() if self.plan.assigned else []
        if violations:
            return _refuse(tuple(violations))
        change = self.builder.change()
        try:
            result = self.builder.build()
        except InstanceError:
            return _refuse(self.builder.violations())
        comatch = Morphism(self.plan.right.target, result, self.image)
        return Rewrite(result, comatch, self.match.target, change=change)

    def delete(self) -> None:
        """Take from the state everything that is not in the context."""
        state, builder = self.context.state, self.builder
        for relation, row in self.context.tuples:
            legs = state.relation_table(relation).rows.get(row)
            if legs is not None:
                builder.unrelate(relation, *legs)
        for attribute, id_ in self.context.forgotten:
            builder.set_attribute(id_, attribute, None)
        for element in self.context.elements:
            builder.remove(element)

    def create(self) -> None:
        """Add the elements and tuples of R that are not from K."""
        image, builder, new = self.image, self.builder, self.plan.new_elements
        for element in new:
            image[element.id] = builder.add(element.type, find_unused_name(builder, element.name))
        for element in new:
            for function, value in element.functions:
                builder.set_function(function, image[element.id], image[value])
        for relation, row, legs in self.plan.new_tuples:
            image[row] = builder.relate(relation, *[image[leg] for leg in legs])

    def assign(self) -> list[Violation]:
        """Set the attributes that R assigns; return violations where that is impossible."""
        violations = []
        assigned: dict[tuple[str, int], AttributeValue] = {}
        for attribute, id_, value in self.plan.assigned:
            self.builder.set_attribute(self.image[id_], attribute, value)
            if assigned.setdefault((attribute, self.image[id_]), value) != value:
                violations.append(
                    self.describe_contradiction(attribute, id_, "assigns two values to")
                )
        # Only where a match makes elements one can an assignment meet a kept value.
        if len(set(self.image.values())) < len(self.image):
            violations.extend(self.find_overwritten(assigned))
        return violations

    def find_overwritten(
        self, assigned: Mapping[tuple[str, int], AttributeValue]
    ) -> Iterator[Violation]:
        """Find attributes that R both assigns and keeps, as elements of R have become one."""
        for attribute, id_ in self.plan.values_kept:
            result = self.plan.right.mapping[id_]
            kept = self.context.state.attribute(self.context.glue[id_], attribute)
            if assigned.get((attribute, self.image[result]), kept) != kept:
                yield self.describe_contradiction(attribute, result, "both keeps and assigns")

    def describe_contradiction(self, attribute: str, id_: int, what: str) -> Violation:
        names = [
            self.plan.right.target.name_of(other)
            for other, image in self.image.items()
            if image == self.image[id_]
        ]
        text = f"the rule {what} {attribute!r} of {', '.join(names)}, which are one in the state"
        return Violation(ViolationKind.CONTRADICTION, text, tuple(names), attribute)
