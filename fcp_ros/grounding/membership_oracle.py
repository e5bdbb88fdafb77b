# SPDX-License-Identifier: Apache-2.0
"""The interface of every membership oracle (docs/design.md)."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.judgement import GroundingError, JudgementRequest, Membership

Answer = Membership | GroundingError
"""The result for one question: a membership, or the reason why there is none."""


class MembershipOracle(Protocol):
    """Judges graded predicates; deterministic: equal questions get equal answers.

    `name` is the kind ("embedding"), `model` identifies the model (a changed model has another
    text here), `mode` the settings that change an answer. All three are known before anything
    heavy is loaded, because they are part of the cache key.

    An oracle may also have these members; the grounder looks them up by name:

    - `judge_each(predicate, requests) -> list[Answer]`: like `judge`, with an error in the place of
      each request that can't be answered. Without it, the grounder splits a batch that fails.
    - `is_loaded`: False while the first question still has to load a model (default True).
    - `known_model`: `model` if it is known without asking a server, else "".
    - `notes`: remarks for people, as sentences.
    - `is_kept`: False if an answer costs less than a cache lookup (default True).
    - `is_stated`: True if the domain's author stated its answers, so that no judgement of others is
      looked up before it (default False).
    - `is_english_only`: True if its model knows the words of no other language, so that its answer
      about an unknown word is no more than a guess (default False).
    - `is_concurrent`: True if several threads may ask at a time (default False).
    - `close()`: release connections and threads.
    """

    @property
    def name(self) -> str:
        """The kind of oracle."""
        ...

    @property
    def model(self) -> str:
        """Identity of the model, part of the cache key."""
        ...

    @property
    def mode(self) -> str:
        """Settings that change an answer, part of the cache key."""
        ...

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests about a predicate: one membership each, in order, in few passes.

        GroundingError: the backend can't answer; nothing is answered by a guess.
        """
        ...


class PerRequestOracle(ABC):
    """Base of the oracles that give each request of a batch its own answer or error."""

    @abstractmethod
    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: for each one its membership, or the reason why there is none."""

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests: one membership each, in order; the first without one raises why."""
        return require_all(self.judge_each(predicate, requests))


def require_all(answers: Sequence[Answer]) -> list[Membership]:
    """Return the memberships, or raise the first error among the answers."""
    memberships = []
    for answer in answers:
        if isinstance(answer, GroundingError):
            raise answer
        memberships.append(answer)
    return memberships


def hash_predicate(predicate: GradedPredicate) -> str:
    """Hash all that the predicate's author wrote about it to 16 hexadecimal digits.

    So the cache returns no answer to a changed rubric, table or declared context.
    """
    parts = (
        predicate.name,
        tuple((p.name, p.type) for p in predicate.parameters),
        predicate.rubric,
        sorted((name, tuple(names)) for name, names in predicate.context.items()),
        predicate.oracle,
        predicate.judged_like,
        [
            (sorted(entry.when.items()), entry.degree, sorted(map(sorted, entry.kinds.values())))
            for entry in predicate.table
        ],
        predicate.default_degree,
        predicate.rule,
        predicate.hazard,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
