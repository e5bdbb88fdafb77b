# SPDX-License-Identifier: Apache-2.0
"""Application conditions: what must not, or must, or how often, surround a match.

A condition extends the left side L of a rule to a larger pattern P along L -> P. A negative one
(NAC) holds at a match L -> G when no P -> G extends the match, a positive one (PAC) when some does,
a count when their number is within its bounds. Which extensions count may depend on conditions in
their turn, over P: nested conditions (Habel, Pennemann, *Correctness of high-level transformation
systems relative to nested conditions*, 2009). Along the identity of L, a positive condition says
that all of its nested ones hold, a negative one that some of them does not: with negation, that is
all of first-order logic.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from fcp_ros.cset.conditions.extension import ExtensionPlan, plan_extension
from fcp_ros.cset.instance.expressions import ValueComparison, ValueExpressionError
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind


class ConditionKind(str, Enum):
    """Whether the extension must be absent or present."""

    NAC = "nac"
    PAC = "pac"


@dataclass(frozen=True)
class ApplicationCondition:
    """That the larger pattern must not occur around a match, or that it must.

    Attributes:
        kind: negative or positive.
        name: for messages: what it says, in words of the domain.
        inclusion: from the rule's left side to the larger pattern.
        monic: whether only monic extensions count. By default they need not be: what is existential
            in ``not holding(robot, ?any)`` may be any element, matched already or not.
        nested: conditions that start at the larger pattern; only extensions that satisfy them count
            ("some shelf that holds nothing").
        where: comparisons over the variables of the larger pattern; only extensions that satisfy
            them count.
    """

    kind: ConditionKind
    name: str
    inclusion: Morphism
    monic: bool = False
    nested: tuple["Condition", ...] = ()
    where: tuple[ValueComparison, ...] = ()

    @property
    def pattern(self) -> Instance:
        """The larger pattern."""
        return self.inclusion.target

    @cached_property
    def plan(self) -> ExtensionPlan:
        """How matches are extended."""
        return plan_extension(self.inclusion)

    def extension(self, match: Morphism) -> Morphism | None:
        """A morphism from the larger pattern that extends the match and counts, None without."""
        return next(extensions(self, match), None)

    def violation(self, match: Morphism) -> Violation | None:
        """Why the condition does not hold at a (natural) match, None where it holds."""
        return _violation(self, match)

    def judge(self, match: Morphism) -> Violation | None:
        """As `violation`, but ValueExpressionError where a comparison has no truth value."""
        found = self.extension(match)
        if self.kind is ConditionKind.NAC and found is not None:
            names = _extra_names(self, found)
            text = f"{self.name!r} must not match, but it does: {', '.join(names) or 'always'}"
            return Violation(ViolationKind.NEGATIVE_CONDITION, text, names, self.name)
        if self.kind is ConditionKind.PAC and found is None:
            around = tuple(sorted(set(match.by_name().values())))
            text = f"{self.name!r} must match, but {self._lack(match)}"
            return Violation(ViolationKind.POSITIVE_CONDITION, text, around, self.name)
        return None

    def _lack(self, match: Morphism) -> str:
        """What keeps the positive condition from holding."""
        lacking = ", ".join(self.pattern.name_of(id_) for id_ in _extra(self)) or "it"
        for near in self.plan.extensions(match, self.monic, self.where):
            names = ", ".join(_extra_names(self, near)) or "what is there"
            reasons = (condition.judge(near) for condition in self.nested)
            return f"{names} will not do: {next(r.message for r in reasons if r is not None)}"
        where = f" with {' and '.join(map(str, self.where))}" if self.where else ""
        return f"nothing is like {lacking}{where}"


@dataclass(frozen=True)
class CountCondition:
    """How often the larger pattern must occur around a match: no less and no more than given.

    What is counted are morphisms from the larger pattern that extend the match. Where the pattern
    has n elements that are alike, each group of them is so counted n! times: let it have one.

    Attributes:
        name: for messages: what is counted, in words of the domain.
        inclusion: from the rule's left side to the larger pattern.
        at_least: the least number that is admitted.
        at_most: the greatest number that is admitted; None for no bound.
        monic: whether only monic extensions count.
        nested: only extensions that satisfy these count (see `ApplicationCondition`).
        where: only extensions that satisfy these comparisons count.
    """

    name: str
    inclusion: Morphism
    at_least: int = 0
    at_most: int | None = None
    monic: bool = False
    nested: tuple["Condition", ...] = ()
    where: tuple[ValueComparison, ...] = ()

    @property
    def pattern(self) -> Instance:
        """The larger pattern."""
        return self.inclusion.target

    @cached_property
    def plan(self) -> ExtensionPlan:
        """How matches are extended."""
        return plan_extension(self.inclusion)

    def violation(self, match: Morphism) -> Violation | None:
        """Why the condition does not hold at a (natural) match, None where it holds."""
        return _violation(self, match)

    def judge(self, match: Morphism) -> Violation | None:
        """As `violation`, but ValueExpressionError where a comparison has no truth value."""
        enough = self.at_least if self.at_most is None else max(self.at_least, self.at_most + 1)
        found = list(islice(extensions(self, match), enough))
        if len(found) < self.at_least:
            text = f"{self.name!r} must match at least {_times(self.at_least)}, but it does"
            shown = f"{text} {_times(len(found))}"
        elif self.at_most is not None and len(found) > self.at_most:
            text = f"{self.name!r} must match at most {_times(self.at_most)}, but it does"
            shown = f"{text} at least {_times(len(found))}"
        else:
            return None
        names = tuple(dict.fromkeys(n for one in found for n in _extra_names(self, one)))
        text = f"{shown}: {', '.join(names)}" if names else shown
        return Violation(ViolationKind.COUNT, text, names, self.name)


Condition: TypeAlias = ApplicationCondition | CountCondition


def extensions(condition: Condition, match: Morphism) -> Iterator[Morphism]:
    """The extensions of a (natural) match that count for a condition.

    Raises:
        ValueExpressionError: on the way, where a comparison has no truth value.
    """
    found = condition.plan.extensions(match, condition.monic, condition.where)
    if not condition.nested:
        return found
    return (one for one in found if all(inner.judge(one) is None for inner in condition.nested))


def _violation(condition: Condition, match: Morphism) -> Violation | None:
    try:
        return condition.judge(match)
    except ValueExpressionError as error:
        text = f"it cannot be told whether {condition.name!r} matches: {error}"
        return Violation(ViolationKind.EXPRESSION, text, (), condition.name)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _extra_names(condition: Condition, extension: Morphism) -> tuple[str, ...]:
    """Names of what an extension finds beyond the match."""
    return tuple(extension.target.name_of(extension.mapping[id_]) for id_ in _extra(condition))


def _extra(condition: Condition) -> list[int]:
    """What the larger pattern has beyond the left side; tuples where there are any."""
    pattern, image = condition.inclusion.target, condition.inclusion.image()
    rows = [
        row
        for relation in pattern.schema.relations
        for row in pattern.tuples(relation.name)
        if row not in image
    ]
    return rows or [e for e in pattern.all_elements() if e not in image]
