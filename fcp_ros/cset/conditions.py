# SPDX-License-Identifier: Apache-2.0
"""Application conditions on the surroundings of a match: absent or present patterns.

A condition extends the left side L of a rule to a larger pattern P along L -> P. A negative one
(NAC) holds at a match L -> G when no P -> G extends the match, a positive one (PAC) when some does.
Extensions may have to satisfy conditions over P themselves: nested conditions (Habel, Pennemann,
*Correctness of high-level transformation systems relative to nested conditions*, 2009). Along the
identity of L, a positive condition says that all of its nested ones hold, a negative one that some
of them does not: with negation, that is all of first-order logic.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from fcp_ros.cset.extension import ExtensionPlan, plan_extension
from fcp_ros.cset.instance.expressions import ValueComparison, ValueExpressionError
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind


class ConditionKind(str, Enum):
    """Negative (the extension must be absent) or positive (it must be present)."""

    NAC = "nac"
    PAC = "pac"


@dataclass(frozen=True)
class ApplicationCondition:
    """A larger pattern that must occur around a match, or must not."""

    kind: ConditionKind
    name: str
    inclusion: Morphism
    # True if only monic extensions count. By default the existential element of ``not
    # holding(robot, ?any)`` may be any element, matched already or not.
    monic: bool = False
    # conditions that start at the larger pattern; only extensions that satisfy them count ("some
    # shelf that holds nothing")
    nested: tuple["ApplicationCondition", ...] = ()
    # comparisons over the variables of the larger pattern; only extensions that satisfy them count
    where: tuple[ValueComparison, ...] = ()

    @property
    def pattern(self) -> Instance:
        """The larger pattern."""
        return self.inclusion.target

    @cached_property
    def plan(self) -> ExtensionPlan:
        """The plan for extending matches."""
        return plan_extension(self.inclusion)

    def violation(self, match: Morphism) -> Violation | None:
        """Explain if the condition does not hold at a (natural) match; None if it holds."""
        try:
            return self.judge(match)
        except ValueExpressionError as error:
            text = f"it cannot be told whether {self.name!r} matches: {error}"
            return Violation(ViolationKind.EXPRESSION, text, (), self.name)

    def find_extension(self, match: Morphism) -> Morphism | None:
        """Find a morphism from the larger pattern that extends the match and counts; else None."""
        return next(find_extensions(self, match), None)

    def judge(self, match: Morphism) -> Violation | None:
        """Explain like `violation`, but raise ValueExpressionError for a missing truth value."""
        found = self.find_extension(match)
        if self.kind is ConditionKind.NAC and found is not None:
            names = _name_extra(self, found)
            text = f"{self.name!r} must not match, but it does: {', '.join(names) or 'always'}"
            return Violation(ViolationKind.NEGATIVE_CONDITION, text, names, self.name)
        if self.kind is ConditionKind.PAC and found is None:
            around = tuple(sorted(set(match.by_name().values())))
            text = f"{self.name!r} must match, but {self._explain_lack(match)}"
            return Violation(ViolationKind.POSITIVE_CONDITION, text, around, self.name)
        return None

    def _explain_lack(self, match: Morphism) -> str:
        """Explain the failure of the positive condition."""
        lacking = ", ".join(self.pattern.name_of(id_) for id_ in _find_extra(self)) or "it"
        for near in self.plan.find_extensions(match, self.monic, self.where):
            names = ", ".join(_name_extra(self, near)) or "what is there"
            reasons = (condition.judge(near) for condition in self.nested)
            return f"{names} will not do: {next(r.message for r in reasons if r is not None)}"
        where = f" with {' and '.join(map(str, self.where))}" if self.where else ""
        return f"nothing is like {lacking}{where}"


def find_extensions(condition: ApplicationCondition, match: Morphism) -> Iterator[Morphism]:
    """Find the extensions of a (natural) match that count for a condition."""
    found = condition.plan.find_extensions(match, condition.monic, condition.where)
    if not condition.nested:
        return found
    return (one for one in found if all(inner.judge(one) is None for inner in condition.nested))


def _name_extra(condition: ApplicationCondition, extension: Morphism) -> tuple[str, ...]:
    return tuple(extension.target.name_of(extension.mapping[id_]) for id_ in _find_extra(condition))


def _find_extra(condition: ApplicationCondition) -> list[int]:
    """The tuples that the larger pattern adds to the left side; its elements if there are none."""
    pattern, image = condition.inclusion.target, condition.inclusion.image()
    rows = [
        row
        for relation in pattern.list_filled()
        for row in pattern.tuples(relation)
        if row not in image
    ]
    return rows or [e for e in pattern.all_elements() if e not in image]
