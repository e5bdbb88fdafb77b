# SPDX-License-Identifier: Apache-2.0
"""Double-pushout (DPO) rewriting: delete ``L - K`` at a match, then glue in ``R``.

Ehrig et al., *Fundamentals of Algebraic Graph Transformation* (2006), here over instances in which
relations are sets. The pushout is taken of spans and then reflected into relations: a tuple that
is added where it is already there merges with it. So a rule that deletes and adds the same tuple
leaves it, and what survives wins over deletion: what R says is there afterwards, is.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.facts import Delta, Fact, difference
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation
from fcp_ros.cset.rewriting.gluing import Gluing, plan_gluing
from fcp_ros.cset.rewriting.match_check import check_match
from fcp_ros.cset.rewriting.rule import Rule

Row = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Rewrite:
    """The outcome of applying a rule at a match.

    Attributes:
        instance: the new state; None where there are violations.
        comatch: the morphism from R into it; None where there are violations.
        delta: what changed.
        violations: why the rule is not applicable there.
    """

    instance: Instance | None
    comatch: Morphism | None
    delta: Delta
    violations: tuple[Violation, ...] = ()


def rewrite(rule: Rule, match: Morphism) -> Rewrite:
    """Apply a rule at a match of its left side.

    The result's functional legs are checked where the rule added tuples; conflicts that were there
    before are not the rule's.

    Args:
        rule: the span and its conditions.
        match: from rule.L to the state; ids of what stays are kept.

    Raises:
        ValueError: the match does not start at the rule's left side.
    """
    violations = check_match(rule, match)
    if violations:
        return _refused(violations)
    gluing = plan_gluing(rule, match)
    if gluing.violations:
        return _refused(gluing.violations)
    state = match.target
    builder = InstanceBuilder.of(state)
    image = _create(rule, gluing, builder)
    wanted = _rows_of(rule.R, image)
    removed = _remove(rule, match, gluing, builder, wanted)
    for keep, gone in gluing.merges:
        builder.merge(keep, gone)
    for row, (relation, legs) in wanted.items():
        image[row] = builder.relate(relation, *legs)
    _set_values(rule, match, gluing, builder, image)
    result = builder.build(allow_conflicts=True)
    added = [row for row in dict.fromkeys(wanted.values()) if state.find_tuple(*row) is None]
    conflicts = _new_conflicts(state, result, added, bool(gluing.merges))
    if conflicts:
        return _refused(conflicts)
    delta = (
        difference(state, result)
        if gluing.merges
        else Delta(
            _facts(result, added),
            _facts(state, removed),
            _names(result, (image[e] for e in rule.R.all_elements() if e not in gluing.preserved)),
            _names(state, (match.mapping[e] for e in rule.L.all_elements() if e in rule.deleted)),
        )
    )
    return Rewrite(result, Morphism(rule.R, result, image), delta)


def _refused(violations: tuple[Violation, ...]) -> Rewrite:
    return Rewrite(None, None, Delta(), violations)


def _create(rule: Rule, gluing: Gluing, builder: InstanceBuilder) -> dict[int, int]:
    """Add the new elements; the image of every element of R."""
    image = dict(gluing.preserved)
    for element in rule.R.all_elements():
        if element not in image:
            name = _free_name(rule.R.name_of(element), builder)
            image[element] = builder.add(rule.R.type_of(element), name)
    return image


def _free_name(name: str, builder: InstanceBuilder) -> str:
    if not builder.has(name):
        return name
    number = 2
    while builder.has(f"{name}_{number}"):
        number += 1
    return f"{name}_{number}"


def _rows_of(right: Instance, image: dict[int, int]) -> dict[int, Row]:
    """What each tuple of R is to be in the result."""
    return {
        row: (relation.name, tuple([image[leg] for leg in legs]))
        for relation in right.schema.relations
        for row, legs in right.tuples(relation.name).items()
    }


def _remove(
    rule: Rule, match: Morphism, gluing: Gluing, builder: InstanceBuilder, wanted: dict[int, Row]
) -> list[Row]:
    """Remove the images of L - K, except for tuples that R brings back."""
    removed: list[Row] = []
    kept = set(wanted.values())
    elements = []
    for id_ in rule.deleted:
        image, type_ = match.mapping[id_], rule.L.type_of(id_)
        if rule.L.schema.has_type(type_):
            elements.append(image)
            continue
        legs = match.target.tuples(type_)[image]
        if (type_, tuple([gluing.find(leg) for leg in legs])) not in kept:
            builder.unrelate(type_, *legs)
            removed.append((type_, legs))
    for element in elements:
        builder.remove(element)
    return removed


def _set_values(
    rule: Rule, match: Morphism, gluing: Gluing, builder: InstanceBuilder, image: dict[int, int]
) -> None:
    """Function values of new elements; attributes forgotten and assigned."""
    for function in rule.R.schema.functions:
        for element, value in rule.R.function_table(function.name).values.items():
            if element not in gluing.preserved:
                builder.set_function(function.name, image[element], image[value])
    for element in rule.K.all_elements():
        original = rule.left.mapping[element]
        stays = rule.K.attributes(element)
        for attribute in rule.L.attributes(original):
            if attribute not in stays:
                holder = gluing.find(match.mapping[original])
                builder.set_attribute(holder, attribute, None)
    for element in rule.R.all_elements():
        for attribute, given in rule.R.attributes(element).items():
            builder.set_attribute(image[element], attribute, given)


def _new_conflicts(
    state: Instance, result: Instance, added: list[Row], merged: bool
) -> tuple[Violation, ...]:
    """The functional conflicts of the result that the rewrite brought about."""
    if merged:
        before = set(state.functional_conflicts())
        return tuple(v for v in result.functional_conflicts() if v not in before)
    return tuple(
        dict.fromkeys(violation for row in added for violation in result.conflicts_of(*row))
    )


def _facts(instance: Instance, rows: list[Row]) -> tuple[Fact, ...]:
    return tuple(
        sorted(Fact(name, tuple(instance.name_of(leg) for leg in legs)) for name, legs in rows)
    )


def _names(instance: Instance, elements: Iterable[int]) -> tuple[str, ...]:
    return tuple(sorted(instance.name_of(element) for element in elements))
