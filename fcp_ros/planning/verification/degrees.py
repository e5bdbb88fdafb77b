# SPDX-License-Identifier: Apache-2.0
"""The degrees of the steps of a plan, asked again: in one go, each context once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm
from fcp_ros.grounding.protocol.context import build_request
from fcp_ros.grounding.protocol.judgement import JudgementRequest
from fcp_ros.planning.chunks.graded_steps import graded_by_step
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import BATCH, MembershipSource
from fcp_ros.planning.model.plan import PlanStep


def judged_degrees(
    domain: Domain,
    taken: Sequence[tuple[PlanStep, Instance]],
    source: MembershipSource,
    check: Callable[[], None],
) -> list[list[float]]:
    """The degree of each graded atom of each step.

    Args:
        domain: rules and graded predicates.
        taken: steps that could be taken, each with the state before it.
        source: who judges.
        check: called between batches; may raise to stop.

    Raises:
        NotAChunk: steps that are said to be a chunk of the domain, and aren't.
        ValueError: the source answers another number of requests than it was asked.
    """
    requests = _requests(domain, taken)
    wanted = {request.context_key: request for asked in requests for request in asked}
    known: dict[str, float] = {}
    pending = list(wanted.values())
    for start in range(0, len(pending), BATCH):
        check()
        batch = pending[start : start + BATCH]
        for request, membership in zip(batch, source.judge(batch), strict=True):
            known[request.context_key] = membership.degree
    return [[known[request.context_key] for request in asked] for asked in requests]


def running(degrees: Iterable[float], tnorm: TNorm) -> tuple[float, ...]:
    """The composed degree after each step.

    A degree of 1 changes nothing, and most steps have it: only the others are composed.

    Args:
        degrees: of the steps, in order, in [0, 1].
        tnorm: how they compose.
    """
    found: list[float] = []
    counted: list[float] = []
    now = 1.0
    for degree in degrees:
        if degree != 1.0:
            counted.append(degree)
            now = tnorm.compose_all(counted)
        found.append(now)
    return tuple(found)


def _requests(
    domain: Domain, taken: Sequence[tuple[PlanStep, Instance]]
) -> list[list[JudgementRequest]]:
    steps = [
        GroundStep(domain.rules[step.rule], tuple(element for _, element in step.arguments))
        for step, _ in taken
    ]
    graded = graded_by_step(domain.chunks, steps, [step.chunk for step, _ in taken])
    return [
        [
            build_request(domain.graded[predicate], arguments, state)
            for predicate, arguments in atoms
        ]
        for atoms, (_, state) in zip(graded, taken, strict=True)
    ]
