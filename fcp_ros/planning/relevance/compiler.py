# SPDX-License-Identifier: Apache-2.0
"""Domain, state and what is wanted -> task: relevance first.

Instead of making everything that the scene allows and throwing most of it away, operators are made
backwards from what the goal speaks of, with lookups in the scene's own indexes: the cost depends on
what matters, not on how large the scene is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.mutexes.invariants import InvariantFinder
from fcp_ros.planning.relevance.binding_plans import BindingPlanner
from fcp_ros.planning.relevance.closure import MAX_OPERATORS, Breadth, Closure, TooManyOperators
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.relevance.overwriting import Overwritings, find_crowded, find_overwritings
from fcp_ros.planning.relevance.task_writer import TaskWriter
from fcp_ros.planning.task.lifted import LiftedDomain, lift_domain
from fcp_ros.planning.task.task import Task


@dataclass(frozen=True, slots=True)
class _WideTask:
    """A task with everything that can matter for some facts."""

    task: Task
    wanted: Wanted


class RelevanceCompiler:
    """Compiles tasks of one domain; what depends on the domain alone is worked out once."""

    def __init__(self, domain: Domain, check: Callable[[], None] = never_stop) -> None:
        self.domain = domain
        self._lifted: LiftedDomain = lift_domain(domain, check)
        self._planner = BindingPlanner(self._lifted)
        self._overwritings = find_overwritings(self._lifted)
        check()
        self._finder = InvariantFinder(self._lifted, check)
        self._wide: _WideTask | None = None

    def task(
        self,
        instance: Instance,
        wanted: Wanted,  # changing facts by polarity; all elements must be in the state
        breadth: Breadth,
        watch: Watch,
        most: int = MAX_OPERATORS,
    ) -> Task:
        """Compile a task with what matters for the wanted facts."""
        # Nearly all objects made here stay until the end: a garbage collection would find nothing.
        with pause_garbage_collection():
            return self._task(instance, wanted, breadth, watch, most)

    def wide_task(
        self, instance: Instance, wanted: Wanted, watch: Watch, most: int = MAX_OPERATORS
    ) -> Task:
        """Compile a task with everything that can matter for the wanted facts, and perhaps more.

        The last one is used again if it is of the same state and has them all. A new one has what
        was wanted before, too: what is asked about one state mostly differs in few facts.
        """
        last = self._wide
        if last is not None and last.task.instance is instance:
            if wanted.positive <= last.wanted.positive and wanted.negative <= last.wanted.negative:
                return last.task
            more = Wanted(
                wanted.positive | last.wanted.positive, wanted.negative | last.wanted.negative
            )
            with suppress(TooManyOperators):
                return self._widen(instance, more, watch, most)
        return self._widen(instance, wanted, watch, most)

    def _widen(self, instance: Instance, wanted: Wanted, watch: Watch, most: int) -> Task:
        task = self.task(instance, wanted, Breadth.FULL, watch, most)
        self._wide = _WideTask(task, wanted)
        return task

    def _task(
        self, instance: Instance, wanted: Wanted, breadth: Breadth, watch: Watch, most: int
    ) -> Task:
        facts = FactTable(instance)
        invariants = self._finder.find(instance, watch.check)
        overwritings = self._overwritings_for(instance, wanted)
        closure = Closure(
            self._lifted, self._planner, facts, invariants, overwritings, breadth, watch, most
        )
        positive = self._numbers(facts, wanted.positive)
        negative = self._numbers(facts, wanted.negative)
        closure.run(positive, negative)
        matches = closure.constraints.matches
        writer = TaskWriter(self._lifted, facts, matches, overwritings, watch)
        return writer.write(
            closure.grounder.operators, (*positive, *negative), breadth is Breadth.FULL
        )

    def _overwritings_for(self, instance: Instance, wanted: Wanted) -> Overwritings:
        """Return the rules whose representatives suffice: nothing must be gone from a place."""
        found = self._overwritings.without({fact.relation for fact in wanted.negative})
        return found.without(set(find_crowded(found, instance)))

    def _numbers(self, facts: FactTable, wanted: Iterable[Fact]) -> tuple[int, ...]:
        id_of, relations = facts.instance.id_of, self._lifted.relations
        return tuple(
            facts.number(relations[fact.relation], tuple(map(id_of, fact.arguments)))
            for fact in sorted(wanted)
        )


def compile_relevant(
    domain: Domain, instance: Instance, wanted: Wanted, breadth: Breadth, watch: Watch
) -> Task:
    """Compile one task; see `RelevanceCompiler` for several requests."""
    return RelevanceCompiler(domain).task(instance, wanted, breadth, watch)
