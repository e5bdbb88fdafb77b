# SPDX-License-Identifier: Apache-2.0
"""Steps of a concrete sequence: a rule, where it was applied, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.rewrite import Rewrite, rewrite
from fcp_ros.cset.rewriting.rule import Rule


class StepError(ValueError):
    """A step that was not applicable, or steps that do not follow one another."""


@dataclass(frozen=True)
class AppliedStep:
    """One application of a rule.

    Attributes:
        rule: what was applied.
        match: from its left side to the state before.
        rewrite: the outcome; it has a state.

    Raises:
        StepError: the rule was not applicable at the match; the message lists the violations.
    """

    rule: Rule
    match: Morphism
    rewrite: Rewrite

    def __post_init__(self) -> None:
        """Check that there is a state after the step."""
        if self.rewrite.instance is None or self.rewrite.comatch is None:
            reasons = "; ".join(map(str, self.rewrite.violations)) or "no reason was given"
            raise StepError(f"rule {self.rule.name!r} was not applicable: {reasons}")

    @classmethod
    def of(cls, rule: Rule, match: Morphism) -> "AppliedStep":
        """Apply a rule at a match.

        Raises:
            StepError: it is not applicable there.
            ValueError: the match does not start at the rule's left side.
        """
        return cls(rule, match, rewrite(rule, match))

    @property
    def before(self) -> Instance:
        """The state that the rule was applied to."""
        return self.match.target

    @property
    def after(self) -> Instance:
        """The state that came of it."""
        assert self.rewrite.instance is not None
        return self.rewrite.instance

    @property
    def comatch(self) -> Morphism:
        """From the rule's right side to the state after."""
        assert self.rewrite.comatch is not None
        return self.rewrite.comatch


def check_sequence(steps: Sequence[AppliedStep]) -> None:
    """Refuse steps that are no sequence.

    Raises:
        StepError: a step does not start at the state at which the one before it ended.
    """
    for number in range(1, len(steps)):
        if not steps[number].before.is_same(steps[number - 1].after):
            raise StepError(
                f"step {number} ({steps[number].rule.name!r}) does not start at the state at which "
                f"step {number - 1} ({steps[number - 1].rule.name!r}) ended"
            )
