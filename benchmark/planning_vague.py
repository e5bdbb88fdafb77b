# SPDX-License-Identifier: Apache-2.0
"""Degrees out of thin air, for the planning benchmark: judged as a model would be, and counted.

A degree follows from a hash of the declared context, so that it is the same in every run; requests
that share a context share their degree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from planning_household import Household

from fcp_ros.grounding.judgement import JudgementRequest, Membership


class CountingSource:
    """A membership source that counts what it is asked.

    Arguments:
        lowest: degrees lie in [lowest, 1]; 1 makes everything certain.

    Attributes:
        questions: number of requests.
        batches: number of calls.
    """

    def __init__(self, lowest: float = 1.0) -> None:
        self._lowest = lowest
        self.questions = 0
        self.batches = 0

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """A degree for each request."""
        self.questions += len(requests)
        self.batches += 1
        degrees = [degree_of(request.context_key, self._lowest) for request in requests]
        return [Membership(degree, degree, source="hash") for degree in degrees]


def degree_of(context: str, lowest: float) -> float:
    """A degree in hundredths from `lowest` to 1 that depends on a text alone."""
    digest = hashlib.blake2b(context.encode(), digest_size=8).digest()
    share = int.from_bytes(digest, "big") / 2.0**64
    return round(lowest + (1.0 - lowest) * share, 2)


def vague_goal(house: Household, shared: bool) -> str:
    """The goal to bring something to drink from to a table: any item is a candidate.

    Arguments:
        house: its first receptacle is the table.
        shared: whether things of one kind share an answer, or each has its own.
    """
    table = house.receptacles[0].name
    predicate = "serves_as" if shared else "suits"
    return f'on(?x, {table}) and {predicate}(?x, "drinking")'


def everything_to_ask(house: Household, shared: bool) -> int:
    """How many different questions the plans for all candidates bring up.

    For each candidate: how well it suits, how well it can be grasped, how well it stands on the
    table; counted by what is declared as the context of each of the three.
    """
    categories = len({item.category for item in house.items})
    suits = categories if shared else len(house.items)
    return suits + len(house.items) + categories
