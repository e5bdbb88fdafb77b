# SPDX-License-Identifier: Apache-2.0
"""The world as a plan takes it: elements that are taken for others, and what nobody has seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.derived_facts import add_facts
from fcp_ros.domain.shifting import Shifts, shift_elements, shift_state
from fcp_ros.execution.monitoring import Monitor, find_granted
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.executive.fleet import Fleet
from fcp_ros.planning.model.ground_step import Agents
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules


class PlanWorld:
    """The present state and the rules that a plan counts on; used by its goal's thread alone."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.shifts: Shifts = ()
        self.rules = fleet.rules  # with the shifts
        self._granted: frozenset[Fact] = frozenset()  # what the plan ends and nobody has seen

    def take_up(self, steps: Sequence[PlanStep], shifts: Shifts) -> str:
        """Take elements for others, as the next plan wants it, until another plan is taken up.

        What it ends and nobody has seen is taken for granted. Returns a sentence why that can't be;
        "" if it can.
        """
        self.shifts, self.rules, self._granted = (), self._fleet.rules, frozenset()
        if shifts:
            try:
                shifted, _ = shift_elements(self._fleet.domain, self._fleet.see(), shifts)
            except InputError as error:
                return str(error)
            self.shifts, self.rules = shifts, StepRules(shifted)
        is_unseen = self._fleet.see_world().scene.facts.is_unseen
        self._granted = find_granted(self.rules, steps, self.find_present(), is_unseen)
        return ""

    def make_monitor(self) -> Monitor:
        return Monitor(self.rules, self.find_present)

    def find_present(self) -> Instance:
        seen = self._fleet.see_world()
        present = seen.instance
        if self.shifts:
            present = shift_state(self._fleet.domain, present, self.shifts, self.rules.domain)
        granted = [fact for fact in self._granted if seen.scene.facts.is_unseen(fact)]
        return add_facts(self.rules.domain, present, granted) if granted else present

    def foresee(self, steps: Iterable[PlanStep]) -> Instance:
        """Return the state in which steps have ended, as far as their elements are there."""
        present = self.find_present()
        known = [step for step in steps if all(map(present.has, step.elements))]
        return self.rules.foresee(known, present)

    def note_end(self, facts: frozenset[Fact]) -> None:
        """Note that a step is about to end these facts: they are granted no more."""
        self._granted -= facts

    def make_chain(self, steps: Sequence[PlanStep]) -> RunOrder:
        """Make the order of a plan without a schedule, which has agents all the same.

        Else a shared executor would take each of its steps for one of any robot.
        """
        agents = Agents(self.rules.domain, self.find_present())
        return RunOrder.chain(len(steps), list(map(agents.find, steps)))
