# SPDX-License-Identifier: Apache-2.0
"""What every membership oracle offers (DESIGN section 4, issue "grounding")."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership


class MembershipOracle(Protocol):
    """Judges graded predicates; deterministic: equal questions get equal answers.

    `name` is the kind ("embedding"), `model` identifies what answers (a changed model has another
    text here), `mode` how (settings that change an answer). All three are known before anything
    heavy is loaded, because they are part of the cache key.
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
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
