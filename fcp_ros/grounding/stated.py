# SPDX-License-Identifier: Apache-2.0
"""Oracles for stated knowledge: tables of degrees, and fuzzy rules over numeric attributes.

*Table*: the domain's author states degrees by category label; the first entry that fits decides.
*Rule*: each line computes a value from numeric attributes and says how well it fits; a t-norm
composes the lines. An unknown value (an object without a box) is not guessed: the rule then has
no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fcp_ros.domain.expressions.arithmetic import Arithmetic, Distance, ElementAttribute, Number
from fcp_ros.domain.model import GradedPredicate, TableEntry
from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import Answer, PerRequestOracle

Numbers = Mapping[tuple[str, str], float]
"""Known numbers by parameter and attribute."""
MOST = 1e300
"""Larger magnitudes, infinity and NaN are no measurements."""


class NotKnownError(ValueError):
    """A value that can't be computed; the message is a clause that gives the reason."""


class TableOracle(PerRequestOracle):
    """Looks the degree up in the predicate's table; the first entry that fits decides.

    The table's own default degree counts only if the table alone is asked; among several oracles
    it comes after all of them (asking/router.py).
    """

    name = "table"
    model = "table"
    mode = "first_entry"
    is_stated = True

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: an error NO_TABLE_ENTRY if no entry fits and there is no default."""
        return [self._find(predicate, request) for request in requests]

    def _find(self, predicate: GradedPredicate, request: JudgementRequest) -> Answer:
        model = f"{self.model}:{predicate.name}"
        for number, entry in enumerate(predicate.table, start=1):
            if fits_entry(entry, request):
                note = f"entry {number} of the table"
                return Membership.of_degree(entry.degree, self.name, model, note)
        default = predicate.default_degree
        if default is not None and predicate.oracle == self.name:
            return Membership.of_degree(default, self.name, model, "default degree of the table")
        return GroundingError(
            GroundingCode.NO_TABLE_ENTRY,
            f"no entry of the table of {predicate.name} fits {request}; add one, or give "
            "the predicate a default_degree",
        )


class RuleOracle(PerRequestOracle):
    """Computes the degree by the predicate's rule."""

    name = "rule"
    model = "rule"
    mode = "stated"
    is_kept = False
    is_stated = True

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: an error NOT_KNOWN if there is no rule, or a value is unknown."""
        return [self._apply(predicate, request) for request in requests]

    def _apply(self, predicate: GradedPredicate, request: JudgementRequest) -> Answer:
        rule = predicate.rule
        if rule is None or not rule.lines:
            return GroundingError(
                GroundingCode.NOT_KNOWN,
                f"{predicate.name} has no rule; write `rule:` in the domain, or name another "
                "oracle for it",
            )
        numbers = read_numbers(request)
        degrees, notes = [], []
        for line in rule.lines:
            try:
                value = evaluate(line.value, numbers)
            except NotKnownError as error:
                return GroundingError(
                    GroundingCode.NOT_KNOWN,
                    f"the rule of {predicate.name} can't judge {request} by {line.text}: {error}; "
                    "give the scene what is missing, or the predicate a default_degree",
                )
            degrees.append(line.fits.degree(value))
            notes.append(f"{line.text} = {value:.3g} -> {degrees[-1]:.2f}")
        degree = tnorm_by_name(rule.t_norm).compose_all(degrees)
        if len(degrees) > 1:
            notes.append(f"together ({rule.t_norm}) {degree:.2f}")
        model = f"{self.model}:{predicate.name}"
        return Membership.of_degree(degree, self.name, model, "; ".join(notes))


def fits_entry(entry: TableEntry, request: JudgementRequest) -> bool:
    """Return True if every label of the entry names its argument.

    A label names an argument by its whole words or by the last of them, as in the scene layer:
    ``table`` fits a "dining table", so more specific entries are written first.
    """
    words = {argument.parameter: argument.words for argument in request.arguments}
    return all(
        parameter in words and normalise_label(label) in label_forms(words[parameter])
        for parameter, label in entry.when.items()
    )


def read_numbers(request: JudgementRequest) -> Numbers:
    """Collect the known numeric attributes of the arguments."""
    return {
        (argument.parameter, name): float(value)
        for argument in request.arguments
        for name, value in argument.attributes
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST
    }


def evaluate(value: Arithmetic, numbers: Numbers) -> float:
    """Compute a value of a rule; the result is finite.

    Raises:
        NotKnownError: an unknown attribute, a division by zero, the root of a negative number, or
            a result beyond all bounds.
    """
    try:
        result = _compute(value, numbers)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise NotKnownError("it has no finite value")
    return result


def _compute(value: Arithmetic, numbers: Numbers) -> float:
    if isinstance(value, Number):
        return value.value
    if isinstance(value, ElementAttribute):
        return _look_up(value.parameter, value.name, numbers)
    if isinstance(value, Distance):
        return math.hypot(
            *(
                _look_up(value.first, c, numbers) - _look_up(value.second, c, numbers)
                for c in value.coordinates
            )
        )
    return _operate(value.name, [_compute(operand, numbers) for operand in value.operands])


def _look_up(parameter: str, attribute: str, numbers: Numbers) -> float:
    if (parameter, attribute) not in numbers:
        raise NotKnownError(f"{attribute} of {parameter} is not known")
    return numbers[parameter, attribute]


def _operate(name: str, operands: list[float]) -> float:
    first, last = operands[0], operands[-1]
    if name == "+":
        return first + last
    if name == "-":
        return first - last
    if name == "*":
        return first * last
    if name == "/":
        if last == 0.0:
            raise NotKnownError("it divides by 0")
        return first / last
    if name == "negative":
        return -first
    if name == "abs":
        return abs(first)
    if name == "sqrt":
        if first < 0.0:
            raise NotKnownError("it takes the root of a negative number")
        return math.sqrt(first)
    return min(operands) if name == "min" else max(operands)
