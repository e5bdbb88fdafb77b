# SPDX-License-Identifier: Apache-2.0
"""The options of a planning request, each described once.

`OPTIONS` is the one table. The parameters of the node ``task_planner``, the options of ``fcp plan``
and the checks of a request are made from it. ``config/params.yaml``, ``PlanRequest.msg`` and the
table in ``docs/planning.md`` are tested against it.

To add an option: a field in `PlanningOptions`, a row here, a line in `make_options`; where it is
exposed, also the field of the message or the argument of the command.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from fcp_ros.fuzzy import TNORM_CHOICES, AlphaPolicy, alpha_policy, tnorm_by_name
from fcp_ros.planning.model.request import (
    CONFIRM_BELOW,
    Algorithm,
    Heuristic,
    Optimise,
    PlanningOptions,
    SearchOptions,
    Switches,
)

_DEFAULTS = PlanningOptions()
_POLICY = AlphaPolicy()


@dataclass(frozen=True)
class AllowedValues:
    """The values that an option may have in a request."""

    words: str  # The values in words, after "give"
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def _at_least(least: float, words: str) -> AllowedValues:
    return AllowedValues(words, lambda value: _is_number(value) and value >= least)  # type: ignore[operator]


def _above_zero(words: str) -> AllowedValues:
    return AllowedValues(words, lambda value: _is_number(value) and value > 0.0)  # type: ignore[operator]


SHARE = AllowedValues(
    "a number from 0 to 1",
    lambda value: _is_number(value) and 0.0 <= value <= 1.0,  # type: ignore[operator]
)
COUNT = AllowedValues(
    "a whole number above 0",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
)


AMOUNTS = AllowedValues(
    "a finite number, 0 or more, for each",
    lambda value: (
        isinstance(value, Mapping)
        and all(_is_number(one) and 0.0 <= one < math.inf for one in value.values())
    ),
)


def _make_plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _list_switched_off(switches: Switches) -> list[str]:
    return [one.name for one in fields(Switches) if not getattr(switches, one.name)]


@dataclass(frozen=True, kw_only=True)
class PlanningOption:
    """One option of a planning request.

    Attributes:
        minimum, maximum: Inclusive range of the parameter, for numbers.
    """

    field: str  # Its place in `PlanningOptions`: "alpha", "policy.criticality"
    sentence: str
    name: str = ""  # Where it isn't the last word of `field`
    plain: Callable[[Any], object] = _make_plain  # Makes a plain value of that in `field`
    unit: str = ""  # Its unit; "" for none
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    check: Callable[[str], object] | None = None
    # The values of a request, where not each of the type will do
    allowed: AllowedValues | None = None
    is_parameter: bool = True
    flags: tuple[str, ...] = ()  # Its names on the command line; empty: not there
    # True for an option that says what a good plan is, False for one that says how it is searched
    # for
    is_about_plan: bool = False
    message_field: str = ""  # Its field in ``PlanRequest.msg``; "": not there
    left_open: str = ""  # The value of that field that leaves the choice to the parameter

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.field.rpartition(".")[2])

    def read(self, options: PlanningOptions) -> object:
        """Return its value in some options, as a plain one."""
        owner, _, name = self.field.rpartition(".")
        return self.plain(getattr((getattr(options, owner) or _POLICY) if owner else options, name))

    @property
    def default(self) -> Any:
        """Its default, as a plain value."""
        return self.read(_DEFAULTS)

    @property
    def sentence_with_unit(self) -> str:
        """The meaning, with the unit in brackets where there is one."""
        return f"{self.sentence.rstrip('.')} [{self.unit}]." if self.unit else self.sentence


OPTIONS = (
    PlanningOption(
        field="alpha",
        sentence="Least acceptable membership; as a rule 0.5 for casual, 0.7 for typical, 0.85 for "
        "important and 0.95 for critical tasks.",
        minimum=0.0,
        maximum=1.0,
        allowed=SHARE,
        flags=("--alpha", "-a"),
        is_about_plan=True,
        message_field="alpha",
        left_open="NaN",
    ),
    PlanningOption(
        field="policy.criticality",
        sentence="Lift of alpha towards 1; 0 leaves it as it is.",
        minimum=0.0,
        maximum=1.0,
        flags=("--criticality",),
        is_about_plan=True,
    ),
    PlanningOption(
        name="adaptive_alpha",
        field="policy.adaptive",
        sentence="Lower alpha for long plans (see length_factor).",
        flags=("--adaptive",),
        is_about_plan=True,
    ),
    PlanningOption(
        field="policy.length_factor",
        sentence="Factor of an adaptive alpha for each graded step beyond free_length.",
        minimum=0.01,
        maximum=1.0,
        flags=("--length-factor",),
        is_about_plan=True,
    ),
    PlanningOption(
        field="policy.free_length",
        sentence="Number of graded steps that do not lower an adaptive alpha.",
        minimum=0,
        maximum=1000,
        flags=("--free-length",),
        is_about_plan=True,
    ),
    PlanningOption(
        field="tnorm",
        sentence=f"Composition of degrees: {TNORM_CHOICES}.",
        check=tnorm_by_name,
        flags=("--tnorm",),
        is_about_plan=True,
        message_field="tnorm",
        left_open='""',
    ),
    PlanningOption(
        field="indifference",
        sentence="Memberships that differ by at most this are equal: fewer steps decide between "
        "them, and what they leave changed. Never below alpha, and not where the goal has "
        "preferences or budgets.",
        minimum=0.0,
        maximum=1.0,
        allowed=SHARE,
        flags=("--indifference",),
        is_about_plan=True,
        message_field="indifference",
        left_open="NaN",
    ),
    PlanningOption(
        field="optimise",
        sentence="Objective: the highest membership, or the least cost or duration of the plans "
        "that reach alpha.",
        choices=tuple(item.value for item in Optimise),
        flags=("--optimise",),
        is_about_plan=True,
        message_field="optimise",
        left_open='""',
    ),
    PlanningOption(
        field="deadline",
        sentence="Longest duration of the plan.",
        unit="s",
        allowed=_at_least(0.0, "a number of seconds, 0 or more"),
        is_parameter=False,
        flags=("--deadline",),
        is_about_plan=True,
        message_field="deadline",
    ),
    PlanningOption(
        field="budgets",
        sentence="How much the plan may use of a resource, or of cost, time (s) or steps; parts of "
        "the goal may then be left out (see docs/goals.md).",
        allowed=AMOUNTS,
        is_parameter=False,
        flags=("--budget",),
        is_about_plan=True,
        message_field="budgets",
    ),
    PlanningOption(
        field="absent",
        sentence="Executors that some agents have not: those agents get no step of them.",
        is_parameter=False,
        is_about_plan=True,
        message_field="absent",
    ),
    PlanningOption(
        field="share_work",
        sentence="Deal the work of a plan out among all agents that can do it, if its last step "
        "ends sooner then; it may take more steps.",
        flags=("--share-work",),
        is_about_plan=True,
    ),
    PlanningOption(
        field="allow_relaxation",
        sentence="Relax a goal that can't be met as stated.",
        flags=("--relax", "--no-relax"),
        is_about_plan=True,
        message_field="forbid_relaxation",
    ),
    PlanningOption(
        field="confirm_below",
        plain=lambda value: CONFIRM_BELOW if value is None else value,
        sentence="An instruction in words that had to be relaxed, to a degree below this, is to be "
        "confirmed before it counts as planned for; 0 never asks. For a goal in the goal language "
        "a request sets it itself.",
        minimum=0.0,
        maximum=1.0,
        allowed=SHARE,
        flags=("--confirm-below",),
        is_about_plan=True,
        message_field="confirm_below",
        left_open="NaN",
    ),
    PlanningOption(
        field="time_limit",
        sentence="Time limit of a request, from reading its files to the verified answer.",
        unit="s",
        minimum=0.01,
        maximum=86400.0,
        allowed=_above_zero("a number of seconds above 0"),
        flags=("--time-limit",),
        message_field="time_limit",
        left_open="zero",
    ),
    PlanningOption(
        field="improve_time",
        sentence="Time to look for a better plan, or for the proof that there is none, after the "
        "first plan that reaches alpha; 0 takes that plan.",
        unit="s",
        minimum=0.0,
        maximum=86400.0,
        allowed=_at_least(0.0, "a number of seconds, 0 or more"),
        flags=("--improve-time",),
    ),
    PlanningOption(
        field="memory_limit",
        sentence="Resident memory by which a request may enlarge the process; the first one loads "
        "the search kernels, about 100 MiB.",
        unit="MiB",
        minimum=1.0,
        maximum=1048576.0,
        allowed=_above_zero("a number of MiB above 0"),
        flags=("--memory-limit",),
    ),
    PlanningOption(
        field="max_expansions",
        sentence="Number of states that all searches of a request together may expand.",
        minimum=1,
        maximum=2**31 - 1,
        allowed=COUNT,
    ),
    PlanningOption(
        field="search.algorithm",
        sentence="Search algorithm; the portfolio chooses by itself.",
        choices=tuple(item.value for item in Algorithm),
        flags=("--algorithm",),
    ),
    PlanningOption(
        field="search.heuristic",
        sentence="Heuristic, for algorithms that leave the choice.",
        choices=tuple(item.value for item in Heuristic),
        flags=("--heuristic",),
    ),
    PlanningOption(
        field="search.weight",
        sentence="Weight of the heuristic, for algorithms that have one.",
        allowed=_at_least(1.0, "a number of 1 or more"),
        is_parameter=False,
    ),
    PlanningOption(
        name="without",
        field="switches",
        plain=_list_switched_off,
        sentence="Optimisations to switch off; no answer changes.",
        choices=tuple(field.name for field in fields(Switches)),
        is_parameter=False,
        flags=("--without",),
    ),
    PlanningOption(
        field="seed",
        sentence="Choice among equally good plans; the same seed gives the same plan.",
        minimum=0,
        maximum=2**31 - 1,
    ),
    PlanningOption(
        field="keep",
        sentence="Keep an earlier plan for the goal while it holds and none is better.",
        is_parameter=False,
    ),
    PlanningOption(
        field="explain",
        sentence="Explain the result: the share of each step in the loss, what binds at alpha, "
        "which elements were considered, the price of keeping what was only preferred.",
        is_parameter=False,
        flags=("--explain",),
        message_field="explain",
    ),
)

OPTION = {option.name: option for option in OPTIONS}
"""The options by name."""

DEFAULTS: dict[str, Any] = {option.name: option.default for option in OPTIONS}
"""The default of each option by name, as a plain value."""


def make_options(values: Mapping[str, Any]) -> PlanningOptions:
    """Make planning options from plain values by name; those that are missing have their default.

    Args:
        values: By `PlanningOption.name`. `alpha` may be a word, such as "critical".

    Raises:
        ValueError: A word is none of the choices, or a policy for alpha has a number out of range.
            Other numbers are checked by `find_problems`.
    """
    given = {**DEFAULTS, **values}
    alpha, policy = _choose_alpha(given)
    off = given["without"]
    return PlanningOptions(
        alpha=alpha,
        policy=policy,
        tnorm=given["tnorm"],
        optimise=Optimise(given["optimise"]),
        deadline=given["deadline"],
        budgets=given["budgets"],
        absent=given["absent"],
        share_work=given["share_work"],
        allow_relaxation=given["allow_relaxation"],
        confirm_below=values.get("confirm_below"),
        indifference=given["indifference"],
        time_limit=given["time_limit"],
        improve_time=given["improve_time"],
        memory_limit=given["memory_limit"],
        max_expansions=given["max_expansions"],
        search=SearchOptions(
            Algorithm(given["algorithm"]), Heuristic(given["heuristic"]), given["weight"]
        ),
        switches=Switches(**{one.name: one.name not in off for one in fields(Switches)}),
        seed=given["seed"],
        keep=given["keep"],
        explain=given["explain"],
    )


def _choose_alpha(given: Mapping[str, Any]) -> tuple[float, AlphaPolicy | None]:
    """Return the alpha to start from, and the policy if it is more than that number."""
    alpha = given["alpha"]
    try:
        number: float | None = float(alpha)
    except ValueError:
        number = None  # the name of a preset
    if number is not None and given["criticality"] == 0.0 and not given["adaptive_alpha"]:
        return number, None
    policy = alpha_policy(
        alpha,
        criticality=given["criticality"],
        length_factor=given["length_factor"],
        free_length=given["free_length"],
        adaptive=given["adaptive_alpha"],
    )
    return policy.base_alpha, policy


def find_problems(options: PlanningOptions) -> tuple[str, ...]:
    """Return one sentence for each option that is out of its range; empty if all are fine."""
    found = []
    for option in OPTIONS:
        value = option.read(options)
        if option.allowed is not None and not option.allowed.accepts(value):
            found.append(f"{option.field} is {value!r}: give {option.allowed.words}.")
        if option.check is not None:
            try:
                option.check(value)  # type: ignore[arg-type]  # whatever the caller has set
            except (TypeError, ValueError) as error:
                found.append(f"{option.field}: {error}.")
    return tuple(found)
