# SPDX-License-Identifier: Apache-2.0
"""The section `graded` of a domain file: rubrics, tables, oracles, and computed degrees.

The key `rule` of a graded predicate holds values over numeric attributes with their fuzzy sets.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from fcp_ros.domain.diagnostics import Diagnostics, Path, article
from fcp_ros.domain.expressions.arithmetic import (
    COORDINATES,
    Arithmetic,
    ArithmeticOperation,
    Distance,
    ElementAttribute,
    NotArithmetic,
)
from fcp_ros.domain.expressions.arithmetic_parser import parse_arithmetic
from fcp_ros.domain.model import (
    BUILT_IN,
    DEFAULT_T_NORM,
    ORACLES,
    RULE,
    STATED,
    TABLE,
    TEXT,
    Anchor,
    Combination,
    FuzzyRule,
    GradedPredicate,
    OracleChoice,
    Rubric,
    RuleLine,
    TableEntry,
    oracle_names,
)
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import (
    DomainFile,
    GradedEntry,
    OracleEntry,
    RubricEntry,
    RuleLineEntry,
    TableRow,
)
from fcp_ros.domain.yaml.types import build_parameters, check_name, check_type
from fcp_ros.foundation.labels import normalise_label
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


SCORES = (0, 50, 100)
"""The scores that a rubric anchors."""
NAME_CONTEXT = "name"
"""In `context`: the element's own name."""

Oracle = str | OracleChoice

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def build_graded(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, GradedPredicate]:
    """Build the graded predicates that can be read; report the faults of the others."""
    find_labels = partial(_find_labels, file, _map_labels(file, vocabulary))
    return {
        name: _build_predicate(name, entry, file, vocabulary, find_labels, report)
        for name, entry in file.graded.items()
    }


def _build_predicate(
    name: str,
    entry: GradedEntry,
    file: DomainFile,
    vocabulary: Vocabulary,
    find_labels: Callable[[str], frozenset[str]],
    report: Diagnostics,
) -> GradedPredicate:
    path: Path = ("graded", name)
    check_name(name, "graded predicate", path, report)
    if name in file.types or name in file.relations or name in BUILT_IN:
        report.add(path, f"the name {name} is taken already", "rename the graded predicate")
    if not entry.parameters:
        report.add(path, f"{name} has no parameters", "declare at least one")
    for parameter, type_ in entry.parameters.items():
        here = (*path, "parameters", parameter)
        check_name(parameter, "parameter", here, report)
        if type_ != TEXT:
            check_type(type_, vocabulary, here, report, f"parameter {parameter} of {name}")
    _check_context(name, entry, file, vocabulary, path, report)
    oracle = build_oracle(name, entry, path, report)
    rubric = _build_rubric(name, entry.rubric, entry, path, report) if entry.rubric else None
    table = tuple(
        row
        for position, given in enumerate(entry.table)
        for row in _build_rows(name, given, entry, (*path, "table", position), find_labels, report)
    )
    if entry.hazard and entry.default_degree is not None:
        message = f"{name} is a hazard, so what can't be judged counts as 0, and it has a default"
        report.add((*path, "default_degree"), message, "drop it, or add entries to the table")
    return GradedPredicate(
        name=name,
        parameters=build_parameters(entry.parameters),
        rubric=rubric,
        context={parameter: tuple(names) for parameter, names in entry.context.items()},
        oracle=oracle,
        table=table,
        default_degree=entry.default_degree,
        calibrated=entry.calibrated,
        judged_like=entry.judged_like,
        rule=build_fuzzy_rule(name, entry, file, path, report),
        hazard=entry.hazard,
        guides=entry.guides,
    )


