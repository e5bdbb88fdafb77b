# SPDX-License-Identifier: Apache-2.0
"""What every membership oracle offers (DESIGN section 4, issue "grounding")."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership

Answer = Membership | GroundingError
"""What comes back for one question: a membership, or why there is none."""


class MembershipOracle(Protocol):
    """Judges graded predicates; deterministic: equal questions get equal answers.

    `name` is the kind ("embedding"), `model` identifies what answers (a changed model has another
    text here), `mode` how (settings that change an answer). All three are known before anything
    heavy is loaded, because they are part of the cache key.

    An oracle may also have, and the grounder asks for them by name:

    - `judge_each(predicate, requests) -> list[Answer]`: like `judge`, with an error in the place of
      each request that can't be answered. Without it, the grounder splits a batch that fails.
    - `is_loaded`: False as long as the first question will take longer (True without it).
    - `known_model`: `model` if no server need be asked for it, else "".
    - `notes`: what a person should know about it, as sentences.
    - `is_kept`: False if an answer costs less than looking it up (True without it).
    - `is_concurrent`: True if several threads may ask at a time (False without it).
    - `close()`: give back connections and threads.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def mode(self) -> str: ...

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request, in order.

        Args:
            predicate: the predicate that all requests ask about.
            requests: any number of them; a backend answers them in as few passes as it can.

        Raises:
            GroundingError: the backend can't answer; nothing is answered by a guess.
        """
        ...


def all_answered(answers: Sequence[Answer]) -> list[Membership]:
    """The memberships, if all are there.

    Raises:
        GroundingError: the first of the errors among them.
    """
    memberships = []
    for answer in answers:
        if isinstance(answer, GroundingError):
            raise answer
        memberships.append(answer)
    return memberships


def predicate_version(predicate: GradedPredicate) -> str:
    """A hash of all that the predicate's author wrote about it, 16 hexadecimal digits.

    A changed rubric, table or declared context gives another version, so that no old answer is
    found in the cache.
    """
    parts = (
        predicate.name,
        tuple((p.name, p.type) for p in predicate.parameters),
        predicate.rubric,
        sorted((name, tuple(names)) for name, names in predicate.context.items()),
        predicate.oracle,
        predicate.judged_like,
        [(sorted(entry.when.items()), entry.degree) for entry in predicate.table],
        predicate.default_degree,
        predicate.rule,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
