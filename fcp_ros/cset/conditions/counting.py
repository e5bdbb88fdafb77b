# SPDX-License-Identifier: Apache-2.0
"""Application conditions decided for all matches at once, by counting their extensions.

One join finds all morphisms from the larger pattern of a condition; they are counted by the match
that they extend, instead of a search for each match.
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
"""With more extensions for each match, finding the first one of each match is faster."""


@dataclass(frozen=True, slots=True)
class CountingResult:
    """The result of counting extensions.

    Attributes:
        keys: the matches that satisfy all counted conditions.
        is_complete: True if no condition is left.
    """

    keys: list[MatchKey]
    is_complete: bool


def filter_by_counting(
    conditions: Sequence[Condition], keys: Sequence[MatchKey], state: Instance
) -> CountingResult:
    """Drop the matches that break a condition whose extensions can be counted.

    Args:
        conditions: all of one left side.
        keys: of matches of that left side in the state.
        state: the instance.
    """
    left, is_complete = list(keys), True
    for condition in conditions:
        homs = find_homs(condition.pattern, state, monic=condition.monic)
        if _is_countable(condition) and homs.count() <= _MOST_PER_MATCH * len(left):
            counts = Counter(_project_to_matches(condition, homs))
            left = [key for key in left if _admits(condition, counts[key])]
        else:
            is_complete = False
    return CountingResult(left, is_complete)


def _is_countable(condition: Condition) -> bool:
    """Return True if every extension counts, and none depends on the values of variables."""
    variables = analyse_pattern(condition.pattern).variables
    return not (condition.nested or condition.where or variables)


def _project_to_matches(condition: Condition, homs: Homs) -> Iterator[MatchKey]:
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
