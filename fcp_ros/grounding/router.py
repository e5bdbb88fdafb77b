# SPDX-License-Identifier: Apache-2.0
"""Routing of requests to oracles: one, the first of several that can, or all of them composed.

Failures fall back in this order:

    its oracles, first_of or all_of  ->  (a gap of table or rule: default_degree)
        ->  the fallback oracle  ->  default_degree  ->  error with all reasons

Of a hazard, what none of them can judge is not safe: its degree is 0, with the reasons. A model has
an opinion of everything, so of a hazard it is not asked about a thing without a name ("object" was
0.84 safe for a child).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fcp_ros.domain.model import DEFAULT_ORACLE, TABLE, Combination, GradedPredicate, OracleChoice
from fcp_ros.foundation.labels import names_a_kind
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding.cached_oracle import CachedOracle
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.membership_oracle import Answer, hash_predicate


def choose_oracles(predicate: GradedPredicate, default: str) -> OracleChoice:
    """Choose the oracles that answer for a predicate, by their own names, each once.

    If a table alone has neither an entry nor a default degree, the default oracle answers.
    """
    choice = predicate.oracle
    if not isinstance(choice, OracleChoice):
        leaves_open = choice == TABLE and predicate.default_degree is None
        names = (TABLE, DEFAULT_ORACLE) if leaves_open else (choice,)
        choice = OracleChoice(names, Combination.FIRST_OF)
    own = (default if name == DEFAULT_ORACLE else name for name in choice.names)
    return replace(choice, names=tuple(dict.fromkeys(own)))


class OracleRouter:
    """Asks the oracles of predicates for memberships before calibration.

    `oracles` holds every name that a predicate or the fallback ("" for none) uses.
    """

    def __init__(
        self,
        predicates: Mapping[str, GradedPredicate],
        oracles: Mapping[str, CachedOracle],
        default: str,
        fallback: str,
    ) -> None:
        self._oracles = oracles
        self._fallback = fallback
        self.choices = {name: choose_oracles(p, default) for name, p in predicates.items()}
        self._versions = {name: hash_predicate(p) for name, p in predicates.items()}

    def answer(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Answer distinct requests: for each its membership, or all reasons why there is none."""
        choice = self.choices[predicate.name]
        if choice.combination is Combination.ALL_OF:
            answers = self._ask_all(choice, predicate, requests)
        else:
            answers = self._ask_in_turn(choice.names, predicate, requests)
        if any(isinstance(answer, GroundingError) for answer in answers):
            return self._fall_back(choice.names, predicate, requests, answers)
        return answers

    def find_answer(
        self, predicate: GradedPredicate, request: JudgementRequest
    ) -> Membership | None:
        """Return the answer if it is available without asking a model."""
        choice, version = self.choices[predicate.name], self._versions[predicate.name]
        found = [
            None
            if self._find_nameless(name, predicate, [request])
            else self._oracles[name].find_answer(predicate, version, request)
            for name in choice.names
        ]
        there = [answer for answer in found if answer is not None]
        if choice.combination is Combination.ALL_OF:
            return compose(choice.names, there, choice.t_norm) if None not in found else None
        return there[0] if there else None

    def _ask(
        self,
        name: str,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        has_substitute: bool,
    ) -> list[Answer]:
        version = self._versions[predicate.name]
        nameless = self._find_nameless(name, predicate, requests)
        named = [request for place, request in enumerate(requests) if place not in nameless]
        answers = iter(
            self._oracles[name].answer(predicate, version, named, has_substitute=has_substitute)
        )
        return [nameless.get(place) or next(answers) for place in range(len(requests))]

    def _find_nameless(
        self, name: str, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> dict[int, GroundingError]:
        """Find requests about a hazard of things without names, which no model can judge."""
        if not predicate.hazard or self._oracles[name].is_stated:
            return {}
        return {
            place: GroundingError(
                GroundingCode.NOT_KNOWN,
                f"{request} is about a thing whose label {words!r} names nothing; give it a "
                f"label, or the table of {predicate.name} an entry for it",
            )
            for place, request in enumerate(requests)
            if (words := _find_nameless_label(request))
        }

    def _has_rescue(self, predicate: GradedPredicate, names: Sequence[str]) -> bool:
        other = bool(self._fallback) and self._fallback not in names
        return other or predicate.default_degree is not None or bool(predicate.hazard)

    def _ask_in_turn(
        self, names: Sequence[str], predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        rescue = self._has_rescue(predicate, names)
        answers = self._ask(names[0], predicate, requests, rescue or len(names) > 1)
        failures = {i: [a] for i, a in enumerate(answers) if isinstance(a, GroundingError)}
        for name in names[1:]:
            left = [i for i in failures if isinstance(answers[i], GroundingError)]
            if not left:
                break
            asked = [requests[position] for position in left]
            found = self._ask(name, predicate, asked, rescue or name != names[-1])
            for position, answer in zip(left, found, strict=True):
                if isinstance(answer, GroundingError):
                    failures[position].append(answer)
                    answers[position] = join_errors(failures[position])
                else:
                    answers[position] = note_failures(failures[position], answer)
        return answers

    def _ask_all(
        self, choice: OracleChoice, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        rescue = self._has_rescue(predicate, choice.names)
        columns = [self._ask(name, predicate, requests, rescue) for name in choice.names]
        answers: list[Answer] = []
        for row in zip(*columns, strict=True):
            errors = [answer for answer in row if isinstance(answer, GroundingError)]
            memberships = [answer for answer in row if isinstance(answer, Membership)]
            answers.append(
                join_errors(errors) if errors else compose(choice.names, memberships, choice.t_norm)
            )
        return answers

    def _fall_back(
        self,
        names: Sequence[str],
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        answers: Sequence[Answer],
    ) -> list[Answer]:
        """Replace each error by the default degree or the fallback's answer if there is one."""
        results = list(answers)
        left: dict[int, GroundingError] = {}
        for position, answer in enumerate(answers):
            if isinstance(answer, GroundingError):
                # For a gap, the author's default degree comes before a model's opinion.
                if answer.code in GAPS and predicate.default_degree is not None:
                    results[position] = build_default(predicate)
                else:
                    left[position] = answer
        if left and self._fallback and self._fallback not in names:
            asked = [requests[position] for position in left]
            stated = predicate.default_degree is not None or bool(predicate.hazard)
            found = self._ask(self._fallback, predicate, asked, stated)
            for (position, error), answer in zip(left.items(), found, strict=True):
                if isinstance(answer, GroundingError):
                    results[position] = apply_default(predicate, self._join_reasons(error, answer))
                else:
                    results[position] = replace(answer, fallback=error.sentence)
        elif left:
            for position, error in left.items():
                results[position] = apply_default(predicate, error)
        return results

    def _join_reasons(self, error: GroundingError, second: GroundingError) -> GroundingError:
        return GroundingError(
            error.code,
            f"{error.sentence}; the fallback {self._fallback} can't answer either: "
            f"{second.sentence}",
        )


def _find_nameless_label(request: JudgementRequest) -> str:
    """Find the first label of a request's things that doesn't say what it is; "" if all do."""
    labels = (argument.words for argument in request.arguments if not argument.is_text)
    return next((label for label in labels if not names_a_kind(label)), "")


UNJUDGED = "unjudged"
"""Source of the degree 0 of a hazard that nobody could judge; no outcome makes it safer."""
GAPS = frozenset({GroundingCode.NO_TABLE_ENTRY, GroundingCode.NOT_KNOWN})
"""Codes of questions that the author's table or rule leaves open: no fault of an oracle."""


def compose(names: Sequence[str], answers: Sequence[Membership], t_norm: str) -> Membership:
    """Compose the answers of several oracles to one membership by a t-norm.

    The spread is the widest of theirs: the slope of a t-norm (Lukasiewicz, product, Goedel) in one
    argument is at most 1, so one uncertain judge widens the result by no more than its own spread.
    For the same reason their uncertainties, if all say one, add up like independent errors at most.
    """
    degree = tnorm_by_name(t_norm).compose_all(answer.prior for answer in answers)
    parts = ", ".join(
        f"{name} {answer.prior:.2f}{f' ({answer.note})' if answer.note else ''}"
        for name, answer in zip(names, answers, strict=True)
    )
    said = [answer.uncertainty for answer in answers if answer.uncertainty is not None]
    return Membership(
        degree,
        degree,
        samples=(degree,),
        spread=max(answer.spread for answer in answers),
        uncertainty=min(math.hypot(*said), 1.0) if len(said) == len(answers) else None,
        source=f"all_of({', '.join(names)})",
        model=" + ".join(answer.model for answer in answers),
        note=f"{t_norm} of {parts}",
        latency=math.fsum(answer.latency for answer in answers),
    )


def note_failures(failures: Sequence[GroundingError], answer: Membership) -> Membership:
    """Add to an oracle's answer the reasons why the oracles before it had none."""
    broken = [error for error in failures if error.code not in GAPS]
    if broken:
        return replace(answer, fallback=join_sentences(broken))
    if not failures:
        return answer
    note = f"{answer.note}; asked because {join_sentences(failures)}" if answer.note else ""
    return replace(answer, note=note or f"asked because {join_sentences(failures)}")


def join_errors(errors: Sequence[GroundingError]) -> GroundingError:
    """Join several errors to one; its code is that of the first error that is no gap."""
    if len(errors) == 1:
        return errors[0]
    code = next((error.code for error in errors if error.code not in GAPS), errors[0].code)
    return GroundingError(code, join_sentences(errors))


def build_default(predicate: GradedPredicate, reason: str = "") -> Membership:
    """Build the membership of the predicate's default degree; `reason` if it is a fallback."""
    degree = predicate.default_degree
    assert degree is not None, "callers check that the domain states one"
    model, note = f"default_degree:{predicate.name}", "default degree of the domain"
    return Membership.of_degree(degree, "default_degree", model, note, fallback=reason)


def build_unsafe(predicate: GradedPredicate, error: GroundingError) -> Membership:
    """Build the membership of a hazard that can't be judged."""
    note = f"{predicate.name} can't be judged here, so it counts as unsafe"
    return Membership.of_degree(0.0, UNJUDGED, UNJUDGED, note, fallback=error.sentence)


def apply_default(predicate: GradedPredicate, error: GroundingError) -> Answer:
    """Return the default degree if the domain states one, 0 for a hazard, else the error."""
    if predicate.hazard:
        return build_unsafe(predicate, error)
    if predicate.default_degree is None:
        return error
    return build_default(predicate, "" if error.code in GAPS else error.sentence)


def join_sentences(errors: Sequence[GroundingError]) -> str:
    return "; ".join(dict.fromkeys(error.sentence for error in errors))
