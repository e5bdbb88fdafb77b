# SPDX-License-Identifier: Apache-2.0
"""Rules: spans ``L <- K -> R``. L is what must be there, K what stays, R what is there afterwards.

Elements and tuples of L outside the image of K are deleted, those of R outside it are created.
An attribute that L sets and K does not is forgotten; one that R sets and K does not is assigned.
An attribute of L may be a variable, which a match binds; those of R may be expressions over them.
"""

from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset.conditions.conditions import ApplicationCondition
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.rule_check import find_problems, is_always_decided
from fcp_ros.cset.rewriting.rule_plan import RulePlan, compile_span, outside


class RuleError(ValueError):
    """A span that is not a rule; the message says why."""


@dataclass(frozen=True)
class Rule:
    """A rewriting rule.

    Attributes:
        name: for messages.
        left: K -> L; monic, for otherwise the pushout complement is not unique.
        right: K -> R; where it is not monic, applying the rule merges elements.
        conditions: that every match must satisfy.
        monic: whether matches must be monic; or the types and relations on which they must be.
        where: comparisons over the variables of L that every match must satisfy.

    Raises:
        RuleError: the legs do not start at one K, are not natural, or change types or attributes;
            the left leg is not monic though it must be; a condition does not start at L; a static
            relation would change; a variable is unknown, or an operation stands outside R.
    """

    name: str
    left: Morphism
    right: Morphism
    conditions: tuple[ApplicationCondition, ...] = ()
    monic: bool | tuple[str, ...] = True
    where: tuple[ValueComparison, ...] = ()

    def __post_init__(self) -> None:
        """Check the span, and report all problems at once."""
        problems = find_problems(self.left, self.right, self.conditions, self.where)
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
        return outside(self.left)

    @cached_property
    def created(self) -> frozenset[int]:
        """Ids in R of the elements and tuples that the rule creates."""
        return outside(self.right)

    @cached_property
    def plan(self) -> RulePlan:
        """The compiled span, the same for all matches."""
        return compile_span(self.left, self.right)

    @cached_property
    def searchable(self) -> tuple[ValueComparison, ...]:
        """The comparisons with a truth value wherever L occurs, so that a search can test them."""
        return tuple(one for one in self.where if is_always_decided(one, self.L))

    def inverse(self) -> "Rule":
        """Return the rule in the other direction, without conditions and comparisons.

        Raises:
            RuleError: the right leg is not monic (the rule merges, which no rule can undo), or
                R has expressions, or L variables that R lacks.
        """
        name = f"{self.name} (inverse)"
        return Rule(name, self.right, self.left, (), self.monic)
