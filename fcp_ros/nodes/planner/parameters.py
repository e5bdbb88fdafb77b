# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node ``task_planner``, and the planning options that they stand for."""

from __future__ import annotations

from fcp_ros.language.cascade import TUNED, ReaderOptions
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FOLDERS,
    ParameterSpec,
    ParameterTable,
    TakesEffect,
)
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.model.option_table import OPTIONS, PlanningOption, make_options

AT_ONCE = TakesEffect.AT_ONCE
AT_START = TakesEffect.AT_START


def _spec_of(option: PlanningOption) -> ParameterSpec:
    assert isinstance(option.default, bool | int | float | str), "parameters are single values"
    remark = " For requests that leave it open." if option.left_open else ""
    return ParameterSpec(
        option.name,
        option.default,
        option.sentence_with_unit + remark,
        option.minimum,
        option.maximum,
        option.choices,
        option.check,
        AT_ONCE,
    )


PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    *(_spec_of(option) for option in OPTIONS if option.is_parameter),
    ParameterSpec(
        "policies",
        "",
        "Folder of general policies (from `fcp generalize`): one that fits the domain and reaches "
        "the goal makes the plan without a search.",
        takes_effect=AT_START,
    ),
    ParameterSpec(
        "reader_model",
        TUNED,
        "Language model that is asked about what the reader can't read: tuned (the package's small "
        "one, where smollm2-135m was fetched), a file from `fcp language train-writer`, or "
        "the name on the server; empty for none.",
        takes_effect=AT_START,
    ),
    ParameterSpec(
        "reader_endpoint",
        "",
        "URL of a model server, with the OpenAI protocol, that is asked about what the reader "
        "can't read.",
        takes_effect=AT_START,
    ),
    ParameterSpec(
        "speaker",
        "",
        'Element that speaks ("me") where a request does not say; "": the only person of the '
        "scene.",
        takes_effect=AT_ONCE,
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


def read_reader_options(values: ParameterTable) -> ReaderOptions:
    return values.fill(ReaderOptions, "reader_")


def read_planning_options(values: ParameterTable) -> PlanningOptions:
    return make_options(
        {option.name: values[option.name] for option in OPTIONS if option.is_parameter}
    )
