# SPDX-License-Identifier: Apache-2.0
"""The judges that stand beside each other in the table, each made when its turn comes.

A judge gives its own degree of a pair: nothing is looked up, neither judged pairs nor a rubric's
examples. Raw cosine, the default with all looked up, and a language model that is asked for a score
stood in the table once (docs/grounding.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from benchmark.grounding.questions import JUDGEMENTS, Question
from fcp_ros.domain.model import TEXT, GradedPredicate, Parameter
from fcp_ros.grounding import (
    ArgumentContext,
    Device,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementRequest,
)
from fcp_ros.grounding.confirming import make_tuned
from fcp_ros.grounding.grounder import make_oracle
from fcp_ros.grounding.judgement_set import read_judgements
from fcp_ros.grounding.membership_oracle import MembershipOracle
from fcp_ros.grounding.options import PACKAGED

TIMED = 24
"""Judgements of new words, one at a time, whose time is measured."""

QWEN_MODEL = "qwen2.5-coder-1.5b"
DEFAULT = "default"
MINILM, MPNET, QWEN = "head, minilm", "head, mpnet", "head, qwen"
TUNED = "tuned and default"

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
        most_quick: questions it is asked of each column in a quick run; 0: it is left out.
    """

    name: str
    make: Callable[[], Judge]
    most_quick: int = 40


class OracleJudge:
    """An oracle, asked by predicates that name a set; 0.5 where it can't answer."""

    def __init__(self, oracle: MembershipOracle) -> None:
        self._oracle = oracle
        self._predicates = make_bare_predicates()
        self.refused = 0

    @property
    def identity(self) -> str:
        """One model is one judge."""
        return self._oracle.model

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge by the predicate of the set."""
        predicate = self._predicates[kind]
        ask = getattr(self._oracle, "judge_each", self._oracle.judge)
        answers = ask(predicate, [make_request(predicate, pair) for pair in pairs])
        self.refused += sum(isinstance(answer, GroundingError) for answer in answers)
        return [0.5 if isinstance(a, GroundingError) else a.degree for a in answers]


def list_entrants() -> list[Entrant]:
    """All judges of the table, in its order; those of a model that is not here can't be made."""
    return [
        Entrant(DEFAULT, partial(_make_head, "", "embedding")),
        Entrant(MINILM, partial(_make_head, "minilm")),
        Entrant(MPNET, partial(_make_head, "mpnet")),
        Entrant(TUNED, _make_tuned),
        Entrant(QWEN, partial(_make_head, QWEN_MODEL), most_quick=20),
    ]


def make_bare_predicates() -> dict[str, GradedPredicate]:
    """A predicate for each set: named sides, no rubric."""
    return {
        name: GradedPredicate(
            name, tuple(Parameter(side, TEXT) for side in kind.columns), None, {}, judged_like=name
        )
        for name, kind in read_judgements([JUDGEMENTS]).items()
    }


def make_request(predicate: GradedPredicate, pair: tuple[str, str]) -> JudgementRequest:
    """Ask about a pair."""
    sides = zip(predicate.parameters, pair, strict=True)
    return JudgementRequest(predicate.name, tuple(ArgumentContext(p.name, w) for p, w in sides))


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


class StagedJudge:
    """The default's heads, and their second stage where it helps."""

    def __init__(self, first: OracleJudge, second: OracleJudge, sets: frozenset[str]) -> None:
        self._first, self._second = first, second
        self._sets = sets

    @property
    def refused(self) -> int:
        return self._first.refused + self._second.refused

    def judge(self, kind: str, pairs: Pairs) -> list[float]:
        """Judge by whoever has the last word on such a set."""
        return (self._second if kind in self._sets else self._first).judge(kind, pairs)


def _make_tuned() -> Judge:
    oracle = make_oracle("embedding", GroundingOptions(device=Device.CPU))
    stage = make_tuned(PACKAGED, oracle)
    if stage is None:
        raise GroundingError(GroundingCode.MODEL_NOT_FOUND, "no tuned encoder is here for it")
    return StagedJudge(OracleJudge(oracle), OracleJudge(stage.oracle), stage.sets)


def _make_head(model: str, oracle: str = "head") -> Judge:
    options = GroundingOptions(oracle=oracle, model=model, device=Device.CPU)
    return OracleJudge(make_oracle(oracle, options))
