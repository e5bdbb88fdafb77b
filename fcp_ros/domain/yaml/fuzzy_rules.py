# SPDX-License-Identifier: Apache-2.0
"""The key `rule` of a graded predicate: values over numeric attributes with their fuzzy sets."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.arithmetic import (
    COORDINATES,
    Arithmetic,
    ArithmeticOperation,
    Distance,
    ElementAttribute,
    NotArithmetic,
    parse_arithmetic,
)
from fcp_ros.domain.model import DEFAULT_T_NORM, TEXT, FuzzyRule, RuleLine
from fcp_ros.domain.yaml.entries import DomainFile, GradedEntry, RuleLineEntry
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.fuzzy import TNORM_CHOICES, tnorm_by_name
from fcp_ros.fuzzy.fuzzy_sets import FuzzySet, Sigmoid, Trapezoid

NUMERIC = ("int", "float")


def build_fuzzy_rule(
    name: str, entry: GradedEntry, file: DomainFile, path: Path, report: Diagnostics
) -> FuzzyRule | None:
    """Build the rule of a predicate from the lines that can be read; None without a rule."""
    if not entry.rule:
        return None
    t_norm = check_t_norm(name, entry.t_norm, (*path, "t_norm"), report)
    lines = []
    for position, given in enumerate(entry.rule):
        here = (*path, "rule", position)
        value = _build_value(name, given.value, entry, file, (*here, "value"), report)
        fits = _build_fuzzy_set(name, given, here, report)
        if value is not None and fits is not None:
            lines.append(RuleLine(" ".join(given.value.split()), value, fits))
    return FuzzyRule(tuple(lines), t_norm)


def check_t_norm(name: str, t_norm: str | None, path: Path, report: Diagnostics) -> str:
    """Return the name of the t-norm, or of the default; report an unknown name."""
    if t_norm is not None:
        try:
            tnorm_by_name(t_norm)
        except ValueError:
            report.add(path, f"{name} has the unknown t-norm {t_norm}", f"use {TNORM_CHOICES}")
    return t_norm or DEFAULT_T_NORM


def _build_fuzzy_set(
    name: str, given: RuleLineEntry, path: Path, report: Diagnostics
) -> FuzzySet | None:
    if (given.trapezoid is None) == (given.sigmoid is None):
        message = f"a line of the rule of {name} needs either a trapezoid or a sigmoid"
        report.add(path, message, "write `trapezoid: [a, b, c, d]` or `sigmoid: {middle:, width:}`")
        return None
    try:
        if given.sigmoid is not None:
            entry = given.sigmoid
            return Sigmoid(entry.middle, entry.width, entry.falling)
        corners = given.trapezoid or []
        if len(corners) != 4:
            raise ValueError(f"it has {len(corners)} numbers")
        return Trapezoid(*corners)
    except ValueError as error:
        if given.sigmoid is not None:
            message = f"the sigmoid of {name} can't be used: {error}"
            report.add((*path, "sigmoid"), message, "give a finite middle and a width above 0")
        else:
            message = f"the trapezoid of {name} can't be used: {error}"
            fix = "give the four values where the degree is 0, 1, 1, 0, in rising order"
            report.add((*path, "trapezoid"), message, fix)
        return None


def _build_value(
    name: str, text: str, entry: GradedEntry, file: DomainFile, path: Path, report: Diagnostics
) -> Arithmetic | None:
    try:
        value = parse_arithmetic(text)
    except NotArithmetic as error:
        report.add(path, f"the value `{text}` of {name} can't be read: {error}", error.fix)
        return None
    return _Names(name, entry, file, path, report).resolve(value)


class _Names:
    """Checks the names of one value; distances get the coordinates that they are computed from."""

    def __init__(
        self, name: str, entry: GradedEntry, file: DomainFile, path: Path, report: Diagnostics
    ) -> None:
        self._name = name
        self._entry = entry
        self._file = file
        self._path = path
        self._report = report

    def resolve(self, value: Arithmetic) -> Arithmetic:
        if isinstance(value, ElementAttribute):
            if self._is_element(value.parameter):
                self._check_attribute(value)
        elif isinstance(value, Distance):
            return self._resolve_distance(value)
        elif isinstance(value, ArithmeticOperation):
            return replace(value, operands=tuple(map(self.resolve, value.operands)))
        return value

    def _is_element(self, parameter: str) -> bool:
        parameters = self._entry.parameters
        if parameter not in parameters:
            message = f"the rule of {self._name} names the unknown parameter {parameter}"
            self._report.add(self._path, message, suggest_name(parameter, parameters))
        elif parameters[parameter] == TEXT:
            message = f"the rule of {self._name} asks the text {parameter} for a number"
            self._report.add(self._path, message, "name a parameter that is an element")
        else:
            return True
        return False

    def _list_declared(self, parameter: str) -> tuple[str, ...]:
        return tuple(self._entry.context.get(parameter, ()))

    def _check_attribute(self, value: ElementAttribute) -> None:
        declared = self._list_declared(value.parameter)
        if value.name not in declared:
            known = self._file.attributes
            message = (
                f"the rule of {self._name} uses {value.parameter}.{value.name}, which is not in "
                f"its context"
            )
            fix = (
                f"add {value.name} to `context: {{{value.parameter}: [...]}}`"
                if value.name in known
                else suggest_name(value.name, declared or known)
            )
            self._report.add(self._path, message, fix)
        else:
            self._check_numeric(value.name)

    def _check_numeric(self, attribute: str) -> None:
        entry = self._file.attributes.get(attribute)
        if entry is None or entry.kind not in NUMERIC:
            kind = f"of kind {entry.kind}" if entry is not None else "words"
            message = f"the rule of {self._name} computes with {attribute}, which is {kind}"
            self._report.add(self._path, message, "use an attribute of kind int or float")

    def _resolve_distance(self, value: Distance) -> Distance:
        ends = (value.first, value.second)
        known = [self._is_element(end) for end in ends]
        if not all(known):
            return value
        first, second = (
            tuple(c for c in COORDINATES if c in self._list_declared(end)) for end in ends
        )
        if first != second or first[:2] != ("x", "y"):
            declared = (
                f"{e} declares {', '.join(c) or 'none'}"
                for e, c in ((value.first, first), (value.second, second))
            )
            message = f"the distance of {self._name} needs the same coordinates of both"
            message += f" ({'; '.join(declared)})"
            fix = f"write `context: {{{value.first}: [x, y], {value.second}: [x, y]}}`, or x, y, z"
            self._report.add(self._path, message, fix)
            return value
        for coordinate in first:
            self._check_numeric(coordinate)
        return replace(value, coordinates=first)