def _check_context(
    name: str,
    entry: GradedEntry,
    file: DomainFile,
    vocabulary: Vocabulary,
    path: Path,
    report: Diagnostics,
) -> None:
    for parameter, attributes in entry.context.items():
        here = (*path, "context", parameter)
        type_ = entry.parameters.get(parameter)
        if type_ is None:
            fix = suggest_name(parameter, entry.parameters)
            report.add(here, f"context of {name} names the unknown parameter {parameter}", fix)
        elif type_ == TEXT and attributes:
            message = f"parameter {parameter} of {name} is text and has no attributes"
            report.add(here, message, "take it out of the context")
        elif type_ in vocabulary.parents:
            above = vocabulary.ancestors(type_)
            known = {NAME_CONTEXT, *(a for a, e in file.attributes.items() if e.of in above)}
            for position, attribute in enumerate(attributes):
                if attribute not in known:
                    message = f"{article(type_)} has no attribute {attribute} (context of {name})"
                    report.add((*here, position), message, suggest_name(attribute, known))


def _build_rubric(
    name: str, given: RubricEntry, entry: GradedEntry, path: Path, report: Diagnostics
) -> Rubric:
    here = (*path, "rubric")
    for word in _PLACEHOLDER.findall(given.question):
        if word not in entry.parameters:
            message = f"the question of {name} has the unknown placeholder {{{word}}}"
            report.add((*here, "question"), message, suggest_name(word, entry.parameters))
    for score in given.anchors:
        if score not in SCORES:
            message = f"anchor {score} of {name} is not 0, 50 or 100"
            report.add((*here, "anchors", score), message, "anchor exactly 0, 50 and 100")
    missing = [str(score) for score in SCORES if score not in given.anchors]
    if missing:
        message = f"the rubric of {name} has no anchor {' and no anchor '.join(missing)}"
        report.add((*here, "anchors"), message, "anchor exactly 0, 50 and 100")
    for score, anchor in given.anchors.items():
        for position, example in enumerate(anchor.examples):
            if len(example) != len(entry.parameters):
                shape = ", ".join(entry.parameters)
                message = f"example {example} of {name} does not have {len(entry.parameters)} words"
                report.add(
                    (*here, "anchors", score, "examples", position), message, f"write [{shape}]"
                )
    anchors = tuple(
        Anchor(score, anchor.means, tuple(tuple(example) for example in anchor.examples))
        for score, anchor in sorted(given.anchors.items())
    )
    return Rubric(given.question, anchors, tuple(given.factors))


def _map_labels(file: DomainFile, vocabulary: Vocabulary) -> dict[str, set[str]]:
    """Map each type to the labels of its things, those of its subtypes among them."""
    found: dict[str, set[str]] = defaultdict(set)
    for own, labels in file.labels.items():
        for type_ in vocabulary.ancestors(own) | {own}:
            found[type_].update(map(normalise_label, labels))
    return found


def _find_labels(
    file: DomainFile, by_type: Mapping[str, Collection[str]], name: str
) -> frozenset[str]:
    """Find the labels of things of a type, or of a kind that the file names; none for others."""
    kinds = map(normalise_label, file.kinds.get(name, ()))
    return frozenset((*by_type.get("_".join(name.split()), ()), *kinds))


def _build_rows(
    name: str,
    row: TableRow,
    entry: GradedEntry,
    path: Path,
    find_labels: Callable[[str], frozenset[str]],
    report: Diagnostics,
) -> list[TableEntry]:
    """Build the entries of a row: one for each combination of the labels in its lists."""
    for parameter in row.when:
        if parameter not in entry.parameters:
            message = f"a table entry of {name} names the unknown parameter {parameter}"
            report.add(
                (*path, "when", parameter), message, suggest_name(parameter, entry.parameters)
            )
    if not row.when:
        message = f"a table entry of {name} has no condition"
        report.add(path, message, "name a label, or use `default_degree:`")
    choices = [[v] if isinstance(v, str) else v for v in row.when.values()]
    entries = [dict(zip(row.when, labels, strict=True)) for labels in itertools.product(*choices)]
    below = [{place: find_labels(label) for place, label in when.items()} for when in entries]
    return [
        TableEntry(when, row.degree, {place: labels for place, labels in kinds.items() if labels})
        for when, kinds in zip(entries, below, strict=True)
    ]


