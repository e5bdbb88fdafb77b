# SPDX-License-Identifier: Apache-2.0
"""What a span and its conditions must satisfy to be a rule; every problem is one sentence."""

from collections.abc import Iterable, Iterator, Sequence

from fcp_ros.cset.conditions.conditions import Condition, CountCondition
from fcp_ros.cset.conditions.extension import variables_in
from fcp_ros.cset.instance.expressions import (
    Comparator,
    ValueComparison,
    ValueOperation,
    ValueVariable,
    variables_of,
)
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.rule_plan import outside
from fcp_ros.cset.schema.schema import AttributeKind

_NUMBERS = frozenset((AttributeKind.INT, AttributeKind.FLOAT))


def problems_of(
    left: Morphism,
    right: Morphism,
    conditions: Sequence[Condition],
    where: Sequence[ValueComparison],
    *,
    clones: bool,
) -> list[str]:
    """Everything that keeps a span from being a rule; empty when it is one.

    Args:
        left: K -> L.
        right: K -> R.
        conditions: of the rule.
        where: over the variables of L.
        clones: whether the left leg may identify elements.
    """
    if not left.source.is_same(right.source):
        return ["both legs must start at the same instance K"]
    for side, leg in (("left", left), ("right", right)):
        reasons = list(_leg_problems(side, leg))
        if reasons:
            return reasons
    return [
        *([] if clones else _clones(left)),
        *_operations("L", left.target),
        *_static_changes("deletes", left),
        *_static_changes("creates", right),
        *_unknown_variables(left.target, right.target),
        *_wrong_kinds(left.target, right.target),
        *_unknown_in_comparisons(left.target, "L", where),
        *(problem for one in conditions for problem in _condition_problems(one, left.target)),
    ]


def _leg_problems(side: str, leg: Morphism) -> Iterator[str]:
    violations = leg.violations()
    if violations:
        reasons = "; ".join(violation.message for violation in violations)
        yield f"the {side} leg is no morphism: {reasons}"
        return
    for element in leg.source.all_elements():
        before, after = leg.source.type_of(element), leg.target.type_of(leg.mapping[element])
        if before != after:
            yield (
                f"the {side} leg changes the type of {leg.source.name_of(element)!r} from "
                f"{before!r} to {after!r}; a rule must keep the types of what it preserves"
            )
    yield from _value_changes(f"the {side} leg", leg, "to assign it, leave it unset in K")


def _value_changes(what: str, leg: Morphism, advice: str) -> Iterator[str]:
    """Variables that a leg does not send to themselves; other values it keeps, being natural."""
    for id_, image in leg.mapping.items():
        for attribute, before in leg.source.attributes(id_).items():
            after = leg.target.attribute(image, attribute)
            if before != after:
                name = leg.source.name_of(id_)
                yield f"{what} changes {attribute!r} of {name!r} from {before} to {after}; {advice}"


def _clones(left: Morphism) -> Iterator[str]:
    for group in left.collisions():
        yield (
            f"the left leg is not monic: {', '.join(group)} of K are one in L. Then what remains "
            "after deletion is not determined (the pushout complement is not unique); give K one "
            "element for each that is preserved, or use SqPO, which clones"
        )


def _static_changes(side: str, leg: Morphism) -> Iterator[str]:
    """Static tuples that a rule touches though all their elements stay."""
    beyond = outside(leg)
    for relation in leg.target.schema.relations:
        if not relation.static:
            continue
        for row, legs in leg.target.tuples(relation.name).items():
            if row in beyond and beyond.isdisjoint(legs):
                yield (
                    f"it {side} {leg.target.name_of(row)}, but {relation.name!r} is static; "
                    "declare it without static if actions change it"
                )


# --- attribute variables and expressions


def _values(instance: Instance) -> Iterator[tuple[int, str, object]]:
    """(element or tuple, attribute, value) of everything that is set."""
    rows = (row for r in instance.schema.relations for row in instance.tuples(r.name))
    for id_ in (*instance.all_elements(), *rows):
        for attribute, value in instance.attributes(id_).items():
            yield id_, attribute, value


def _operations(where: str, instance: Instance) -> Iterator[str]:
    for id_, attribute, value in _values(instance):
        if isinstance(value, ValueOperation):
            what = f"{attribute!r} of {instance.name_of(id_)!r} in {where} is {value}"
            yield f"{what}; only R may hold operations, a pattern holds values and variables"


