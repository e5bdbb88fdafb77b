# SPDX-License-Identifier: Apache-2.0
"""The options of ``fcp plan`` that say what a good plan is and how it is searched for."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from fcp_ros.cli.terminal import fail
from fcp_ros.fuzzy import TNORM_CHOICES, AlphaPolicy, alpha_policy
from fcp_ros.planning import Algorithm, Heuristic, Optimise, Switches

WORTH = "What a good plan is"
SEARCH = "How it is searched for"


class Optimisation(str, Enum):
    """What can be switched off: the fields of `Switches`."""

    FORGETTING = "forgetting"
    SYMMETRY = "symmetry"
    METRIC = "metric"
    LAZY = "lazy"
    CHUNKS = "chunks"


AlphaOption = Annotated[
    str,
    typer.Option(
        "--alpha",
        "-a",
        help="Least acceptable membership: a number from 0 to 1, or casual (0.5), typical (0.7), "
        "important (0.85), critical (0.95).",
        rich_help_panel=WORTH,
    ),
]
CriticalityOption = Annotated[
    float,
    typer.Option(help="How far alpha is lifted towards 1, from 0 to 1.", rich_help_panel=WORTH),
]
AdaptiveOption = Annotated[
    bool,
    typer.Option(
        "--adaptive", help="Let alpha allow for the length of the best plan.", rich_help_panel=WORTH
    ),
]
LengthFactorOption = Annotated[
    float,
    typer.Option(
        help="What each graded step beyond --free-length multiplies an adaptive alpha by.",
        rich_help_panel=WORTH,
    ),
]
FreeLengthOption = Annotated[
    int,
    typer.Option(
        help="Graded steps that lower an adaptive alpha by nothing.", rich_help_panel=WORTH
    ),
]
TNormOption = Annotated[
    str, typer.Option(help=f"How degrees compose: {TNORM_CHOICES}.", rich_help_panel=WORTH)
]
OptimiseOption = Annotated[
    Optimise,
    typer.Option(
        help="What the best plan is: the highest membership, or the least cost or duration of "
        "the plans that reach alpha.",
        rich_help_panel=WORTH,
    ),
]
DeadlineOption = Annotated[
    float | None,
    typer.Option(help="Seconds that the plan may take at most.", rich_help_panel=WORTH),
]
TimeLimitOption = Annotated[
    float, typer.Option(help="Seconds for the search.", rich_help_panel=SEARCH)
]
ImproveTimeOption = Annotated[
    float,
    typer.Option(
        help="Seconds to look for a better plan, or the proof that there is none.",
        rich_help_panel=SEARCH,
    ),
]
MemoryLimitOption = Annotated[
    float, typer.Option(help="MiB that the search may use.", rich_help_panel=SEARCH)
]
AlgorithmOption = Annotated[
    Algorithm, typer.Option(help="The search algorithm.", rich_help_panel=SEARCH)
]
HeuristicOption = Annotated[
    Heuristic,
    typer.Option(
        help="The heuristic, for algorithms that leave the choice.", rich_help_panel=SEARCH
    ),
]
WithoutOption = Annotated[
    list[Optimisation] | None,
    typer.Option(
        "--without",
        help="Switch an optimisation off; no answer changes.",
        rich_help_panel=SEARCH,
    ),
]


def alpha_of(
    text: str, criticality: float, adaptive: bool, length_factor: float, free_length: int
) -> tuple[float, AlphaPolicy | None]:
    """The alpha to start from, and the policy where it is not simply that number.

    Raises:
        typer.Exit: a number or word that can't be taken; standard error says why.
    """
    try:
        number: float | None = float(text)
    except ValueError:
        number = None  # the name of a preset
    if number is not None and criticality == 0.0 and not adaptive:
        return number, None
    try:
        policy = alpha_policy(
            text,
            criticality=criticality,
            length_factor=length_factor,
            free_length=free_length,
            adaptive=adaptive,
        )
    except ValueError as error:
        fail(str(error))
    return policy.base_alpha, policy


def switches_without(optimisations: list[Optimisation] | None) -> Switches:
    """All optimisations but these."""
    return Switches(**{one.value: False for one in optimisations or ()})
