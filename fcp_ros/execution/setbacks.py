# SPDX-License-Identifier: Apache-2.0
"""The failures of a plan that runs: whose steps do without, and what its end says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcp_ros.execution.dispatch_model import DispatchStatus, PlanFailure


class Setbacks:
    """The failures of one plan; the first reason decides how it ends.

    `owners`: executor -> the robot that it belongs to, if only that one needs it.
    """

    def __init__(self, owners: Mapping[str, str]) -> None:
        self._owners = owners
        self._first: PlanFailure | None = None
        self._further: list[str] = []  # what has failed after it, in sentences
        self._gone: dict[str, None] = {}  # executors that are not there, or say nothing
        self._lost: dict[str, None] = {}  # robots whose own executors are gone
        self._silent: dict[str, None] = {}  # executors that had not answered
        self.is_given_up = False  # a failure concerns more than one robot

    def add(self, failure: PlanFailure, elements: Iterable[str], *, has_begun: bool) -> bool:
        """Note why a step about some elements can't be done; True if the plan is given up now."""
        if failure.unanswered:
            self.note_silence(failure.unanswered)
        if self._first is None:
            self._first = failure
        elif failure.message not in self._further:
            self._further.append(failure.message)
        self._gone.update(dict.fromkeys(failure.gone))
        robots = [self._owners.get(name, "") for name in failure.gone]
        self._lost.update(dict.fromkeys(filter(None, robots)))
        was_given_up = self.is_given_up
        # A step that does without the lost robots would be looked after again and again: somebody
        # else's executor that says nothing may be moving its robot.
        is_left_out = has_begun and self.concern(elements)
        self.is_given_up |= not (robots and all(robots) and is_left_out)
        return self.is_given_up and not was_given_up

    def note_silence(self, executor: str) -> None:
        """Note that an executor has not answered."""
        self._silent[executor] = None

    def concern(self, elements: Iterable[str]) -> bool:
        """Return True if one of these elements is a robot whose executors are gone."""
        return not self._lost.keys().isdisjoint(elements)

    @property
    def are_any(self) -> bool:
        """True if the plan won't be done to its end."""
        return self._first is not None

    @property
    def end(self) -> tuple[DispatchStatus, str] | None:
        """The status and the sentences of the plan's end; None if nothing has failed."""
        if self._first is None:
            return None
        return self._first.status, " ".join([self._first.message, *self._further])

    @property
    def silent(self) -> tuple[str, ...]:
        """The executors that had not answered when something failed."""
        return tuple(self._silent)

    @property
    def lost_robots(self) -> tuple[str, ...]:
        """The robots whose own executors are gone; () if one is gone that others need as well."""
        is_their_own = all(name in self._owners for name in self._gone)
        return tuple(self._lost) if is_their_own else ()
