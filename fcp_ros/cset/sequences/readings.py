# SPDX-License-Identifier: Apache-2.0
"""Readings: what a rule needs of an attribute that it reads.

Mostly that is the very value. But where a variable is only compared (a battery that is full
enough), any value will do that passes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.instance.expressions import (
    Comparison,
    ExpressionError,
    Variable,
    variables_of,
)
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.schema.schema import AttributeValue


@dataclass(frozen=True)
class Passes:
    """The test for values that pass some comparisons.

    Attributes:
        variable: that the value is of.
        comparisons: of that variable with constants.
    """

    variable: str
    comparisons: tuple[Comparison, ...]

    def __call__(self, value: AttributeValue | None) -> bool:
        if value is None:
            return False
        try:
            return all(one.holds({self.variable: value}) for one in self.comparisons)
        except ExpressionError:
            return False


def compared_only(rule: Rule) -> dict[str, Passes]:
    """The variables of a rule whose values it does nothing with but compare them, one by one."""
    occurrences: Counter[str] = Counter(name for _, _, name in rule.plan.check.variables)
    used = {name for name, number in occurrences.items() if number > 1}
    for _, _, expression in rule.plan.assigned:
        used |= variables_of(expression)
    for condition in rule.conditions:
        used.update(_used(condition))
    for comparison in rule.where:
        together = _variables(comparison)
        if len(together) > 1:
            used |= together
    return {
        name: Passes(name, tuple(one for one in rule.where if name in _variables(one)))
        for name in occurrences
        if name not in used
    }


def inherited(condition: Condition) -> Iterator[tuple[tuple[int, str], object]]:
    """The attributes of a condition's pattern, as (id, name), that its source has, with values."""
    source, pattern = condition.inclusion.source, condition.pattern
    for id_, image in condition.inclusion.mapping.items():
        for name in source.attributes(id_):
            yield (image, name), pattern.attribute(image, name)


def _used(condition: Condition) -> Iterator[str]:
    """The variables that a condition uses beyond repeating what its source has."""
    pattern, given = condition.pattern, {place for place, _ in inherited(condition)}
    ids = [*pattern.all_elements()]
    for relation in pattern.schema.relations:
        ids.extend(pattern.tuples(relation.name))
    for id_ in ids:
        for name, value in pattern.attributes(id_).items():
            if isinstance(value, Variable) and (id_, name) not in given:
                yield value.name
    for comparison in condition.where:
        yield from _variables(comparison)
    for inner in condition.nested:
        yield from _used(inner)


def _variables(comparison: Comparison) -> frozenset[str]:
    return variables_of(comparison.left) | variables_of(comparison.right)
