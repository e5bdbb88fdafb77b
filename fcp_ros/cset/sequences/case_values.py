# SPDX-License-Identifier: Apache-2.0
"""The attribute values that a case of a condition asks for."""

from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Expression,
    ExpressionError,
    Operation,
    Variable,
    variables_of,
)
from fcp_ros.cset.sequences.frame import Frame
from fcp_ros.cset.sequences.pattern_draft import PatternDraft, Place
from fcp_ros.cset.sequences.run_names import RunNames
from fcp_ros.cset.sequences.symbolic_run import substituted


class Impossible(Exception):
    """A case that cannot come about."""


class CaseValues:
    """What the variables of a condition's pattern stand for, and what must hold of them.

    Attributes:
        values: by the names of the pattern's variables.
        where: comparisons over variables of the start.
    """

    def __init__(self, values: Mapping[str, Expression], names: RunNames) -> None:
        self.values = dict(values)
        self.where: list[Comparison] = []
        self._names = names

    def require(
        self,
        wanted: Sequence[tuple[Place, Expression]],
        frame: Frame,
        pattern: PatternDraft,
        where: Iterable[Comparison],
    ) -> None:
        """Ask for attributes: of what is known, or else of the case's pattern, which gets them.

        Args:
            wanted: attributes, with values or variables of the condition's pattern.
            frame: what is known.
            pattern: of the case.
            where: the condition's own comparisons.

        Raises:
            Impossible: a value is another one.
        """
        later = []
        for place, value in wanted:
            new = not frame.knows(place[0])
            known = None if new else frame.value(place)
            if known is not None:
                self._match(known, value)
            elif new or frame.is_open(place):
                later.append((place, value))
            else:
                raise Impossible
        for place, value in later:
            if place not in pattern.values:
                pattern.values[place] = self._value(place, value)
            self._match(pattern.values[place], value)
        for comparison in where:
            self._compare(substituted(comparison, self.values))

    def _value(self, place: Place, wanted: Expression) -> Expression:
        """What to write in a pattern: a value, or a variable."""
        bound = self.values.get(wanted.name) if isinstance(wanted, Variable) else wanted
        if bound is None or isinstance(bound, Operation):
            wish = wanted.name if isinstance(wanted, Variable) else place[1]
            return Variable(self._names.variable(wish))
        return bound

    def _match(self, known: Expression, wanted: Expression) -> None:
        if isinstance(wanted, Variable):
            wanted = self.values.setdefault(wanted.name, known)
        if known != wanted:
            self._compare(Comparison(known, Comparator.EQUAL, wanted))

    def _compare(self, comparison: Comparison) -> None:
        if variables_of(comparison.left) or variables_of(comparison.right):
            self.where.append(comparison)
            return
        try:
            holds = comparison.holds({})
        except ExpressionError:
            holds = False
        if not holds:
            raise Impossible
