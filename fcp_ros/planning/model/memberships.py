# SPDX-License-Identifier: Apache-2.0
"""Ask for memberships: in batches, each context once, with a way to stop between batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.fuzzy import reaches
from fcp_ros.grounding.judgement import (
    WRONG_QUESTION,
    GroundingError,
    JudgementRequest,
    Membership,
    build_request,
)
from fcp_ros.planning.model.plan import Judged
from fcp_ros.planning.model.result import PlanStatus

BATCH = 64
"""Requests put to the source at once: big enough for a model, small enough to cancel between."""


class ComparedAtom(NamedTuple):
    """A ground graded atom that is compared: 1 if its degree is at least `least`, else 0."""

    predicate: str
    arguments: tuple[str, ...]
    least: float


GradedAtom = tuple[str, tuple[str, ...]] | ComparedAtom
"""A ground graded atom: predicate, and an element name or a text for each parameter."""


class MembershipSource(Protocol):
    """Anything that answers judgement requests; the grounder does."""

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]: ...


@runtime_checkable
class ConfirmingSource(MembershipSource, Protocol):
    """A source that can look again, more closely, at the degrees that a plan rests on."""

    def confirm(self, requests: Sequence[JudgementRequest]) -> bool:
        """Judge again what was judged in passing; True if a degree moved."""
        ...


class NoMemberships:
    """The source for a domain without graded predicates, such as one in PDDL: nobody asks it."""

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """Return no memberships."""
        assert not requests, "a domain without graded predicates has nothing to judge"
        return []


def compare(atom: GradedAtom, degree: float) -> float:
    """Return the degree of an atom, which is 0 or 1 if it is compared."""
    return float(reaches(degree, atom.least)) if isinstance(atom, ComparedAtom) else degree


def find_failure_status(error: GroundingError) -> PlanStatus:
    """Return the status of a planning request that a source couldn't judge."""
    wrong = error.code in WRONG_QUESTION
    return PlanStatus.INVALID_REQUEST if wrong else PlanStatus.NO_JUDGEMENT


class MembershipMemory:
    """A membership source that asks another one about each context once.

    One planning request is decided by the answers in one memory, verification included. A degree
    that moves in the meantime (an outcome arrives, a fallback recovers) counts from the next
    request on.
    """

    def __init__(self, source: MembershipSource) -> None:
        self._source = source
        self._known: dict[str, Membership] = {}

    def __len__(self) -> int:
        """Return the number of different contexts that the source was asked about."""
        return len(self._known)

    def find(self, context_key: str) -> Membership | None:
        """Return the answer for a context, or None if nobody has asked yet; asks nobody."""
        return self._known.get(context_key)

    def judge(
        self, requests: Sequence[JudgementRequest], check: Check = never_stop
    ) -> list[Membership]:
        """Return one membership for each request, in their order; ask for those not known yet."""
        pending = {r.context_key: r for r in requests if r.context_key not in self._known}
        wanted = list(pending.values())
        for start in range(0, len(wanted), BATCH):
            check()
            batch = wanted[start : start + BATCH]
            answers = self._source.judge(batch)
            if len(answers) != len(batch):
                raise ValueError(
                    f"the membership source answered {len(answers)} of {len(batch)} requests: "
                    "it must answer each one, in order"
                )
            for request, membership in zip(batch, answers, strict=True):
                self._known[request.context_key] = membership
        return [self._known[request.context_key] for request in requests]

    def confirm(self, requests: Sequence[JudgementRequest]) -> bool:
        """Have the source look again, if it can; what moved is asked for again.

        To be called between two plans: no answer changes while one is made.
        """
        if not isinstance(self._source, ConfirmingSource) or not self._source.confirm(requests):
            return False
        for request in requests:
            self._known.pop(request.context_key, None)
        return True


class Judge:
    """Judges ground graded atoms in one state and remembers the answers."""

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        source: MembershipSource,
        check: Check = never_stop,
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._check = check
        self._requests: dict[GradedAtom, JudgementRequest] = {}
        # the answers, as a membership source for other states of the same request
        self.memory = MembershipMemory(source)

    def judge(self, atoms: Iterable[GradedAtom]) -> None:
        """Ask for all `atoms` that are not known yet."""
        wanted: list[JudgementRequest] = []
        for count, atom in enumerate(atoms):
            if count % BATCH == 0:
                self._check()
            wanted.append(self._request(atom))
        self.memory.judge(wanted, self._check)

    def find_degree(self, atom: GradedAtom) -> float | None:
        """Return the degree of an atom, or None if nobody has asked yet; asks nobody."""
        answer = self.memory.find(self._request(atom).context_key)
        return None if answer is None else compare(atom, answer.degree)

    def key(self, atom: GradedAtom) -> str:
        """Return the context key of an atom: atoms with the same key have the same degree."""
        return self._request(atom).context_key

    @property
    def asked(self) -> int:
        """Number of different contexts that the source was asked about."""
        return len(self.memory)

    def judge_atom(self, atom: GradedAtom) -> Judged:
        """Return the request and the answer for one atom; asks if it is not known yet."""
        request = self._request(atom)
        answer = self.memory.find(request.context_key)
        if answer is None:
            self.judge([atom])
            (answer,) = self.memory.judge([request])
        return Judged(request, answer)

    def degree(
        self, predicate: str, arguments: tuple[str, ...], least: float | None = None
    ) -> float:
        """Return the degree of one atom, compared with `least`; asks if it is not known yet."""
        atom: GradedAtom = (predicate, arguments)
        if least is not None:
            atom = ComparedAtom(predicate, arguments, least)
        return compare(atom, self.judge_atom(atom).membership.degree)

    def _request(self, atom: GradedAtom) -> JudgementRequest:
        request = self._requests.get(atom)
        if request is None:
            predicate = self._domain.graded[atom[0]]
            request = build_request(predicate, atom[1], self._instance)
            self._requests[atom] = request
        return request
