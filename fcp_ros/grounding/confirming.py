# SPDX-License-Identifier: Apache-2.0
"""The second stage: a slower oracle judges again what much rests on, and is remembered.

judge: cheap degrees of everything in the house -> a plan -> confirm: the few that it rests on
        -> judge: those as they were confirmed, all others as before -> perhaps another plan
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.cached_oracle import CachedOracle
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.heads.head_file import HeadSource
from fcp_ros.grounding.heads.head_judge import HeadOracle
from fcp_ros.grounding.judgement import JudgementRequest, Membership
from fcp_ros.grounding.membership_oracle import MembershipOracle, hash_predicate
from fcp_ros.grounding.options import PACKAGED
from fcp_ros.grounding.tuning.tuned_file import find_tuned

MOST_CONFIRMED = 16_384
TUNED = "tuned"  # The name of the oracle that confirms


@dataclass(frozen=True, slots=True)
class SecondStage:
    """An oracle that judges again, and the sets whose degrees it improves."""

    oracle: MembershipOracle
    sets: frozenset[str]


def make_tuned(setting: str | Path, first: MembershipOracle | None) -> SecondStage | None:
    """Make what confirms degrees of the default oracle `first`; None where nothing does.

    It shares the heads of that oracle. Raises GroundingError if the file that was given can't be
    used. That there is no packaged one for a model is no error: then nothing is confirmed.
    """
    heads = first.source if isinstance(first, (EmbeddingOracle, HeadOracle)) else None
    if not str(setting) or not isinstance(heads, HeadSource):
        return None
    own = Path(setting) if str(setting) != PACKAGED else None
    source = find_tuned(heads, own)
    return SecondStage(HeadOracle(source, TUNED), source.sets) if source is not None else None


class Confirmer:
    """Confirms the degrees of one oracle by another. Safe to use from several threads.

    `confirmed`: the name of the oracle whose degrees are judged again; what a table states, people
    judged or a fallback answered is left alone. `sets`: of judgements; a predicate that is judged
    like another one is left alone, too.
    """

    def __init__(self, oracle: CachedOracle, confirmed: str, sets: frozenset[str]) -> None:
        self._oracle = oracle
        self._source = confirmed
        self._sets = sets
        self._known: OrderedDict[str, Membership] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def note(self) -> str:
        """The reason why degrees can't be confirmed now, or ""."""
        error = self._oracle.outage.error
        return f"degrees can't be confirmed: {error}" if error is not None else ""

    def confirm(
        self,
        predicates: Mapping[str, GradedPredicate],
        questions: Mapping[str, JudgementRequest],
        answers: Mapping[str, Membership],
    ) -> dict[str, Membership]:
        """Judge again what needs it, and return its new answers by context key.

        What the slower oracle can't judge keeps the answer that it has.
        """
        batches: dict[str, list[JudgementRequest]] = {}
        for key, request in questions.items():
            is_helped = predicates[request.predicate].judged_like in self._sets
            if is_helped and answers[key].source == self._source:
                batches.setdefault(request.predicate, []).append(request)
        found: dict[str, Membership] = {}
        for name, batch in batches.items():
            version = hash_predicate(predicates[name])
            given = self._oracle.answer(predicates[name], version, batch, has_substitute=True)
            for request, answer in zip(batch, given, strict=True):
                key = request.context_key
                if isinstance(answer, Membership) and not (
                    predicates[name].hazard and answer.prior > answers[key].prior
                ):  # of a hazard, the more careful of both counts
                    found[key] = answer
        with self._lock:
            self._known.update(found)
            while len(self._known) > MOST_CONFIRMED:
                self._known.popitem(last=False)
        return found

    def replace_known(self, answers: dict[str, Membership]) -> dict[str, Membership]:
        """Put what was confirmed in the place of the same oracle's first answers."""
        with self._lock:
            if not self._known:
                return answers
            return {
                key: self._known.get(key, answer) if answer.source == self._source else answer
                for key, answer in answers.items()
            }
