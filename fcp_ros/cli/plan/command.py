# SPDX-License-Identifier: Apache-2.0
"""``fcp plan``: plan for a goal without ROS.

The options are made from the table of all planning options, and checked there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.judges import JudgeChoice
from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DEFAULT_ORACLE,
    DEFAULT_SCENE,
    AssetsOption,
    CalibrationOption,
    DomainOption,
    EndpointOption,
    JsonOption,
    ModelOption,
    OracleOption,
    SceneOption,
    SimilarOption,
    TypeOption,
)
from fcp_ros.cli.plan.interruption import open_interruption
from fcp_ros.cli.plan.progress import open_progress
from fcp_ros.cli.plan.request import PlanCommand, PlanInput, PlanOutput, is_pddl
from fcp_ros.cli.terminal import escape_text, explain_errors, fail, open_console
from fcp_ros.foundation.garbage import skip_final_collection
from fcp_ros.planning import Algorithm, Explanation, Heuristic, Optimise, PlanStatus
from fcp_ros.planning.model.option_table import DEFAULTS, OPTION, make_options
from fcp_ros.planning.model.watch import RequestStart
from fcp_ros.report import to_plain_result
from fcp_ros.report.console import render_result

app = typer.Typer(add_completion=False)

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
        name: The name of the row.
        more: A sentence that only the command line adds.
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
BudgetOption = Annotated[
    list[str] | None,
    describe_option("budgets", "NAME=AMOUNT, such as battery=20; may be given several times."),
]
RelaxOption = Annotated[bool, describe_option("allow_relaxation")]
TimeLimitOption = Annotated[float, describe_option("time_limit")]
ImproveTimeOption = Annotated[float, describe_option("improve_time")]
MemoryLimitOption = Annotated[float, describe_option("memory_limit")]
AlgorithmOption = Annotated[Algorithm, describe_option("algorithm")]
HeuristicOption = Annotated[Heuristic, describe_option("heuristic")]
WithoutOption = Annotated[list[Optimisation] | None, describe_option("without")]
ExplainOption = Annotated[bool, describe_option("explain")]


@app.command()
def plan(
    goal: Annotated[
        str,
        typer.Option(
            "--goal",
            "-g",
            help=(
                'What should hold, such as: on(?x, table_1) and serves_as(?x, "drinking"). '
                "A PDDL problem has its own."
            ),
        ),
    ] = "",
    domain: DomainOption = DEFAULT_DOMAIN,
    scene: SceneOption = DEFAULT_SCENE,
    types: TypeOption = None,
    similar: SimilarOption = None,
    assets: AssetsOption = None,
    alpha: AlphaOption = DEFAULTS["alpha"],
    criticality: CriticalityOption = DEFAULTS["criticality"],
    adaptive: AdaptiveOption = DEFAULTS["adaptive_alpha"],
    length_factor: LengthFactorOption = DEFAULTS["length_factor"],
    free_length: FreeLengthOption = DEFAULTS["free_length"],
    tnorm: TNormOption = DEFAULTS["tnorm"],
    optimise: OptimiseOption = DEFAULTS["optimise"],
    deadline: DeadlineOption = None,
    budget: BudgetOption = None,
    relax: RelaxOption = DEFAULTS["allow_relaxation"],
    time_limit: TimeLimitOption = DEFAULTS["time_limit"],
    improve_time: ImproveTimeOption = DEFAULTS["improve_time"],
    memory_limit: MemoryLimitOption = DEFAULTS["memory_limit"],
    algorithm: AlgorithmOption = DEFAULTS["algorithm"],
    heuristic: HeuristicOption = DEFAULTS["heuristic"],
    without: WithoutOption = None,
    explain: ExplainOption = DEFAULTS["explain"],
    why: Annotated[
        list[str] | None,
        typer.Option("--why", help="Explain why this element was or was not considered."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the plan to this file, in the format of the IPC."),
    ] = None,
    as_json: JsonOption = False,
    oracle: OracleOption = DEFAULT_ORACLE,
    model: ModelOption = "",
    endpoint: EndpointOption = "",
    calibration: CalibrationOption = None,
) -> None:
    """Plan for a goal, or for a PDDL domain and problem (--domain d.pddl --scene p.pddl).

    The exit code is the planning status (see the README). Ctrl-C ends planning with the best plan
    so far.
    """
    start = RequestStart.now()
    skip_final_collection()
    try:
        options = make_options(
            {
                "alpha": alpha,
                "criticality": criticality,
                "adaptive_alpha": adaptive,
                "length_factor": length_factor,
                "free_length": free_length,
                "tnorm": tnorm,
                "optimise": optimise.value,
                "deadline": math.inf if deadline is None else deadline,
                "budgets": read_budgets(budget or ()),
                "allow_relaxation": relax,
                "time_limit": time_limit,
                "improve_time": improve_time,
                "memory_limit": memory_limit,
                "algorithm": algorithm.value,
                "heuristic": heuristic.value,
                "without": [one.value for one in without or ()],
                "explain": explain or bool(why),
            }
        )
    except ValueError as error:
        fail(str(error))
    judges = JudgeChoice(oracle, model, endpoint, calibration)
    asked = PlanInput(
        domain, scene, goal, options, judges, tuple(types or ()), similar, tuple(assets or ())
    )
    if not (goal or is_pddl(domain) or is_pddl(scene)):
        fail("no goal: say what should hold with --goal")
    with open_interruption() as interruption:
        with explain_errors():
            with open_progress(as_json) as show:
                answer = PlanCommand(asked, start, interruption, show).answer()
            if out is not None and answer.result.plan is not None:
                out.write_text(answer.to_ipc_plan(), encoding="utf-8")
        _print_answer(answer, as_json, explain, why or ())
        status = PlanStatus.CANCELLED if interruption.cancelled else answer.result.status
    raise typer.Exit(to_exit_code(status))


def read_budgets(texts: Iterable[str]) -> dict[str, float]:
    """Read budgets, NAME=AMOUNT each.

    Raises:
        ValueError: a text is no budget, or a name is given twice; the message says what to write.
    """
    found: dict[str, float] = {}
    for text in texts:
        name, sign, amount = text.partition("=")
        name = name.strip()
        if not (name and sign):
            raise ValueError(f"--budget {text}: write NAME=AMOUNT, such as battery=20")
        if name in found:
            raise ValueError(f"--budget {text}: {name} has a budget already, {found[name]:g}")
        try:
            found[name] = float(amount)
        except ValueError:
            raise ValueError(f"--budget {text}: {amount!r} is no number, such as 20") from None
    return found


def _print_answer(answer: PlanOutput, as_json: bool, explain: bool, why: Iterable[str]) -> None:
    """Print the answer on standard output, with an explanation for each element of `why`."""
    if as_json:
        plain = {**to_plain_result(answer.result), "scene_notes": list(answer.notes)}
        typer.echo(json.dumps(plain, indent=1))
        return
    console = open_console()
    console.print(render_result(answer.result, explain=explain))
    for note in answer.notes:
        console.print(f"note: {escape_text(note)}", style="dim", soft_wrap=True)
    for element in why:
        explanation = answer.result.explanation or Explanation()
        console.print(explanation.explain_element(element), markup=False)
