# SPDX-License-Identifier: Apache-2.0
"""An oracle whose scores are checked and mapped before they count as degrees.

Before the first answer about a predicate, the oracle behind is asked questions whose answer is
known. Their answers are kept in the judgement cache, so that this is done once for a model, its
settings and a predicate. What is found decides: a predicate whose examples of 0 and 100 the model
can't tell apart is refused, with the measured figure; otherwise its scores go through a level map.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.asking.cached_oracle import ABOUT_THE_QUESTION, CachedOracle
from fcp_ros.grounding.asking.judgement_cache import JudgementCache
from fcp_ros.grounding.judged.judgement_set import JudgementSet, read_judgements
from fcp_ros.grounding.levels.known_questions import (
    KnownQuestion,
    choose_examples,
    choose_judgements,
)
from fcp_ros.grounding.levels.level_map import Levels, ScoredQuestion, learn_levels
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import LanguageModelOptions, LevelSource
from fcp_ros.grounding.protocol.oracle import (
    Answer,
    MembershipOracle,
    PerRequestOracle,
    hash_predicate,
)

LEVELS_VERSION = "levels1"
"""Part of the cache key; change it with the choice of questions or the fit."""
JUDGEMENTS = 150
"""Judgements that are asked about, for each predicate."""
GOOD_AREA = 0.8
"""Below this area people are warned of the model."""

_LOG = logging.getLogger(__name__)


class LevelledOracle(PerRequestOracle):
    """Checks and maps the answers of another oracle. Safe to call from several threads.

    Args:
        oracle: gives the scores.
        options: what is asked, and when a predicate is refused.
        judgements: folder of the judgements.
        open_cache: opens the cache for the answers to known questions, at the first of them.
    """

    def __init__(
        self,
        oracle: MembershipOracle,
        options: LanguageModelOptions,
        judgements: Path,
        open_cache: Callable[[], JudgementCache] = JudgementCache,
    ) -> None:
        self._oracle = oracle
        self._options = options
        self._folder = judgements
        self._open_cache = open_cache
        self._cache: JudgementCache | None = None
        self._judged: dict[str, JudgementSet] | None = None
        self._found: dict[str, Levels] = {}
        self._remarks: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The kind of the oracle behind."""
        return self._oracle.name

    @property
    def model(self) -> str:
        """The model of the oracle behind."""
        return self._oracle.model

    @property
    def mode(self) -> str:
        """Its mode, and all that the levels depend on."""
        source = LevelSource(self._options.levels)
        version = f"{LEVELS_VERSION}-{source.value}"
        if source is LevelSource.JUDGEMENTS:
            version += f"-{JUDGEMENTS}-{_hash_files(self._folder)}"
        return f"{self._oracle.mode}/{version}/area{self._options.least_area:g}"

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return bool(getattr(self._oracle, "is_loaded", True))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of the oracle behind, and the predicates that its model is poor at."""
        return (*getattr(self._oracle, "notes", ()), *self._remarks.values())

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: for each one its membership, or the reason why there is none.

        Raises:
            GroundingError: the oracle behind fails as a whole.
        """
        if not requests:
            return []
        levels, news = self._find_levels(predicate)
        if levels.area is not None and levels.area < self._options.least_area:
            refusal = GroundingError(GroundingCode.NO_ANSWER, self._describe(predicate, levels))
            return [refusal] * len(requests)
        ask = getattr(self._oracle, "judge_each", self._oracle.judge)
        return [_map_answer(answer, levels, news) for answer in ask(predicate, requests)]

    def _find_levels(self, predicate: GradedPredicate) -> tuple[Levels, str]:
        """Return the levels for a predicate, and what it cost if they were learned just now."""
        version = hash_predicate(predicate)
        with self._lock:
            if version in self._found:
                return self._found[version], ""
            levels, news = self._learn(predicate)
            self._found[version] = levels
            if levels.area is not None and levels.area < GOOD_AREA:
                self._remarks[version] = self._describe(predicate, levels)
                if levels.area >= self._options.least_area:  # else each answer says it
                    _LOG.warning("%s", self._remarks[version])
            return levels, news

    def close(self) -> None:
        """Close the oracle behind and the cache."""
        close = getattr(self._oracle, "close", None)
        if close is not None:
            close()
        if self._cache is not None:
            self._cache.close()

    def _learn(self, predicate: GradedPredicate) -> tuple[Levels, str]:
        begun = time.monotonic()
        groups = choose_examples(predicate)
        judged = self._choose_judgements(predicate)
        count = len(judged) + sum(len(questions) for _, questions in groups)
        if not count:
            return Levels(), ""
        _LOG.info(
            "%s: %d questions whose answer is known are asked about %s, once for this model",
            self.name, count, predicate.name,
        )  # fmt: skip
        examples = [
            scored for variant, questions in groups for scored in self._ask(variant, questions)
        ]
        levels = learn_levels(self._ask(predicate, judged), examples)
        took = time.monotonic() - begun
        news = f"{count} known questions were asked first, which took {took:.1f} s, once"
        _LOG.info("%s: %s; %s", self.name, news, _summarise(levels))
        return levels, news

    def _choose_judgements(self, predicate: GradedPredicate) -> list[KnownQuestion]:
        wanted = self._options.levels == LevelSource.JUDGEMENTS
        if not wanted or not predicate.judged_like:
            return []
        if self._judged is None:
            self._judged = read_judgements([self._folder])
        judged = self._judged.get(predicate.judged_like)
        return [] if judged is None else choose_judgements(predicate, judged, JUDGEMENTS)

    def _ask(
        self, predicate: GradedPredicate, questions: Sequence[KnownQuestion]
    ) -> list[ScoredQuestion]:
        """Ask known questions; those without a score are left out."""
        if not questions:
            return []
        if self._cache is None:
            self._cache = self._open_cache()
        kept = CachedOracle(self._oracle, self._cache)
        answers = kept.answer(
            predicate,
            hash_predicate(predicate),
            [question.request for question in questions],
            has_substitute=False,
        )
        scored = []
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(answer, Membership):
                scored.append(ScoredQuestion(answer.prior, question.degree, question.fold))
            elif answer.code not in ABOUT_THE_QUESTION:
                raise answer
        return scored

    def _describe(self, predicate: GradedPredicate, levels: Levels) -> str:
        area = 0.5 if levels.area is None else levels.area
        poor = area < self._options.least_area
        anchors = predicate.rubric.anchors if predicate.rubric else ()
        scores = [anchor.score for anchor in anchors if anchor.examples]
        return (
            f"the language model {self.model} "
            + ("can't tell" if poor else "hardly tells")
            + f" what the rubric of {predicate.name} calls {max(scores)} from what it calls "
            f"{min(scores)}: it puts {area:.0%} of such pairs of examples in the "
            f"right order (50% is chance, least_area is {self._options.least_area:.0%}); use a "
            "larger model, the embedding oracle, or clearer examples"
        )


def _map_answer(answer: Answer, levels: Levels, news: str) -> Answer:
    if not isinstance(answer, Membership):
        return answer
    degree, note = answer.prior, _summarise(levels)
    if levels.degree_map is not None:
        degree = min(max(levels.degree_map.apply(answer.prior), 0.0), 1.0)
        note = f"level {answer.prior:.2f} -> {degree:.2f}, {note}"
    return replace(
        answer,
        degree=degree,
        prior=degree,
        uncertainty=levels.uncertainty,
        note="; ".join(text for text in (answer.note, note, news) if text),
    )


def _summarise(levels: Levels) -> str:
    if levels.plain_error is None or levels.error is None:
        return ""
    if levels.degree_map is None:
        return f"no level map helps (error {levels.plain_error:.2f} on known questions)"
    return (
        f"learned from {levels.learned_from} (error {levels.error:.2f} instead of "
        f"{levels.plain_error:.2f} on those left out)"
    )


def _hash_files(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.csv")):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]
