# SPDX-License-Identifier: Apache-2.0
"""Rules: spans ``L <- K -> R``. L is what must be there, K what stays, R what is there afterwards.

Elements and tuples of L outside the image of K are deleted, those of R outside it are created.
An attribute that L sets and K does not is forgotten; one that R sets is assigned.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.conditions import ApplicationCondition


class RuleError(ValueError):
    """A span that is no rule; the message says why."""


@dataclass(frozen=True)
class Rule:
    """A rewriting rule.

    Attributes:
        name: for messages.
        left: K -> L; monic.
        right: K -> R; where it is not monic, applying the rule merges elements.
        conditions: that every match must satisfy.
        monic: whether matches must be monic; or the types and relations on which they must be.

    Raises:
        RuleError: the legs do not start at one K, are not natural, change types, the left leg is
            not monic, a condition does not start at L, or a static relation would change.
    """

    name: str
    left: Morphism
    right: Morphism
    conditions: tuple[ApplicationCondition, ...] = ()
    monic: bool | tuple[str, ...] = True

    def __post_init__(self) -> None:
        """Check all of it, and report all that is wrong at once."""
        problems = list(_problems(self))
        if problems:
            raise RuleError(f"rule {self.name!r}: " + "; ".join(problems))

    @property
    def L(self) -> Instance:
        """The left side: the pattern."""
        return self.left.target

    @property
    def K(self) -> Instance:
        """The glue: what is preserved."""
        return self.left.source

    @property
    def R(self) -> Instance:
        """The right side: what replaces the pattern."""
        return self.right.target

    @cached_property
    def deleted(self) -> frozenset[int]:
        """Ids in L of the elements and tuples that the rule deletes."""
        return _outside(self.left)

    @cached_property
    def created(self) -> frozenset[int]:
        """Ids in R of the elements and tuples that the rule creates."""
        return _outside(self.right)

    def inverse(self) -> "Rule":
        """The rule the other way round, without conditions.

        Raises:
            RuleError: the right leg is not monic (the rule merges, and that cannot be undone).
        """
        return Rule(f"{self.name} (inverse)", self.right, self.left, (), self.monic)


def _outside(leg: Morphism) -> frozenset[int]:
    instance = leg.target
    everything = set(instance.all_elements())
    for relation in instance.schema.relations:
        everything.update(instance.tuples(relation.name))
    return frozenset(everything - leg.image())


def _problems(rule: Rule) -> Iterator[str]:
    if not rule.left.source.is_same(rule.right.source):
        yield "both legs must start at the same instance K"
        return
    for side, leg in (("left", rule.left), ("right", rule.right)):
        violations = leg.violations()
        if violations:
            reasons = "; ".join(violation.message for violation in violations)
            yield f"the {side} leg is no morphism: {reasons}"
            return
        yield from _type_changes(side, leg)
    for group in rule.left.collisions():
        yield (
            f"the left leg is not monic: {', '.join(group)} of K are one in L. Then what remains "
            "after deletion is not determined (the pushout complement is not unique); give K one "
            "element for each that is preserved"
        )
    for condition in rule.conditions:
        violations = condition.inclusion.violations()
        if not condition.inclusion.source.is_same(rule.L):
            yield f"condition {condition.name!r} must start at L"
        elif violations:
            yield f"condition {condition.name!r} is no morphism: {violations[0].message}"
    for side, leg in (("deletes", rule.left), ("creates", rule.right)):
        yield from _static_changes(side, leg)


def _type_changes(side: str, leg: Morphism) -> Iterator[str]:
    for element in leg.source.all_elements():
        before, after = leg.source.type_of(element), leg.target.type_of(leg.mapping[element])
        if before != after:
            yield (
                f"the {side} leg changes the type of {leg.source.name_of(element)!r} from "
                f"{before!r} to {after!r}; a rule must keep the types of what it preserves"
            )


def _static_changes(side: str, leg: Morphism) -> Iterator[str]:
    """Static tuples that a rule touches though all their elements stay."""
    outside = _outside(leg)
    for relation in leg.target.schema.relations:
        if not relation.static:
            continue
        for row, legs in leg.target.tuples(relation.name).items():
            if row in outside and outside.isdisjoint(legs):
                yield (
                    f"it {side} {leg.target.name_of(row)}, but {relation.name!r} is static; "
                    "declare it without static if actions change it"
                )
