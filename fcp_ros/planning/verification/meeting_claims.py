# SPDX-License-Identifier: Apache-2.0
"""From a meeting on the flat task to what it claims about the C-set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.search.bidirectional.meeting import Meeting
from fcp_ros.planning.search.bidirectional.partial_state import Literal
from fcp_ros.planning.verification.meeting import Claim, PlanMeeting


def plan_meeting(meeting: Meeting, encoding: Encoding, tnorm: TNorm) -> PlanMeeting:
    """What a meeting claims, in facts and in steps of the plan.

    Args:
        meeting: of a search on the encoded task.
        encoding: tells what its operators and values stand for. The goal's own variable stands for
            nothing in the world, so what the meeting says of it is left out.
        tnorm: of the search's losses.
    """
    steps = encoding.decode(meeting.operators[: meeting.index]).steps
    literals = [(unit,) for unit in meeting.partial_state.units]
    wanted = [
        claims
        for clause in (*literals, *sorted(meeting.partial_state.clauses))
        if all(variable < len(encoding.variables.values) for variable, _ in clause)
        for claims in _claims(clause, encoding)
    ]
    return PlanMeeting(len(steps), tuple(wanted), meeting.requirement(tnorm))


def _claims(clause: Sequence[Literal], encoding: Encoding) -> Iterator[tuple[Claim, ...]]:
    """A clause over values as clauses over facts."""
    for choice in product(*(_of_literal(literal, encoding) for literal in clause)):
        yield tuple(claim for claims in choice for claim in claims)


def _of_literal(literal: Literal, encoding: Encoding) -> list[tuple[Claim, ...]]:
    """One of the allowed facts holds; where none need hold, none of the others does."""
    variable, mask = literal
    facts = encoding.variables.values[variable]
    allowed = [fact for value, fact in enumerate(facts) if mask >> value & 1]
    if None in allowed:
        others = [fact for value, fact in enumerate(facts) if not mask >> value & 1]
        return [((encoding.task.facts[f], False),) for f in others if f is not None]
    return [tuple((encoding.task.facts[f], True) for f in allowed if f is not None)]
