# SPDX-License-Identifier: Apache-2.0
"""Oracles for stated knowledge: tables of degrees, and fuzzy rules over numeric attributes.

*Table*: the domain's author states degrees by category label; the first entry that fits decides. An
entry fits a thing by its words, or as a kind of what it names: by the last words, by the domain's
types, or by WordNet ("toddler" is a child). What people judged word for word comes before an entry
that fits the kind alone.
*Rule*: each line computes a value from numeric attributes and says how well it fits; a t-norm
composes the lines. An unknown value (an object without a box) is not guessed: the rule then has
no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from fcp_ros.domain.expressions.arithmetic import Arithmetic, Distance, ElementAttribute, Number
from fcp_ros.domain.model import GradedPredicate, TableEntry
from fcp_ros.foundation.labels import label_forms, normalise_label, take_name
from fcp_ros.foundation.wordnet import WordNet, find_wordnet
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding.judged_pairs import KnownAnswers
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.membership_oracle import Answer, PerRequestOracle, hash_predicate

Numbers = Mapping[tuple[str, str], float]  # Known numbers by parameter and attribute
WARNING = 0.5  # Entries below it warn of something
WARNING_MEANINGS = 2
"""Meanings of a word for which a warning counts: "knife" as a tool and as a weapon."""
_NO_LABELS: frozenset[str] = frozenset()
MOST = 1e300  # Larger magnitudes, infinity and NaN are no measurements


class NotKnownError(ValueError):
    """A value that can't be computed; the message is a clause that gives the reason."""


class TableOracle(PerRequestOracle):
    """Looks the degree up in the predicate's table; the first entry that fits decides.

    The table's own default degree counts only if the table alone is asked; among several oracles
    it comes after all of them (router.py).
    """

    name = "table"
    model = "table"
    mode = "first_entry"
    is_stated = True
    is_kept = False  # what is judged word for word counts at once

    def __init__(
        self,
        known: KnownAnswers | None = None,
        find_nouns: Callable[[], WordNet | None] = find_wordnet,
    ) -> None:
        self._known = known
        self._find_nouns = find_nouns

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: an error NO_TABLE_ENTRY if no entry fits and there is no default."""
        nouns = self._find_nouns()
        found = [_find_entry(predicate.table, request, nouns) for request in requests]
        judged = self._find_judged(predicate, requests, found)
        return [
            judged.get(place) or self._answer(predicate, request, one)
            for place, (request, one) in enumerate(zip(requests, found, strict=True))
        ]

    def _find_judged(
        self,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        found: Sequence[_Found | None],
    ) -> dict[int, Membership]:
        """Find what was judged word for word, by place, where an entry fits the kind alone."""
        if self._known is None or not predicate.judged_like:
            return {}
        places = [i for i, one in enumerate(found) if one is not None and one.fit is Fit.KIND]
        asked = [requests[place] for place in places]
        answers = self._known.find_all(predicate, hash_predicate(predicate), asked)
        return {place: one for place, one in zip(places, answers, strict=True) if one is not None}

    def _answer(
        self, predicate: GradedPredicate, request: JudgementRequest, found: _Found | None
    ) -> Answer:
        model = f"{self.model}:{predicate.name}"
        if found is not None:
            return Membership.of_degree(found.entry.degree, self.name, model, found.note)
        default = predicate.default_degree
        if default is not None and predicate.oracle == self.name:
            return Membership.of_degree(default, self.name, model, "default degree of the table")
        return GroundingError(
            GroundingCode.NO_TABLE_ENTRY,
            f"no entry of the table of {predicate.name} fits {request}; add one"
            + ("" if predicate.hazard else ", or give the predicate a default_degree"),
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


class Fit(IntEnum):
    """The closeness of an entry's label to an argument."""

    NONE = 0
    KIND = 1
    WORDS = 2


class _Found(NamedTuple):
    """The first entry of a table that fits; its number counts from 1."""

    number: int
    entry: TableEntry
    fit: Fit

    @property
    def note(self) -> str:
        kind = ", which fits by kind" if self.fit is Fit.KIND else ""
        return f"entry {self.number} of the table{kind}"


def _find_entry(
    table: Sequence[TableEntry], request: JudgementRequest, nouns: WordNet | None
) -> _Found | None:
    for number, entry in enumerate(table, start=1):
        fit = fit_entry(entry, request, nouns)
        if fit is not Fit.NONE:
            return _Found(number, entry, fit)
    return None


def fit_entry(entry: TableEntry, request: JudgementRequest, nouns: WordNet | None = None) -> Fit:
    """Find the least fit of the entry's labels to their arguments.

    The last words of an argument name its kind, as in the scene layer: ``table`` fits a "dining
    table", so more specific entries are written first. An entry that warns counts for the less
    frequent meaning of a word, too.
    """
    words = {argument.parameter: argument.words for argument in request.arguments}
    meanings = WARNING_MEANINGS if entry.degree < WARNING else 1
    fits = (
        _fit_label(words[place], label, entry.kinds.get(place, _NO_LABELS), nouns, meanings)
        if place in words
        else Fit.NONE
        for place, label in entry.when.items()
    )
    return min(fits, default=Fit.NONE)


@lru_cache(maxsize=65_536)
def _fit_label(
    words: str, label: str, kinds: frozenset[str], nouns: WordNet | None, meanings: int
) -> Fit:
    name = normalise_label(label)
    length = len(normalise_label(words).split())
    forms = label_forms(words)
    if any(form == name and len(form.split()) == length for form in forms):
        return Fit.WORDS
    if name in forms or not kinds.isdisjoint(forms):
        return Fit.KIND
    is_kind = nouns is not None and nouns.is_kind(
        take_name(words), kinds or frozenset((name,)), most_meanings=meanings
    )
    return Fit.KIND if is_kind else Fit.NONE


def read_numbers(request: JudgementRequest) -> Numbers:
    """Collect the known numeric attributes of the arguments."""
    return {
        (argument.parameter, name): float(value)
        for argument in request.arguments
        for name, value in argument.attributes
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST
    }


def evaluate(value: Arithmetic, numbers: Numbers) -> float:
    """Compute a finite value of a rule; NotKnownError: unknown attribute, 1/0, root of -1, ..."""
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