# --- oracles


def build_oracle(name: str, entry: GradedEntry, path: Path, report: Diagnostics) -> Oracle:
    """Build the oracle, or the choice of several; report its faults."""
    here = (*path, "oracle")
    if isinstance(entry.oracle, str):
        oracle: Oracle = entry.oracle
        _check_names(name, (entry.oracle,), here, report)
    else:
        oracle = _build_choice(name, entry.oracle, here, report)
    names = oracle_names(oracle)
    if set(names) <= set(ORACLES):  # an unknown name may be meant for any oracle
        _check_needs(name, entry, names, path, report)
    return oracle


def _build_choice(name: str, entry: OracleEntry, path: Path, report: Diagnostics) -> OracleChoice:
    if bool(entry.first_of) == bool(entry.all_of):
        message = f"the oracle of {name} must say either first_of or all_of"
        report.add(path, message, "write `oracle: {first_of: [table, embedding]}`")
    combination = Combination.FIRST_OF if entry.first_of else Combination.ALL_OF
    here = (*path, combination.value)
    names = tuple(entry.first_of or entry.all_of)
    _check_names(name, names, here, report)
    if len(set(names)) < len(names):
        message = f"the oracle of {name} names one oracle twice"
        report.add(here, message, "name each once")
    elif len(names) == 1:
        message = f"the oracle of {name} has nothing to choose from"
        report.add(here, message, f"name a second one, or write `oracle: {names[0]}`")
    if combination is Combination.FIRST_OF and entry.t_norm is not None:
        message = f"the first oracle of {name} that can answer does, so nothing is composed"
        report.add((*path, "t_norm"), message, "drop t_norm, or write all_of")
    t_norm = check_t_norm(name, entry.t_norm, (*path, "t_norm"), report)
    return OracleChoice(names, combination, t_norm)


def _check_names(name: str, names: tuple[str, ...], path: Path, report: Diagnostics) -> None:
    for position, oracle in enumerate(names):
        if oracle not in ORACLES:
            here = (*path, position) if len(names) > 1 else path
            report.add(
                here, f"{name} names the unknown oracle {oracle}", suggest_name(oracle, ORACLES)
            )


def _check_needs(
    name: str, entry: GradedEntry, names: tuple[str, ...], path: Path, report: Diagnostics
) -> None:
    """Check that each oracle has what it reads, and that everything written has a reader."""
    if not set(names) <= set(STATED) and not entry.rubric:
        message = f"{name} is judged by a model and has no rubric"
        report.add(path, message, "write `rubric:` with a question and the anchors 0, 50, 100")
    if TABLE in names:
        # Beside other oracles the default degree is the last resort, not a table.
        if not entry.table and len(names) > 1:
            message = f"{name} is judged by a table among others and has no entries"
            report.add(path, message, "write `table:`, or take it out of the oracles")
        elif not entry.table and entry.default_degree is None:
            message = f"{name} is judged by a table and has neither entries nor a default"
            report.add(path, message, "write `table:` or `default_degree:`")
    elif entry.table:
        message = f"{name} has a table that its oracle {' or '.join(names)} does not read"
        report.add((*path, "table"), message, "set `oracle: table`, or drop the table")
    if RULE in names:
        if not entry.rule:
            message = f"{name} is judged by a rule and has none"
            report.add(path, message, "write `rule:` with a list of values and how they fit")
    elif entry.rule:
        message = f"{name} has a rule that its oracle {' or '.join(names)} does not read"
        report.add((*path, "rule"), message, "set `oracle: rule`, or drop the rule")
    if entry.t_norm is not None and not entry.rule:
        message = f"{name} has a t_norm and no rule whose lines it would compose"
        report.add((*path, "t_norm"), message, "drop it; that of all_of stands beside all_of")
