# SPDX-License-Identifier: Apache-2.0
"""The judges that stand beside each other in the table, each made when its turn comes.

A judge gives its own degree of a pair: nothing is looked up, neither judged pairs nor a rubric's
examples, by any but `NormalUse`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmark.grounding.questions import EVERYDAY, JUDGEMENTS, Question
from fcp_ros.domain import load_domain
from fcp_ros.domain.model import TEXT, GradedPredicate, Parameter
from fcp_ros.grounding import (
    ArgumentContext,
    Device,
    GroundingError,
    GroundingOptions,
    JudgementRequest,
    make_grounder,
)
from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.learning.training import compute_cosines, fit_cosine_map
from fcp_ros.grounding.judged.judgement_set import read_judgements, split
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.oracle import MembershipOracle
from fcp_ros.grounding.registry import make_oracle

HOUSEHOLD = JUDGEMENTS.parent / "domains" / "household.yaml"
PREDICATE_OF: Mapping[str, str] = {
    "function": "serves_as",
    "substitution": "suitable_substitute",
    "stability": "stable_enough",
    "safety": "safe_for",
}
TIMED = 24
"""Judgements of new words, one at a time, whose time is measured."""

EVERY = 20
"""One in so many training judgements fits the map of raw cosine."""
QWEN_MODEL = "qwen2.5-coder-1.5b"
DEFAULT = "default"
MINILM, MPNET, QWEN = "head, minilm", "head, mpnet", "head, qwen"

Pairs = Sequence[tuple[str, str]]


class Judge(Protocol):
    """Whoever gives degrees."""

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge pairs like those of a set of judgements."""
        ...


@dataclass(frozen=True, slots=True)
class Entrant:
    """A judge that may take part.

    Args:
        name: in the table.
        make: the judge; raises GroundingError where its model is not here.
        most: questions it is asked of each column; None: all.
        most_quick: the same in a quick run; 0: it is left out.
        only: the columns it is asked for; none: all.
    """

    name: str
    make: Callable[[], Judge]
    most: int | None = None
    most_quick: int = 40
    only: tuple[str, ...] = ()


class OracleJudge:
    """An oracle, asked by predicates that name a set; 0.5 where it can't answer.

    Args:
        oracle: any.
        predicates: by the name of the set.
        way: how it judges, "heads" or "score": one model asked in one way is one judge.
    """

    def __init__(
        self, oracle: MembershipOracle, predicates: Mapping[str, GradedPredicate], way: str
    ) -> None:
        self._oracle = oracle
        self._predicates = predicates
        self.identity = f"{way} of {oracle.model}"
        self.refused = 0

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge by the predicate of the set."""
        predicate = self._predicates[kind]
        ask = getattr(self._oracle, "judge_each", self._oracle.judge)
        answers = ask(predicate, [make_request(predicate, pair) for pair in pairs])
        self.refused += sum(isinstance(answer, GroundingError) for answer in answers)
        return [0.5 if isinstance(a, GroundingError) else a.degree for a in answers]


class NormalUse:
    """A grounder with the defaults, which looks up what was judged and a rubric's examples."""

    def __init__(self) -> None:
        self._grounder = make_grounder(load_domain(HOUSEHOLD))
        self._predicates = make_worded_predicates()

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge by the household's predicate for the set."""
        predicate = self._predicates[kind]
        answers = self._grounder.judge([make_request(predicate, pair) for pair in pairs])
        return [answer.degree for answer in answers]


class CosineJudge:
    """The cosine of the bare words, with the best monotone map on the training part of each set.

    Where the map is level, a millionth of the cosine keeps the order.
    """

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encode = encoder.encode
        self._sets = read_judgements([JUDGEMENTS])
        self._maps: dict[str, DegreeMap] = {}

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge by the map of the set."""
        if kind not in self._maps:
            training = split(self._sets[kind].judgements).training[::EVERY]
            self._maps[kind] = fit_cosine_map(training, self._encode)
        cosines = compute_cosines(pairs, self._encode)
        return [self._maps[kind].apply(cosine) + 1e-6 * cosine for cosine in cosines]


def list_entrants() -> list[Entrant]:
    """All judges of the table, in its order; those of a model that is not here can't be made."""
    return [
        Entrant("raw cosine, minilm", partial(_make_cosine, "minilm")),
        Entrant("raw cosine, mpnet", partial(_make_cosine, "mpnet")),
        Entrant(DEFAULT, partial(_make_head, "", "embedding")),
        Entrant("default, all looked up", NormalUse, only=(EVERYDAY,)),
        Entrant(MINILM, partial(_make_head, "minilm")),
        Entrant(MPNET, partial(_make_head, "mpnet")),
        Entrant(QWEN, partial(_make_head, QWEN_MODEL), most_quick=20),
        Entrant("score asked, qwen", partial(_make_asked, QWEN_MODEL), 150, 0),
    ]


def make_bare_predicates() -> dict[str, GradedPredicate]:
    """A predicate for each set: named sides, no rubric."""
    return {
        name: GradedPredicate(
            name, tuple(Parameter(side, TEXT) for side in kind.columns), None, {}, judged_like=name
        )
        for name, kind in read_judgements([JUDGEMENTS]).items()
    }


def make_worded_predicates() -> dict[str, GradedPredicate]:
    """The household's predicate for each set, with its rubric."""
    graded = load_domain(HOUSEHOLD).graded
    return {kind: graded[name] for kind, name in PREDICATE_OF.items()}


def make_request(predicate: GradedPredicate, pair: tuple[str, str]) -> JudgementRequest:
    """Ask about a pair; predicates name their element (the first of two) first or second."""
    words = iter(pair)
    by_name = {
        parameter.name: next(words)
        for parameter in sorted(predicate.parameters, key=lambda p: p.name != "item")
    }
    return JudgementRequest(
        predicate.name,
        tuple(
            ArgumentContext(p.name, by_name[p.name], "" if p.is_text else by_name[p.name])
            for p in predicate.parameters
        ),
    )


def ask_all(judge: Judge, questions: Iterable[Question]) -> dict[tuple[str, str, str], float]:
    """Ask each question once, kind by kind."""
    pairs: dict[str, dict[tuple[str, str], None]] = {}
    for question in questions:
        pairs.setdefault(question.kind, {})[question.item, question.other] = None
    return {
        (kind, *pair): degree
        for kind, mine in pairs.items()
        for pair, degree in zip(mine, judge.judge(kind, list(mine)), strict=True)
    }


def time_judge(judge: Judge, questions: Sequence[Question]) -> float:
    """Milliseconds of processor time that a judgement of new words takes, asked one by one.

    The median; after two warm-up questions. No word is in two of the questions.
    """
    seconds, seen = [], set()
    for question in questions:
        words = {question.item, question.other}
        if seen & words:
            continue
        seen |= words
        before = time.process_time()
        judge.judge(question.kind, [(question.item, question.other)])
        seconds.append(time.process_time() - before)
        if len(seconds) == TIMED + 2:
            break
    return 1e3 * float(np.median(seconds[2:]))


def _make(oracle: str, model: str = "") -> MembershipOracle:
    return make_oracle(oracle, GroundingOptions(oracle=oracle, model=model, device=Device.CPU))


def _make_cosine(model: str) -> Judge:
    return CosineJudge(SentenceEncoder(Path(model), Device.CPU))


def _make_head(model: str, oracle: str = "head") -> Judge:
    return OracleJudge(_make(oracle, model), make_bare_predicates(), "heads")


def _make_asked(model: str) -> Judge:
    return OracleJudge(_make("causal_lm", model), make_worded_predicates(), "score")
