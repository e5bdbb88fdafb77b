# SPDX-License-Identifier: Apache-2.0
"""Rules: spans ``L <- K -> R``. L is what must be there, K what stays, R what is there afterwards.

Elements and tuples of L outside the image of K are deleted, those of R outside it are created.
An attribute that L sets and K does not is forgotten; one that R sets and K does not is assigned.
An attribute of L may be a variable, which a match binds; those of R may be expressions over them.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.rule_check import find_problems, is_always_decided
from fcp_ros.cset.rewriting.rule_plan import RulePlan, compile_span, outside


class Semantics(str, Enum):
    """The meaning of a rule ``L <- K -> R`` at a match ``m: L -> G``, and the matches it admits.

    All three turn G into a context D, which lacks ``L - K``, and then glue R to D along K: the
    result is a pushout of ``D <- K -> R``. They differ in D. They work on elements and on tuples
    alike, for a tuple is an element with its legs as functions; relations being sets, tuples that
    end up with equal legs then become one.
    """

    DPO = "dpo"
    """Double pushout (Ehrig, Ehrig, Prange, Taentzer, *Fundamentals of Algebraic Graph
    Transformation*, 2006, section 3.2): the cautious one. A match is admitted where G is a pushout
    of L and D along K, that is, where nothing that stays refers to what is deleted (dangling), and
    where nothing that is deleted shares its image with anything else of L (identification).
    A rule's left leg must be monic, for otherwise D is not determined."""

    SPO = "spo"
    """Single pushout (Loewe, *Algebraic approach to single-pushout graph transformation*, 1993):
    a pushout of partial morphisms, which exists at every match. What refers to a deleted element is
    deleted with it; where a match identifies something that is deleted with something that is
    preserved, deletion wins, and what R would have glued there is not in the result either (the
    comatch is then defined on the rest of R only). A rule's left leg must be monic."""

    SQPO = "sqpo"
    """Sesqui-pushout (Corradini, Heindel, Hermann, Koenig, *Sesqui-pushout rewriting*, 2006): D is
    the final pullback complement of ``K -> L`` and the match, the largest one in which L leaves
    exactly K. What refers to a deleted element is deleted with it. The left leg may send several
    elements of K to one of L: then that element is cloned, with everything that refers to it.
    A match is admitted where such a D exists: every monic one; one that is not must identify only
    what is all deleted, or all preserved and not cloned; and no clone may need infinitely many
    others (only in schemas whose functions run in cycles)."""


class RuleError(ValueError):
    """A span that is not a rule; the message says why."""


@dataclass(frozen=True)
class Rule:
    """A rewriting rule.

    Attributes:
        name: for messages.
        left: K -> L; monic, unless the semantics is SqPO: there it clones what it identifies.
        right: K -> R; where it is not monic, applying the rule merges elements.
        conditions: that every match must satisfy.
        monic: whether matches must be monic; or the types and relations on which they must be.
        semantics: what is deleted, and which matches are admitted (see `Semantics`).
        where: comparisons over the variables of L that every match must satisfy.

    Raises:
        RuleError: the legs do not start at one K, are not natural, or change types or attributes;
            the left leg is not monic though it must be; a condition does not start at L; a static
            relation would change; a variable is unknown, or an operation stands outside R.
    """

    name: str
    left: Morphism
    right: Morphism
    conditions: tuple[Condition, ...] = ()
    monic: bool | tuple[str, ...] = True
    semantics: Semantics = Semantics.DPO
    where: tuple[ValueComparison, ...] = ()

    def __post_init__(self) -> None:
        """Check the span, and report all problems at once."""
        problems = find_problems(
            self.left,
            self.right,
            self.conditions,
            self.where,
            clones=self.semantics is Semantics.SQPO,
        )
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
            RuleError: the right leg is not monic (the rule merges, and only SqPO can undo that), or
                R has expressions, or L variables that R lacks.
        """
        name = f"{self.name} (inverse)"
        return Rule(name, self.right, self.left, (), self.monic, self.semantics)
