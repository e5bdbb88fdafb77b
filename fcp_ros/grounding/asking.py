# SPDX-License-Identifier: Apache-2.0
"""Who answers for a predicate: one oracle, the first of several that can, or all of them; and who
steps in where none of these can.

    its oracles, first_of or all_of  ->  (a gap of table or rule: default_degree)
        ->  the fallback oracle  ->  default_degree  ->  error with all reasons
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.oracles import (
    DEFAULT_ORACLE,
    TABLE,
    Combination,
    OracleChoice,
)
from fcp_ros.grounding.combining import (
    GAPS,
    after,
    compose,
    default_degree,
    joined,
    last_resort,
)
from fcp_ros.grounding.kept_oracle import KeptOracle
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


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the oracles of predicates for memberships before calibration.

    Args:
        oracles: by name; every name that a predicate or the fallback uses is there.
        default: name of the oracle of predicates that say "default".
        fallback: name of the oracle that answers where others can't; "" for none.
        versions: of the predicates, by name (`predicate_version`); others are computed.
    """

    oracles: Mapping[str, KeptOracle]
    default: str
    fallback: str
    versions: Mapping[str, str]

    def answers(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each of these distinct requests its membership, or all reasons why there is none."""
        choice = oracles_of(predicate, self.default)
        if choice.combination is Combination.ALL_OF:
            answers = self._all_of(choice, predicate, requests)
        else:
            answers = self._first_of(choice.names, predicate, requests)
        return self._rescued(choice.names, predicate, requests, answers)

    def kept(self, predicate: GradedPredicate, request: JudgementRequest) -> Membership | None:
        """The answer that the cache has, if it has one; nothing is asked."""
        choice = oracles_of(predicate, self.default)
        found = [self.oracles[name].kept(predicate, request) for name in choice.names]
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
        version = self.versions.get(predicate.name) or predicate_version(predicate)
        return self.oracles[name].answers(
            predicate, version, requests, has_substitute=has_substitute
        )

    def _has_rescue(self, predicate: GradedPredicate, names: Sequence[str]) -> bool:
        other = bool(self.fallback) and self.fallback not in names
        return other or predicate.default_degree is not None

    def _first_of(
        self, names: Sequence[str], predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        answers: dict[int, Answer] = {}
        failures: dict[int, list[GroundingError]] = {i: [] for i in range(len(requests))}
        rescue = self._has_rescue(predicate, names)
        for name in names:
            left = [position for position in failures if position not in answers]
            if not left:
                break
            substitute = rescue or name != names[-1]
            asked = [requests[position] for position in left]
            found = self._ask(name, predicate, asked, substitute)
            for position, answer in zip(left, found, strict=True):
                if isinstance(answer, GroundingError):
                    failures[position].append(answer)
                else:
                    answers[position] = after(failures[position], answer)
        return [answers.get(i) or joined(errors) for i, errors in failures.items()]

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
        if left and self.fallback and self.fallback not in names:
            asked = [requests[position] for position in left]
            stated = predicate.default_degree is not None
            found = self._ask(self.fallback, predicate, asked, stated)
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
            f"{error.sentence}; nor can the fallback {self.fallback}: {second.sentence}",
        )
