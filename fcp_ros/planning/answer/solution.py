# SPDX-License-Identifier: Apache-2.0
"""The input and the output of the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.costs import NO_PREMIUM, CostUnit, Premium
from fcp_ros.planning.encoding.encoding import Decoded, Encoding
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.symmetry import SymmetryClasses
from fcp_ros.planning.model.chunks import StepAtoms
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.task.task import Conditions, Task


@dataclass(frozen=True)
class PlanningProblem:
    """The input of the solver."""

    compiler: RelevanceCompiler
    instance: Instance
    # the ground goal; it speaks of as many of interchangeable elements as it needs
    goal: GroundGoal
    tnorm: TNorm
    options: PlanningOptions
    # resource -> its present amount; the domain's own figure by default
    amounts: Mapping[str, float] = field(default_factory=dict)
    classes: SymmetryClasses = field(default_factory=lambda: SymmetryClasses.from_members(()))
    # the alpha-cut; the highest possible if it is not known before there is a plan
    alpha: float = 0.5
    is_crisp: bool = False
    unit: CostUnit = field(default_factory=CostUnit)
    premium: Premium = NO_PREMIUM
    # True if the membership decides, and costs only between equal ones
    membership_first: bool = True

    @property
    def indifference(self) -> float:
        """The difference of memberships from which on they decide, in [0, 1].

        Weights of preferences are stated, not judged: even small ones are meant.
        """
        plain = self.membership_first and not (self.is_crisp or self.goal.preferences)
        return self.options.indifference if plain else 0.0

    @property
    def restores(self) -> bool:
        """True if what a plan changes on the way is put right again."""
        membership = self.membership_first and self.options.optimise is Optimise.MEMBERSHIP
        return membership and bool(self.compiler.domain.restore)


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A fact that a plan changes on the way, though the goal does not ask for it."""

    fact: Fact
    held: bool
    steps: int  # as many may be taken to change it back

    def __str__(self) -> str:
        return str(self.fact) if self.held else f"not {self.fact}"


@dataclass(frozen=True)
class Solution:
    """A plan that works on the encoded task."""

    operators: tuple[int, ...]
    decoded: Decoded
    labels: tuple[str, ...]  # the chunk that each step belongs to; empty for none
    graded: tuple[StepAtoms, ...]  # the graded atoms that the degree of each step rests on
    membership: float
    cost: float
    # the times in which each step runs for the goal's constraints; () without any
    windows: tuple[Window, ...] = ()

    @property
    def alternative(self) -> Alternative:
        assert self.decoded.alternative is not None, "a solution finishes an alternative"
        return self.decoded.alternative


@dataclass(frozen=True)
class SolverResult:
    """The output of the solver.

    Attributes:
        task, conditions, encoding: the widest task that was searched; None before the first.
    """

    best: Solution | None = None
    # True if it is proven that no plan is better (than the best one, or than the one that was known
    # before)
    optimal: bool = False
    # True if it is also proven that no plan of the same membership (within the indifference) has
    # fewer steps; only known where membership is the objective
    shortest: bool = False
    impossible: bool = False  # True if it is proven that there is no plan (or none that is better)
    bound: float = 1.0  # upper bound of the membership of all plans, in [0, 1]; 0 if there is none
    least_left_out: int = 0  # no plan leaves out fewer parts of the goal
    disturbed: tuple[Disturbance, ...] = ()
    # what it puts right again, and a plan without these steps would not
    restored: tuple[Disturbance, ...] = ()
    forgone: float = 0.0  # membership that this costs beyond the indifference; 0 within it
    task: Task | None = None
    conditions: Conditions | None = None
    encoding: Encoding | None = None
    complete: bool = False  # True if that task contains everything that can matter
    interrupted: Interrupted | None = None
