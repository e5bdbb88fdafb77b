# SPDX-License-Identifier: Apache-2.0
"""Application conditions decided for all matches at once, by counting their extensions.

Instead of searching the extensions of one match after the other, all morphisms from the condition's
larger pattern are found by one join, and counted by the match that each of them extends.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import ApplicationCondition, Condition, ConditionKind
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.search.anchored_search import MatchKey
from fcp_ros.cset.search.homs import Homs, find_homs
from fcp_ros.cset.search.pattern import analyse_pattern

_MOST_PER_MATCH = 16
"""With more extensions than that, it is faster to look for the first one of each match."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What counting has decided.

    Attributes:
        keys: the matches that satisfy all conditions that were counted.
        is_complete: whether these were all.
    """

    keys: list[MatchKey]
    is_complete: bool


def decide(conditions: Sequence[Condition], keys: Sequence[MatchKey], state: Instance) -> Decided:
    """Drop the matches that break a condition whose extensions can be counted.

    Args:
        conditions: all of one left side.
        keys: of matches of that left side in the state.
        state: where.
    """
    left, is_complete = list(keys), True
    for condition in conditions:
        homs = find_homs(condition.pattern, state, monic=condition.monic)
        if _is_countable(condition) and homs.count() <= _MOST_PER_MATCH * len(left):
            counts = Counter(_extended(condition, homs))
            left = [key for key in left if _admits(condition, counts[key])]
        else:
            is_complete = False
    return Decided(left, is_complete)


def _is_countable(condition: Condition) -> bool:
    """Whether every extension counts, and none depends on the values of variables."""
    variables = analyse_pattern(condition.pattern).variables
    return not (condition.nested or condition.where or variables)


def _extended(condition: Condition, homs: Homs) -> Iterator[MatchKey]:
    """The match that each morphism from the larger pattern extends."""
    mapping = condition.inclusion.mapping
    images = [mapping[id_] for id_ in analyse_pattern(condition.inclusion.source).ids]
    if not images:
        return iter([()] * homs.count())
    columns = homs.columns(frozenset(images))
    return zip(*(columns[id_].tolist() for id_ in images), strict=True)


def _admits(condition: Condition, count: int) -> bool:
    if isinstance(condition, ApplicationCondition):
        return (count > 0) == (condition.kind is ConditionKind.PAC)
    most = condition.at_most
    return condition.at_least <= count and (most is None or count <= most)
