# SPDX-License-Identifier: Apache-2.0
"""The answer to a planning request: status, sentence, plan, verdict, and what explains it.

There is one status for each way in which a request can end (docs/design.md). Its claims are the
measures in which its plan is proven to be the best. Where every membership is 1, the best
membership says nothing: any plan has it. There the second criterion of the objective, the number of
steps, has to be proven as well before a plan is called optimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Atom, Expression, Weighted, children
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.plan import Judged, Plan, PolicyTrace
from fcp_ros.planning.model.request import Optimise


class PlanStatus(Enum):
    """The status of a planning result. The integer values are those of the ROS interface."""

    SOLVED_OPTIMALLY = 1
    """A verified plan, and a proof that no plan is better by the objective. Where every membership
    is 1 (neither rules nor goal are graded), the fewest steps are part of it."""
    SOLVED_SATISFICING = 2
    """A verified plan that reaches alpha; a better one may exist."""
    UNSOLVABLE_PROVEN = 3
    """No sequence of actions reaches the goal to a degree above 0, whatever alpha is."""
    UNSOLVABLE_AT_ALPHA = 4
    """Executable plans exist, and it is proven that none of them reaches alpha."""
    UNSOLVABLE_INCOMPLETELY = 5
    """No plan was found within the expansion limit; nothing is proven."""
    TIMEOUT = 6
    """The time limit passed before a plan that reaches alpha was found."""
    MEMOUT = 7
    """The node limit or the memory was used up before a plan that reaches alpha was found."""
    CANCELLED = 8
    """The caller cancelled."""
    UNSUPPORTED = 9
    """The request needs something that the planner does not support; the message says what."""
    INVALID_REQUEST = 10
    """The request contradicts itself or the domain; the message says what to change."""
    INTERNAL_ERROR = 11
    """The planner failed, or the verifier refused its plan. Nothing was handed out."""
    BUSY = 12
    """A planner that serves several callers has no room for the request: ask again later."""
    NODE_INACTIVE = 13
    """The planner's node is not active; the message says how to make it so."""
    NEEDS_CLARIFICATION = 14
    """An instruction can be understood in several ways, or a relaxation has to be confirmed; the
    message asks."""
    NO_JUDGEMENT = 15
    """A degree that the answer depends on can't be judged: a model is missing or fails, or a server
    or the grounder doesn't answer; the message says what to do."""
    SCENE_LOST = 16
    """The state of the world is stale: nobody keeps the scene graph up to date."""

    @property
    def solved(self) -> bool:
        """True if the result carries a plan that may be executed."""
        return self in (PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING)


class Measure(str, Enum):
    """The measures of a plan in which it may be proven to be the best."""

    MEMBERSHIP = "membership"
    STEPS = "steps"
    """The number of steps, among plans of the same membership."""
    COST = "cost"
    """The cost, among plans that reach alpha."""
    DURATION = "duration"
    """The duration, among plans that reach alpha."""
    PARTS = "parts"
    """The number of parts of the goal that are reached within the budgets. Where parts may be left
    out, the other measures are among plans that reach as many."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verifier's answer."""

    ok: bool
    problems: tuple[str, ...]  # what is wrong, one sentence each; empty when ok
    memberships: tuple[float, ...]  # the composed membership after each step that could be done
    final: Instance | None  # the state after the last step; None if a step could not be done


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to bind the goal's variables."""

    # (variable, element name), in the order of the goal's variables
    binding: tuple[tuple[str, str], ...]
    # of the best plan found with this binding, or an upper bound if `exact` is False; 0 if no plan
    # exists
    membership: float
    goal_degree: float  # degree of the goal under this binding once its crisp part is achieved
    reachable: bool  # False if it is proven that the crisp part can't be achieved
    chosen: bool  # True if the plan (or, without one, the reported best membership) rests on it
    judgements: tuple[Judged, ...]
    reason: str
    exact: bool = False  # True if `membership` is that of a plan (or proven to be 0)


class RelaxationKind(str, Enum):
    """The ways in which a goal is relaxed."""

    SUBSTITUTION = "substitution"
    """An element takes the place of what was asked for."""
    WEAKEN = "weaken"
    """A condition takes the place of a stronger one."""
    BROADEN = "broaden"
    """A kind of thing takes the place of a kind below it."""
    FEWER = "fewer"
    """A count is missed."""
    DROP = "drop"
    """A requirement is given up."""
    SPLIT = "split"
    """A condition is reached on the way, and need not hold in the end."""
    SHIFT = "shift"
    """The rules take an element for one of another type."""
    ASK = "ask"
    """Somebody is asked for help."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One change to the goal that made it reachable."""

    kind: str  # a value of `RelaxationKind`, such as "substitution"
    original: str  # what the goal asked for ("flashlight")
    replacement: str  # what stands in for it ("lamp_1"); empty if it was given up
    degree: float  # how well it does so, in [0, 1]
    reason: str


