# SPDX-License-Identifier: Apache-2.0
"""Reads the parameters of the simulated executor: faults and probabilities, checked at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.domain.model import Domain
from fcp_ros.execution.worlds.faults import (
    FaultError,
    FaultPlan,
    SuccessModel,
    parse_faults,
    parse_success,
)
from fcp_ros.execution.worlds.step_pattern import PatternError
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES, list_executors
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.parameters import ParameterSpec, ParameterTable, TakesEffect

PARAMETERS = (
    DOMAIN,
    TYPE_OVERRIDES,
    ParameterSpec(
        "executors", [""], "Names of the executors to simulate; without any, all of the domain."
    ),
    ParameterSpec("seed", 0, "Seed of all random draws.", minimum=0, maximum=2**31),
    ParameterSpec("success_probability", 1.0, "How often steps succeed.", minimum=0.0, maximum=1.0),
    ParameterSpec(
        "success_overrides",
        [""],
        "How often certain steps succeed, such as 'pick(item=mug_1): 0.2'.",
    ),
    ParameterSpec(
        "faults",
        [""],
        "What goes wrong for certain, such as 'pick(item=mug_1): EXECUTION_FAILED x2', "
        "'navigate: delay 20', 'place: hang' or 'place: crash'.",
    ),
    ParameterSpec(
        "time_scale",
        20.0,
        "Seconds of simulated duration that pass in one real second.",
        minimum=0.01,
        maximum=10_000.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "report_timeout",
        10.0,
        "Longest time until the scene graph shows what a step changed [s].",
        minimum=0.1,
        maximum=600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


@dataclass(frozen=True)
class SimulationSetup:
    """What the parameters say."""

    executors: tuple[str, ...]
    faults: FaultPlan
    success: SuccessModel
    seed: int


def read_setup(parameters: ParameterTable, domain: Domain) -> SimulationSetup:
    """The set-up that the parameters describe.

    Raises:
        ConfigureError: a text can't be read, or names what the domain doesn't have.
    """
    try:
        faults = parse_faults(parameters.texts("faults"))
        success = parse_success(
            parameters.number("success_probability"), parameters.texts("success_overrides")
        )
        rules = {name: rule.parameter_names for name, rule in domain.rules.items()}
        for pattern in (*(f.pattern for f in faults.faults), *(p for p, _ in success.entries)):
            pattern.check(rules)
    except (FaultError, PatternError) as error:
        raise ConfigureError(str(error)) from error
    executors = _executors(parameters.texts("executors"), domain)
    return SimulationSetup(executors, faults, success, parameters.integer("seed"))


def _executors(chosen: Iterable[str], domain: Domain) -> tuple[str, ...]:
    known = list_executors(domain)
    names = tuple(chosen)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigureError(
            f"the domain {domain.name} has no executor {', '.join(unknown)}; "
            f"it has {', '.join(known)}"
        )
    return names or known
