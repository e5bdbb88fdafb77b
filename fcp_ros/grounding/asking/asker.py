# SPDX-License-Identifier: Apache-2.0
"""Who answers for a predicate: one oracle, the first of several that can, or all of them; and who
steps in where none of these can.

    its oracles, first_of or all_of  ->  (a gap of table or rule: default_degree)
        ->  the fallback oracle  ->  default_degree  ->  error with all reasons
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fcp_ros.domain.model import (
    DEFAULT_ORACLE,
    TABLE,
    Combination,
    GradedPredicate,
    OracleChoice,
)
from fcp_ros.grounding.asking.combining import (
    GAPS,
    after,
    compose,
    default_degree,
    joined,
    last_resort,
)
from fcp_ros.grounding.asking.kept_oracle import KeptOracle
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import Answer, predicate_version


def oracles_of(predicate: GradedPredicate, default: str) -> OracleChoice:
    """The oracles that answer for a predicate, by their own names, each once.

    A table alone that has neither an entry nor a default degree leaves the question to the default
    oracle.
    """
    choice = predicate.oracle
    if not isinstance(choice, OracleChoice):
        leaves_open = choice == TABLE and predicate.default_degree is None
        names = (TABLE, DEFAULT_ORACLE) if leaves_open else (choice,)
        choice = OracleChoice(names, Combination.FIRST_OF)
    own = (default if name == DEFAULT_ORACLE else name for name in choice.names)
    return replace(choice, names=tuple(dict.fromkeys(own)))


class Asker:
    """Asks the oracles of predicates for memberships before calibration.

    Args:
        predicates: that are asked about.
        oracles: by name; every name that a predicate or the fallback uses is there.
        default: name of the oracle of predicates that say "default".
        fallback: name of the oracle that answers where others can't; "" for none.
    """

    def __init__(
        self,
        predicates: Mapping[str, GradedPredicate],
        oracles: Mapping[str, KeptOracle],
        default: str,
        fallback: str,
    ) -> None:
        self._oracles = oracles
        self._fallback = fallback
        self.choices = {name: oracles_of(p, default) for name, p in predicates.items()}
        self._versions = {name: predicate_version(p) for name, p in predicates.items()}

    def answers(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each of these distinct requests its membership, or all reasons why there is none."""
        choice = self.choices[predicate.name]
        if choice.combination is Combination.ALL_OF:
            answers = self._all_of(choice, predicate, requests)
        else:
            answers = self._first_of(choice.names, predicate, requests)
        if any(isinstance(answer, GroundingError) for answer in answers):
            return self._rescued(choice.names, predicate, requests, answers)
        return answers

    def kept(self, predicate: GradedPredicate, request: JudgementRequest) -> Membership | None:
        """The answer if it is at hand; no model is asked."""
        choice, version = self.choices[predicate.name], self._versions[predicate.name]
        found = [self._oracles[name].kept(predicate, version, request) for name in choice.names]
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
        return self._oracles[name].answers(
            predicate, version, requests, has_substitute=has_substitute
        )

    def _has_rescue(self, predicate: GradedPredicate, names: Sequence[str]) -> bool:
        other = bool(self._fallback) and self._fallback not in names
        return other or predicate.default_degree is not None

    def _first_of(
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
                    answers[position] = joined(failures[position])
                else:
                    answers[position] = after(failures[position], answer)
        return answers

    def _all_of(
        self,
        choice: OracleChoice,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
    ) -> list[Answer]:
        rescue = self._has_rescue(predicate, choice.names)
        columns = [self._ask(name, predicate, requests, rescue) for name in choice.names]
        answers: list[Answer] = []
        for row in zip(*columns, strict=True):
            errors = [answer for answer in row if isinstance(answer, GroundingError)]
            memberships = [answer for answer in row if isinstance(answer, Membership)]
            answers.append(
                joined(errors) if errors else compose(choice.names, memberships, choice.t_norm)
            )
        return answers

    def _rescued(
        self,
        names: Sequence[str],
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
        answers: Sequence[Answer],
    ) -> list[Answer]:
        """The answers, with another one in the place of each error where there is one."""
        rescued = list(answers)
        left: dict[int, GroundingError] = {}
        for position, answer in enumerate(answers):
            if isinstance(answer, GroundingError):
                # What the author says of a gap comes before what a model thinks.
                if answer.code in GAPS and predicate.default_degree is not None:
                    rescued[position] = default_degree(predicate)
                else:
                    left[position] = answer
        if left and self._fallback and self._fallback not in names:
            asked = [requests[position] for position in left]
            stated = predicate.default_degree is not None
            found = self._ask(self._fallback, predicate, asked, stated)
            for (position, error), answer in zip(left.items(), found, strict=True):
                if isinstance(answer, GroundingError):
                    rescued[position] = last_resort(predicate, self._both(error, answer))
                else:
                    rescued[position] = replace(answer, fallback=error.sentence)
        elif left:
            for position, error in left.items():
                rescued[position] = last_resort(predicate, error)
        return rescued

    def _both(self, error: GroundingError, second: GroundingError) -> GroundingError:
        return GroundingError(
            error.code,
            f"{error.sentence}; nor can the fallback {self._fallback}: {second.sentence}",
        )