class RelaxationOutcome(str, Enum):
    """The ways in which looking at a relaxed goal ends."""

    SOLVED = "solved"
    """A plan reaches alpha."""
    BELOW_ALPHA = "below alpha"
    """Plans exist, and none reaches alpha."""
    IMPOSSIBLE = "impossible"
    """It is proven that there is no plan."""
    TRIVIAL = "trivial"
    """Its plan does nothing of what was wanted."""
    IMPLIED = "implied"
    """It was not planned: parts of it are known to contradict one another."""
    UNKNOWN = "unknown"
    """It was not settled in time."""


@dataclass(frozen=True, slots=True)
class ExploredRelaxation:
    """A relaxed goal that was looked at: a node of the lattice of relaxed goals."""

    number: int  # from 0, the goal as stated
    parent: int  # number of the goal that it relaxes further; -1 for the goal as stated
    changes: tuple[str, ...]
    bound: float  # upper bound of the membership of its plans, by its changes alone, in [0, 1]
    membership: float  # of its best plan that was found, in [0, 1]; 0 without one
    outcome: RelaxationOutcome
    reason: str = ""


class PriceKind(str, Enum):
    """The kinds of answers to: what would it have cost to keep a preference?"""

    KNOWN = "known"
    """The best plan that keeps it is known."""
    AT_MOST = "at most"
    """A plan that keeps it is known; a better one may exist."""
    BELOW_ALPHA = "below alpha"
    """Plans that keep it exist, and it is proven that none of them reaches alpha."""
    IMPOSSIBLE = "impossible"
    """It is proven that no plan keeps it together with the rest of the goal."""
    UNKNOWN = "unknown"
    """It was not settled; the reason says why."""


@dataclass(frozen=True, slots=True)
class KeepingPrice:
    """The price of keeping a preference that a plan gives up.

    The best plan that keeps it, by the same objective, is compared with the plan handed out.
    """

    kind: PriceKind
    membership: float = 0.0  # by so much its membership is lower, in [-1, 1]; 0 if it is not known
    more: float = 0.0  # by so much more it has of `measure`; 0 if it is not known
    measure: Measure = Measure.STEPS  # STEPS, COST or DURATION (s), after the objective
    reason: str = ""  # a sentence; empty where the numbers say it all

    def __str__(self) -> str:
        if self.kind in (PriceKind.IMPOSSIBLE, PriceKind.UNKNOWN):
            return f"{self.kind.value}: {self.reason}"
        if self.kind is PriceKind.AT_MOST and self.reason:
            return f"nothing: {self.reason}"
        words = [f"{self.membership:.2f} of the membership"] if abs(self.membership) > 5e-3 else []
        if abs(self.more) > 1e-9:
            words.append(self._describe_more())
        text = " and ".join(words) or "nothing"
        if self.kind is PriceKind.BELOW_ALPHA:
            return f"{text}: {self.reason}"
        return f"at most {text}" if self.kind is PriceKind.AT_MOST else text

    def _describe_more(self) -> str:
        if self.measure is Measure.COST:
            return f"cost {self.more:g}"
        unit = "s" if self.measure is Measure.DURATION else "step" if self.more == 1 else "steps"
        return f"{self.more:g} {unit}"


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A preference that a plan does not fulfil, or a part of the goal that it leaves out."""

    name: str
    text: str
    weight: float  # of its shortfall in the membership, in [0, 1]; of a part its share of the goal
    cost: float
    price: KeepingPrice | None = None  # of keeping it instead; None unless it was asked for
    is_part: bool = False  # True for a part of the goal that was left out for a budget

    def __str__(self) -> str:
        if self.is_part:
            return self.text
        price = [f"weight {self.weight:g}"] if self.weight else []
        price += [f"cost {self.cost:g}"] if self.cost else []
        name = f"{self.name}: " if self.name else ""
        return f"{name}{self.text}" + (f" ({', '.join(price)})" if price else "")


@dataclass(frozen=True, slots=True)
class KeptPreference:
    """A preference that a plan fulfils, wholly or to a degree."""

    name: str
    text: str
    weight: float
    cost: float
    degree: float


@dataclass(frozen=True, slots=True)
class RequirementTrace:
    """A constraint or preference along a plan."""

    text: str
    name: str
    preferred: bool  # False for a constraint that no plan may break, and for a part of the goal
    # the degree that it would have if the plan ended in its initial state, after its first step,
    # and so on, in [0, 1]
    degrees: tuple[float, ...]

    @property
    def kept(self) -> bool:
        """True if the plan fulfils it, wholly or to a degree."""
        return self.degrees[-1] > 0.0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Parts of a goal that no plan meets together: proven."""

    parts: tuple[str, ...]
    minimal: bool  # True if any of them can be dropped for a plan to exist: proven, too
    reason: str  # a sentence: what is wrong, and what to do


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one step, or of the goal, in the loss of a plan."""

    what: str
    degree: float
    share: float  # its part of the plan's loss, in [0, 1]; the shares add up to 1 if losses do


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a planning result."""

    shares: tuple[Share, ...] = ()  # steps and goal with a degree below 1, the most expensive first
    binding: str = ""  # a sentence: what binds at alpha, and the distance to alpha
    # element -> a sentence: the first action for which it was considered
    considered: Mapping[str, str] = field(default_factory=dict)
    elements: int = 0
    operators: int = 0
    asked: int = 0
    askable: int = 0  # number of judgements that all these actions and goals rest on

    @property
    def looked(self) -> str:
        """A sentence: the numbers of things considered and asked for."""
        return (
            f"Looked at {self.operators} actions and {len(self.considered)} of {self.elements} "
            f"elements; asked for {self.asked} of {self.askable} judgements."
        )

    def sentences(self) -> tuple[str, ...]:
        """Put all of it into words, the most expensive part first."""
        costs = (f"{s.what} has {s.degree:.2f}: {s.share:.0%} of the loss." for s in self.shares)
        return tuple(filter(None, (*costs, self.binding, self.looked)))

    def explain_element(self, element: str) -> str:
        """Say in one sentence why an element was or was not considered."""
        found = self.considered.get(element)
        if found is not None:
            return f"{element} was considered: {found}"
        return (
            f"{element} was not considered: no action that can matter for the goal, as far as it "
            "was looked for, involves it."
        )


