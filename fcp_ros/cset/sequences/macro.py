# SPDX-License-Identifier: Apache-2.0
"""Macros: one rule that stands for several, and how it is expanded again."""

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.cset.instance.morphism import Morphism, morphism
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.sequences.applied_step import AppliedStep


@dataclass(frozen=True)
class Origin:
    """Where an element comes from that a part of a macro matches.

    Attributes:
        part: index of the part whose rule creates it; None where it is there from the start.
        id: in the right side of that rule, or in the left side of the macro's.
    """

    part: int | None
    id: int


@dataclass(frozen=True)
class MacroPart:
    """One of the rules that a macro is made of.

    Attributes:
        rule: the rule.
        elements: for each element of its left side, where it comes from.
    """

    rule: Rule
    elements: Mapping[int, Origin]


@dataclass(frozen=True)
class Macro:
    """A composite rule, and what it is made of.

    Applying the rule at a match gives the state that the parts give in turn, and it can be applied
    only where they can.

    Attributes:
        rule: the composite.
        parts: the rules that it stands for, in order.
    """

    rule: Rule
    parts: tuple[MacroPart, ...]

    def expand(self, match: Morphism) -> tuple[AppliedStep, ...]:
        """The steps that applying the composite at a match stands for.

        Raises:
            StepError: a step is not applicable there; then neither is the composite.
        """
        steps: list[AppliedStep] = []
        state = match.target
        for part in self.parts:
            elements = {
                id_: match.mapping[origin.id]
                if origin.part is None
                else steps[origin.part].comatch.mapping[origin.id]
                for id_, origin in part.elements.items()
            }
            steps.append(AppliedStep.of(part.rule, morphism(part.rule.L, state, elements)))
            state = steps[-1].after
        return tuple(steps)
