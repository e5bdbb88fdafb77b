# SPDX-License-Identifier: Apache-2.0
"""Asking for memberships: in batches, each context once, with a way to stop between batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.grounding.protocol.context import build_request
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.planning.model.plan import Judged

BATCH = 64
"""Requests put to the source at once: big enough for a model, small enough to cancel between."""

GradedAtom = tuple[str, tuple[str, ...]]
"""A ground graded atom: predicate, and an element name or a text for each parameter."""


class MembershipSource(Protocol):
    """Anything that answers judgement requests; the grounder does."""

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """One membership for each request, in their order."""
        ...


class Judge:
    """Judges ground graded atoms in one state and remembers the answers.

    Arguments:
        domain: its graded predicates declare the contexts.
        instance: the state that the contexts are read from.
        source: who is asked. Requests with equal context keys are asked once.
        check: called between batches; may raise to stop.
    """

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        source: MembershipSource,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._source = source
        self._check = check
        self._requests: dict[GradedAtom, JudgementRequest] = {}
        self._memberships: dict[str, Membership] = {}

    def judge(self, atoms: Iterable[GradedAtom]) -> None:
        """Ask for all `atoms` that are not known yet."""
        wanted: dict[str, JudgementRequest] = {}
        for count, atom in enumerate(atoms):
            if count % BATCH == 0:
                self._check()
            request = self._request(atom)
            if request.context_key not in self._memberships:
                wanted.setdefault(request.context_key, request)
        pending = list(wanted.values())
        for start in range(0, len(pending), BATCH):
            self._check()
            batch = pending[start : start + BATCH]
            answers = self._source.judge(batch)
            if len(answers) != len(batch):
                raise ValueError(
                    f"the membership source answered {len(answers)} of {len(batch)} requests: "
                    "it must answer each one, in order"
                )
            for request, membership in zip(batch, answers, strict=True):
                self._memberships[request.context_key] = membership

    def known(self, atom: GradedAtom) -> float | None:
        """The degree of an atom, or None where nobody was asked yet; asks nobody."""
        answer = self._memberships.get(self._request(atom).context_key)
        return None if answer is None else answer.degree

    def key(self, atom: GradedAtom) -> str:
        """What decides about an atom's degree: atoms with the same key are judged once."""
        return self._request(atom).context_key

    @property
    def asked(self) -> int:
        """Number of different contexts that the source was asked about."""
        return len(self._memberships)

    def judged(self, atom: GradedAtom) -> Judged:
        """The request and the answer for one atom (asked now where it is not known yet)."""
        request = self._request(atom)
        if request.context_key not in self._memberships:
            self.judge([atom])
        return Judged(request, self._memberships[request.context_key])

    def degree(self, predicate: str, arguments: tuple[str, ...]) -> float:
        """The degree of one atom (asked now where it is not known yet)."""
        return self.judged((predicate, arguments)).membership.degree

    def _request(self, atom: GradedAtom) -> JudgementRequest:
        request = self._requests.get(atom)
        if request is None:
            predicate = self._domain.graded[atom[0]]
            request = build_request(predicate, atom[1], self._instance)
            self._requests[atom] = request
        return request