@dataclass(frozen=True, slots=True)
class PlanningResult:
    """The answer to one planning request."""

    status: PlanStatus
    message: str
    # the verified plan; None unless `status.solved`, or a relaxation has to be confirmed
    # (NEEDS_CLARIFICATION): the plan that may be executed once somebody has said yes
    plan: Plan | None = None
    # the highest membership of any executable plan that was found, in [0, 1]
    best_membership: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    # the changes to the goal; empty if it was planned as stated
    relaxations: tuple[Relaxation, ...] = ()
    expansions: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)  # stage -> seconds
    verification: Verdict | None = None
    goal: str = ""
    alpha: float = 0.0
    alpha_reason: str = ""
    # number of steps left out of an earlier plan that was kept; None for a new plan
    kept: int | None = None
    explanation: Explanation | None = None
    optimal_in: tuple[Measure, ...] = ()  # the measures in which no plan is better: proven
    # remarks on the files of the task that were read, but may not mean what they should
    notes: tuple[str, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    kept_preferences: tuple[KeptPreference, ...] = ()
    # parts of the goal that cannot be had together; None if there is a plan, or if no such parts
    # were found in time
    conflict: Conflict | None = None
    is_reasoned: bool = True  # False if the message only says that there is no plan, and not why
    # constraints and preferences along the plan, if an explanation was asked for
    traces: tuple[RequirementTrace, ...] = ()
    refused_relaxations: tuple[Relaxation, ...] = ()
    # the relaxed goals that were looked at, in that order; empty if the goal as stated was enough
    explored: tuple[ExploredRelaxation, ...] = ()
    # a question; with NEEDS_CLARIFICATION `plan` may be executed if a person has answered it with
    # yes. Empty if there is nothing to confirm.
    confirmation: str = ""
    # a sentence: what is missing for the goal as stated; empty if nothing was found
    would_take: str = ""
    # the general policy that made the plan without a search; empty if it was searched
    policy: str = ""
    # a sentence for each policy that was looked at and did not make the plan
    policy_notes: tuple[str, ...] = ()
    # the run of the policy that made the plan; None if it was searched, and in results that came
    # through messages, which do not have it
    policy_trace: PolicyTrace | None = None


_OF_OBJECTIVE = {
    Optimise.MEMBERSHIP: Measure.MEMBERSHIP,
    Optimise.COST: Measure.COST,
    Optimise.DURATION: Measure.DURATION,
}


def is_crisp(domain: Domain, goal: Expression) -> bool:
    """Return True if every plan for a goal has membership 1: neither rules nor goal are graded."""
    if any(rule.graded for rule in domain.rules.values()):
        return False
    if any(chunk.graded for chunk in domain.chunks.values()):
        return False
    return not _is_graded(goal, domain)


def _is_graded(expression: Expression, domain: Domain) -> bool:
    if isinstance(expression, Weighted):
        return True
    if isinstance(expression, Atom):
        return expression.predicate in domain.graded
    return any(_is_graded(part, domain) for part in children(expression))


def list_optimal(
    optimal: bool, shortest: bool, membership: float, optimise: Optimise, most_parts: bool = False
) -> tuple[Measure, ...]:
    """List the measures in which a plan is proven to be the best."""
    proven = {Measure.MEMBERSHIP: membership >= 1.0 - EPSILON}
    proven[_OF_OBJECTIVE[optimise]] = optimal
    proven[Measure.STEPS] = shortest
    proven[Measure.PARTS] = most_parts
    return tuple(measure for measure in Measure if proven.get(measure, False))


def choose_status(
    optimal_in: tuple[Measure, ...], optimise: Optimise, is_crisp: bool, in_parts: bool = False
) -> PlanStatus:
    wanted = {_OF_OBJECTIVE[optimise]}
    if in_parts:
        wanted.add(Measure.PARTS)
    if is_crisp and optimise is Optimise.MEMBERSHIP:
        wanted.add(Measure.STEPS)
    if wanted.issubset(optimal_in):
        return PlanStatus.SOLVED_OPTIMALLY
    return PlanStatus.SOLVED_SATISFICING
