# SPDX-License-Identifier: Apache-2.0
"""Patterns of steps, such as `pick(item=mug_1)`: the steps that a fault or a probability is about.

A pattern is written as `rule`, `rule(parameter=element, ...)`, or `*` for any rule. The name of an
element with other characters than letters, digits and `_ - . /` is written in double quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fcp_ros.planning.model.plan import PlanStep

ANY_RULE = "*"

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ARGUMENT = re.compile(
    rf"\s*(?P<parameter>{_NAME})\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[\w\-./]+))\s*(?:,|$)"
)
_PATTERN = re.compile(rf"\s*(?P<rule>\*|{_NAME})\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)


class PatternError(ValueError):
    """A text that is not a pattern, or names a rule or parameter that the domain doesn't have."""


@dataclass(frozen=True, slots=True)
class StepPattern:
    """Matches the steps of a rule (or of any) that have at least these arguments."""

    rule: str = ANY_RULE
    arguments: tuple[tuple[str, str], ...] = ()

    def matches(self, step: PlanStep) -> bool:
        """Return True if the step is one of these."""
        named = self.rule in (ANY_RULE, step.rule)
        return named and set(self.arguments) <= set(step.arguments)

    @property
    def specificity(self) -> tuple[int, int]:
        """Greater for a pattern that says more; of several that match, the most specific counts."""
        return (len(self.arguments), int(self.rule != ANY_RULE))

    def check(self, parameters: dict[str, tuple[str, ...]]) -> None:
        """Check the names in it.

        `parameters`: rule -> its parameters, of all rules of the domain. Raises PatternError if a
        rule or parameter that the domain doesn't have.
        """
        if self.rule != ANY_RULE and self.rule not in parameters:
            raise PatternError(
                f"{self}: the domain has no rule {self.rule!r}; it has "
                f"{', '.join(sorted(parameters))}"
            )
        known = (
            {name for names in parameters.values() for name in names}
            if self.rule == ANY_RULE
            else set(parameters[self.rule])
        )
        for name, _ in self.arguments:
            if name not in known:
                raise PatternError(
                    f"{self}: no parameter {name!r}; write one of {', '.join(sorted(known))}"
                )

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_quote(value)}" for name, value in self.arguments)
        return f"{self.rule}({inner})" if inner else self.rule


def parse_pattern(text: str) -> StepPattern:
    """Read a pattern.

    Raises PatternError if it can't be read; the message shows how it is written.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise PatternError(f"{text!r} is not a pattern of steps; write it like pick(item=mug_1)")
    return StepPattern(match["rule"], _parse_arguments(match["arguments"] or "", text))


def _parse_arguments(inner: str, text: str) -> tuple[tuple[str, str], ...]:
    arguments: list[tuple[str, str]] = []
    position = 0
    while position < len(inner) and inner[position:].strip():
        match = _ARGUMENT.match(inner, position)
        if match is None:
            raise PatternError(
                f"{inner[position:].strip()!r} in {text!r} is not an argument; "
                "write it like item=mug_1, with commas between several"
            )
        value = match["quoted"] if match["quoted"] is not None else match["plain"]
        arguments.append((match["parameter"], value))
        position = match.end()
    return tuple(arguments)


def _quote(value: str) -> str:
    return value if re.fullmatch(r"[\w\-./]+", value) else f'"{value}"'
