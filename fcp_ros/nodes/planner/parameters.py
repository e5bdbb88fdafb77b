# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node ``planner``, and the planning options that they stand for."""

from __future__ import annotations

from fcp_ros.fuzzy import TNORM_CHOICES, AlphaPolicy, tnorm_by_name
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES
from fcp_ros.nodes.runtime.parameters import ParameterSpec, ParameterTable, TakesEffect
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions

AT_ONCE = TakesEffect.AT_ONCE

PARAMETERS = (
    DOMAIN,
    TYPE_OVERRIDES,
    ParameterSpec(
        "domain_folders",
        [""],
        "Folders that load_domain may read from; without any, the package's own domains.",
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "alpha",
        0.5,
        "Least acceptable membership, for requests with alpha NaN; as a rule 0.5 for casual, 0.7 "
        "for typical, 0.85 for important and 0.95 for critical tasks.",
        0.0,
        1.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "criticality",
        0.0,
        "How far alpha is lifted towards 1, for every request.",
        0.0,
        1.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "adaptive_alpha",
        False,
        "Whether alpha allows for the length of the best plan (see length_factor).",
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "length_factor",
        0.97,
        "What each graded step beyond free_length multiplies an adaptive alpha by.",
        0.01,
        1.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "free_length",
        3,
        "Graded steps that lower an adaptive alpha by nothing.",
        0,
        1000,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "time_limit",
        30.0,
        "Time limit of a request that gives none [s].",
        0.01,
        86400.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "tnorm",
        "lukasiewicz",
        f"How degrees compose, for requests that don't say: {TNORM_CHOICES}.",
        check=tnorm_by_name,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "allow_relaxation",
        True,
        "Whether a goal that can't be reached may be relaxed (a request may forbid it).",
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "max_expansions",
        1_000_000_000,
        "States that a search may expand.",
        1,
        2**31 - 1,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "memory_limit",
        2048.0,
        "Memory that a search may use [MiB].",
        1.0,
        1048576.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "improve_time",
        5.0,
        "How long to look for a better plan, or for the proof that there is none, after the first "
        "one that reaches alpha [s]; 0 takes that one.",
        0.0,
        86400.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "optimise",
        "membership",
        "What the best plan is, for requests that don't say: the highest membership, or the least "
        "cost or duration of those that reach alpha.",
        choices=tuple(item.value for item in Optimise),
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "algorithm",
        Algorithm.PORTFOLIO.value,
        "The search algorithm; the portfolio chooses by itself.",
        choices=tuple(item.value for item in Algorithm),
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "heuristic",
        Heuristic.LM_CUT.value,
        "The heuristic, for algorithms that leave the choice.",
        choices=tuple(item.value for item in Heuristic),
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "learn_chunks",
        False,
        "Whether sequences of steps that occur in many plans become chunks, which are planned with "
        "as single steps.",
    ),
    ParameterSpec(
        "seed", 0, "Decides between equally good plans.", 0, 2**31 - 1, takes_effect=AT_ONCE
    ),
    ParameterSpec(
        "scene_wait",
        2.0,
        "How long a request waits for the first scene graph [s].",
        0.0,
        600.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "grounder_wait",
        5.0,
        "How long to wait for a grounder to appear [s].",
        0.0,
        600.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "judge_timeout",
        60.0,
        "How long to wait for one answer of the grounder [s].",
        0.1,
        3600.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec(
        "feedback_period",
        0.1,
        "Least time between two feedback messages of one phase [s].",
        0.0,
        60.0,
        takes_effect=AT_ONCE,
    ),
    ParameterSpec("queue_size", 4, "Requests that may wait while one is planned.", 0, 6),
)


def planning_options(values: ParameterTable) -> PlanningOptions:
    """The options of a request that leaves everything open."""
    return PlanningOptions(
        alpha=values.number("alpha"),
        time_limit=values.number("time_limit"),
        max_expansions=values.integer("max_expansions"),
        memory_limit=values.number("memory_limit"),
        improve_time=values.number("improve_time"),
        optimise=Optimise(values.text("optimise")),
        tnorm=values.text("tnorm"),
        allow_relaxation=values.flag("allow_relaxation"),
        seed=values.integer("seed"),
        policy=_policy(values),
        search=SearchOptions(
            Algorithm(values.text("algorithm")), Heuristic(values.text("heuristic"))
        ),
    )


def _policy(values: ParameterTable) -> AlphaPolicy | None:
    """The policy that lifts or lowers alpha; None where it is as given."""
    criticality, adaptive = values.number("criticality"), values.flag("adaptive_alpha")
    if criticality == 0.0 and not adaptive:
        return None
    return AlphaPolicy(
        values.number("alpha"),
        criticality,
        values.number("length_factor"),
        values.integer("free_length"),
        adaptive=adaptive,
    )
