# SPDX-License-Identifier: Apache-2.0
"""Makes the oracles that the predicates of a domain need, and decides which of them may fail."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from fcp_ros.domain.model import Combination, GradedPredicate
from fcp_ros.grounding.asking.asker import oracles_of
from fcp_ros.grounding.asking.kept_oracle import UnmadeOracle
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import GroundingOptions
from fcp_ros.grounding.protocol.oracle import MembershipOracle
from fcp_ros.grounding.registry import make_oracle


def make_oracles(
    predicates: Iterable[GradedPredicate], options: GroundingOptions
) -> dict[str, MembershipOracle]:
    """The oracles by name: those of the predicates, the default and the fallback.

    Raises:
        GroundingError: one that nothing stands in for can't be made, or there is none of that name.
    """
    needed = {options.fallback} if options.fallback else set()
    optional = set()
    if not options.fallback:
        needed.add(options.oracle)
    else:
        optional.add(options.oracle)
    for predicate in predicates:
        choice = oracles_of(predicate, options.oracle)
        first_of_several = choice.combination is Combination.FIRST_OF and len(choice.names) > 1
        can_fail = bool(options.fallback) or first_of_several
        (optional if can_fail else needed).update(choice.names)
    # Sorted, so that of two wrong settings always the same one is reported.
    return {
        name: make_oracle(name, options) if name in needed else _made_or_not(name, options)
        for name in sorted(needed | optional)
    }


def _made_or_not(name: str, options: GroundingOptions) -> MembershipOracle:
    make = partial(make_oracle, name, options)
    try:
        return make()
    except GroundingError as error:
        if error.code is GroundingCode.UNKNOWN_ORACLE:
            raise
        return UnmadeOracle(name, error, make)