def _variables(instance: Instance) -> frozenset[str]:
    return frozenset().union(*(variables_of(value) for _, _, value in _values(instance)))


def _unknown_variables(left: Instance, right: Instance) -> Iterator[str]:
    known = _variables(left)
    for id_, attribute, value in _values(right):
        unknown = variables_of(value) - known
        if unknown:
            what = f"{attribute!r} of {right.name_of(id_)!r} in R"
            yield f"{what} uses {_shown(unknown)}, but {_has('L', known)}"


def _kinds(instance: Instance) -> dict[str, set[AttributeKind]]:
    """The kinds of the attributes that each variable stands for."""
    found: dict[str, set[AttributeKind]] = {}
    for id_, attribute, value in _values(instance):
        if isinstance(value, ValueVariable):
            kind = instance.schema.attribute(instance.type_of(id_), attribute).kind
            found.setdefault(value.name, set()).add(kind)
    return found


def _wrong_kinds(left: Instance, right: Instance) -> Iterator[str]:
    """Expressions of R that never give what the attribute admits."""
    kinds = _kinds(left)
    for id_, attribute, value in _values(right):
        if not isinstance(value, (ValueVariable, ValueOperation)):
            continue
        wanted = right.schema.attribute(right.type_of(id_), attribute).kind
        admitted = _NUMBERS if wanted in _NUMBERS else frozenset((wanted,))
        what = f"{attribute!r} of {right.name_of(id_)!r} in R is {value}"
        if isinstance(value, ValueOperation) and wanted not in _NUMBERS:
            yield f"{what}, a number, but the attribute is of kind {wanted.value}"
        for name in sorted(variables_of(value)):
            wrong = kinds.get(name, set()) - admitted
            if wrong:
                shown = ", ".join(sorted(kind.value for kind in wrong))
                variable = ValueVariable(name)
                yield f"{what}, but {variable} is of kind {shown} in L, not {wanted.value}"


def _unknown_in_comparisons(
    pattern: Instance, where: str, comparisons: Iterable[ValueComparison]
) -> Iterator[str]:
    known = _variables(pattern)
    for comparison in comparisons:
        unknown = variables_in(comparison) - known
        if unknown:
            yield f"{comparison} uses {_shown(unknown)}, but {_has(where, known)}"


def _shown(names: Iterable[str]) -> str:
    return ", ".join(str(ValueVariable(name)) for name in sorted(names))


def _has(where: str, known: frozenset[str]) -> str:
    return f"{where} has {_shown(known) or 'no variables'}"


def always_decided(comparison: ValueComparison, pattern: Instance) -> bool:
    """Whether a comparison has a truth value for all values that the pattern's variables may take.

    Operations may have no value, and what is no number cannot be ordered (with everything).
    """
    sides = (comparison.left, comparison.right)
    if any(isinstance(side, ValueOperation) for side in sides):
        return False
    if comparison.comparator in (Comparator.EQUAL, Comparator.UNEQUAL):
        return True
    kinds = _kinds(pattern)
    return all(
        kinds.get(side.name, set()) <= _NUMBERS
        if isinstance(side, ValueVariable)
        else isinstance(side, (int, float))
        for side in sides
    )


# --- conditions


def _condition_problems(
    condition: Condition, start: Instance, *, within: str = "L"
) -> Iterator[str]:
    what = f"condition {condition.name!r}"
    violations = condition.inclusion.violations()
    if not condition.inclusion.source.is_same(start):
        yield f"{what} must start at {within}"
        return
    if violations:
        yield f"{what} is no morphism: {violations[0].message}"
        return
    yield from _value_changes(what, condition.inclusion, "keep it, and compare it in `where`")
    yield from _operations(f"the pattern of {what}", condition.pattern)
    yield from _unknown_in_comparisons(condition.pattern, f"{what}", condition.where)
    if isinstance(condition, CountCondition):
        yield from _bound_problems(what, condition)
    for inner in condition.nested:
        yield from _condition_problems(inner, condition.pattern, within=f"the pattern of {what}")


def _bound_problems(what: str, condition: CountCondition) -> Iterator[str]:
    least, most = condition.at_least, condition.at_most
    if least < 0 or (most is not None and most < least):
        yield f"{what} asks for at least {least} and at most {most}; give 0 <= at_least <= at_most"
