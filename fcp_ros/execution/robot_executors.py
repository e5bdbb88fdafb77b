# SPDX-License-Identifier: Apache-2.0
"""Executors of robots that have some of their own: who does a step, and under which name.

All that comes after (dispatcher, ledger, clients) knows an executor by that name only, so what
holds for one executor holds for each of a robot.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import AbsentExecutor

_NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")


@dataclass(frozen=True)
class RobotExecutors:
    """The robots with executors of their own; by default none: one set of executors for all."""

    namespaces: Mapping[str, str] = field(default_factory=dict)  # robot's element -> namespace
    shared: frozenset[str] = frozenset()  # executors that are nobody's own

    @classmethod
    def parse(cls, entries: Iterable[str], shared: Collection[str] = ()) -> RobotExecutors:
        """Read entries such as ``robot_1=/alice``; ``robot_1`` alone is ``robot_1=robot_1``.

        Raises ValueError with a sentence if one is no such entry, or two name one robot or one
        namespace.
        """
        found: dict[str, str] = {}
        for entry in entries:
            robot, equals, namespace = entry.partition("=")
            namespace = namespace if equals else robot
            if not robot or not _NAMESPACE.fullmatch(namespace):
                raise ValueError(
                    f"{entry!r} is no robot with a namespace: write ELEMENT=NAMESPACE, such as "
                    "robot_1=/alice"
                )
            if robot in found:
                raise ValueError(f"{robot} is named twice: a robot has one namespace")
            if namespace in found.values():
                raise ValueError(
                    f"two robots have the namespace {namespace}: executors that serve several "
                    "robots belong into shared_executors"
                )
            found[robot] = namespace
        return cls(found, frozenset(shared))

    def resolve(self, step: PlanStep) -> PlanStep:
        """Return the step with the name of the executor that it goes to.

        That is the one of the first robot among its arguments.
        """
        if step.executor in self.shared:
            return step
        for element in step.elements:
            if element in self.namespaces:
                return replace(step, executor=self._name(element, step.executor))
        return step

    def list_names(self, executors: Iterable[str]) -> tuple[str, ...]:
        own = self.list_own(executors)
        apart = {one.executor for one in own.values()}
        return (*(name for name in executors if name not in apart), *own)

    def list_own(self, executors: Iterable[str]) -> dict[str, AbsentExecutor]:
        """List the executors of single robots by their names, for these executors of a domain."""
        return {
            self._name(robot, executor): AbsentExecutor(robot, executor)
            for executor in executors
            if executor not in self.shared
            for robot in self.namespaces
        }

    def _name(self, robot: str, executor: str) -> str:
        return f"{self.namespaces[robot]}/{executor}"
