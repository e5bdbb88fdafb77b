# SPDX-License-Identifier: Apache-2.0
"""Degrees out of thin air, for the planning benchmark: judged as a model would be, and counted.

A degree follows from a hash of the declared context, so that it is the same in every run; requests
that share a context share their degree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from benchmark.planning.household import Household, Kind, Receptacle, household
from fcp_ros.grounding.judgement import JudgementRequest, Membership

TABLE = "empty_table"


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


def vague_household(candidates: int, seed: int = 1) -> Household:
    """A house with that many items, all of them candidates, and an empty table.

    Arguments:
        candidates: number of items.
        seed: the same seed gives the same house.
    """
    house = household(candidates, max(6, candidates // 10), 0, seed)
    table = Receptacle(TABLE, Kind.SURFACE, "table", house.start)
    return replace(house, receptacles=(*house.receptacles, table))


def vague_goal(house: Household, shared: bool) -> str:
    """The goal to bring something to drink from to the empty table.

    Arguments:
        house: made by `vague_household`.
        shared: whether things of one kind share an answer, or each has its own.
    """
    predicate = "serves_as" if shared else "suits"
    return f'on(?x, {TABLE}) and {predicate}(?x, "drinking")'


def vague_domain(domain: str, shared: bool) -> str:
    """The text of the domain for a vague goal.

    Arguments:
        domain: the text of the benchmark's domain.
        shared: whether how an item stands on a support is judged by kind, or for each two things.
    """
    head = "  stands_on:                    # by the kinds of things: many share an answer\n"
    assert head in domain
    context = "    context: {support: [name], item: [name]}\n"
    return domain if shared else domain.replace(head, head + context)


def everything_to_ask(house: Household, shared: bool) -> int:
    """How many different questions the rules and the goal bring up in a house.

    How well each item suits; how well each can be grasped; how well each item stands on each
    support. Questions with the same declared context count once.
    """
    supports = [place for place in house.receptacles if place.kind is not Kind.CONTAINER]
    if not shared:
        return len(house.items) * (2 + len(supports))
    kinds = len({item.category for item in house.items})
    return kinds + len(house.items) + kinds * len({place.category for place in supports})


def least_to_ask(house: Household, shared: bool) -> int:
    """How many questions a proof takes that no other candidate suits better.

    One for each candidate whose judgement is its own, unless one of them turns out to be perfect.
    """
    return len({item.category for item in house.items}) if shared else len(house.items)
