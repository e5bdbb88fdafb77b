# SPDX-License-Identifier: Apache-2.0
"""The planning options of ``fcp plan``, made from the table of all planning options."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer

from fcp_ros.planning import Algorithm, Heuristic, Optimise
from fcp_ros.planning.model.option_table import OPTION

ABOUT_PLAN = "What a good plan is"
ABOUT_SEARCH = "How it is searched for"


class Optimisation(str, Enum):
    """The optimisations that can be switched off: the choices of the option ``without``."""

    FORGETTING = "forgetting"
    SYMMETRY = "symmetry"
    METRIC = "metric"
    LAZY = "lazy"
    CHUNKS = "chunks"


def describe_option(name: str, more: str = "") -> Any:
    """Make the command-line option for one row of the table.

    Args:
        name: Its name in the table.
        more: What only the command line has to say of it.
    """
    option = OPTION[name]
    is_switch = option.flags[-1].startswith("--no-")
    return typer.Option(
        *(["/".join(option.flags)] if is_switch else option.flags),
        help=f"{option.sentence_with_unit} {more}".rstrip().replace("_", "-"),
        rich_help_panel=ABOUT_PLAN if option.is_about_plan else ABOUT_SEARCH,
    )


AlphaOption = Annotated[str, describe_option("alpha", "A number, or one of these words.")]
CriticalityOption = Annotated[float, describe_option("criticality")]
AdaptiveOption = Annotated[bool, describe_option("adaptive_alpha")]
LengthFactorOption = Annotated[float, describe_option("length_factor")]
FreeLengthOption = Annotated[int, describe_option("free_length")]
TNormOption = Annotated[str, describe_option("tnorm")]
OptimiseOption = Annotated[Optimise, describe_option("optimise")]
DeadlineOption = Annotated[float | None, describe_option("deadline")]
RelaxOption = Annotated[bool, describe_option("allow_relaxation")]
TimeLimitOption = Annotated[float, describe_option("time_limit")]
ImproveTimeOption = Annotated[float, describe_option("improve_time")]
MemoryLimitOption = Annotated[float, describe_option("memory_limit")]
AlgorithmOption = Annotated[Algorithm, describe_option("algorithm")]
HeuristicOption = Annotated[Heuristic, describe_option("heuristic")]
WithoutOption = Annotated[list[Optimisation] | None, describe_option("without")]
ExplainOption = Annotated[bool, describe_option("explain")]
