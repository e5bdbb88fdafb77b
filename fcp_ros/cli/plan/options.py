# SPDX-License-Identifier: Apache-2.0
"""The options of ``fcp plan`` and ``fcp ask``, in dataclasses that their commands take.

Planning options are made from the table of all planning options, and checked there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import typer

from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DEFAULT_SCENE,
    AssetsOption,
    DomainOption,
    JsonOption,
    JudgeChoice,
    OverridesOption,
    PoliciesOption,
    SceneOption,
    SimilarOption,
    TypeOption,
)
from fcp_ros.cli.plan.output import ANSWER_TIMEOUT
from fcp_ros.cli.plan.request import PlanInput, SpokenInput, is_pddl
from fcp_ros.cli.terminal import explain_errors, fail
from fcp_ros.language.cascade import TUNED, ReaderOptions, make_reader
from fcp_ros.planning import Algorithm, Heuristic, Optimise, PlanningOptions
from fcp_ros.planning.model.option_table import DEFAULTS, OPTION, make_options

ABOUT_READING = "How it is read"
ABOUT_PLAN = "What a good plan is"
ABOUT_SEARCH = "How it is searched for"


class Optimisation(str, Enum):
    """The optimisations that can be switched off: the choices of the option ``without``."""

    FORGETTING = "forgetting"
    SYMMETRY = "symmetry"
    LAZY = "lazy"
    CHUNKS = "chunks"


def describe_option(name: str, more: str = "") -> Any:
    """Make the command-line option for one row of the table.

    `more`: a sentence that only the command line adds.
    """
    option = OPTION[name]
    is_switch = option.flags[-1].startswith("--no-")
    return typer.Option(
        *(["/".join(option.flags)] if is_switch else option.flags),
        help=f"{option.sentence_with_unit} {more}".rstrip().replace("_", "-"),
        rich_help_panel=ABOUT_PLAN if option.is_about_plan else ABOUT_SEARCH,
    )


@dataclass(frozen=True)
class RequestOptions:
    """The options of each request."""

    domain: DomainOption = DEFAULT_DOMAIN
    scene: SceneOption = DEFAULT_SCENE
    types: TypeOption = None
    overrides: OverridesOption = None
    policies: PoliciesOption = None
    similar: SimilarOption = None
    assets: AssetsOption = None
    alpha: Annotated[str, describe_option("alpha", "A number, or one of these words.")] = DEFAULTS[
        "alpha"
    ]
    tnorm: Annotated[str, describe_option("tnorm")] = DEFAULTS["tnorm"]
    indifference: Annotated[float, describe_option("indifference")] = DEFAULTS["indifference"]
    optimise: Annotated[Optimise, describe_option("optimise")] = DEFAULTS["optimise"]
    deadline: Annotated[float | None, describe_option("deadline")] = None
    relax: Annotated[bool, describe_option("allow_relaxation")] = DEFAULTS["allow_relaxation"]
    confirm_below: Annotated[
        float | None, describe_option("confirm_below", "Without it: 0.8 for words, 0 for a goal.")
    ] = None
    time_limit: Annotated[float, describe_option("time_limit")] = DEFAULTS["time_limit"]
    memory_limit: Annotated[float, describe_option("memory_limit")] = DEFAULTS["memory_limit"]
    explain: Annotated[bool, describe_option("explain")] = DEFAULTS["explain"]
    as_json: JsonOption = False

    @property
    def has_pddl(self) -> bool:
        return is_pddl(self.domain) or is_pddl(self.scene)

    def make_input(
        self,
        judges: JudgeChoice,  # as of `PlanInput`, like the next two
        *,
        goal: str = "",
        spoken: SpokenInput | None = None,
        # values of other planning options, by `PlanningOption.name`
        more: Mapping[str, Any] | None = None,
    ) -> PlanInput:
        """Make the request; leave with a message for an option that can't be used.

        Raises typer.Exit if an option can't be used.
        """
        values = {
            "alpha": self.alpha,
            "tnorm": self.tnorm,
            "indifference": self.indifference,
            "optimise": self.optimise.value,
            "deadline": math.inf if self.deadline is None else self.deadline,
            "allow_relaxation": self.relax,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "explain": self.explain,
        }
        if self.confirm_below is not None:
            values["confirm_below"] = self.confirm_below
        return PlanInput(
            self.domain,
            self.scene,
            goal,
            _make_planning_options({**values, **(more or {})}),
            judges,
            tuple(self.types or ()),
            self.similar,
            tuple(self.assets or ()),
            spoken,
            self.overrides,
            self.policies,
        )


@dataclass(frozen=True)
class AdvancedOptions:
    """The planning options that only ``fcp plan`` has."""

    criticality: Annotated[float, describe_option("criticality")] = DEFAULTS["criticality"]
    adaptive: Annotated[bool, describe_option("adaptive_alpha")] = DEFAULTS["adaptive_alpha"]
    length_factor: Annotated[float, describe_option("length_factor")] = DEFAULTS["length_factor"]
    free_length: Annotated[int, describe_option("free_length")] = DEFAULTS["free_length"]
    budget: Annotated[
        list[str] | None,
        describe_option("budgets", "NAME=AMOUNT, such as battery=20; may be given several times."),
    ] = None
    share_work: Annotated[bool, describe_option("share_work")] = DEFAULTS["share_work"]
    improve_time: Annotated[float, describe_option("improve_time")] = DEFAULTS["improve_time"]
    algorithm: Annotated[Algorithm, describe_option("algorithm")] = DEFAULTS["algorithm"]
    heuristic: Annotated[Heuristic, describe_option("heuristic")] = DEFAULTS["heuristic"]
    without: Annotated[list[Optimisation] | None, describe_option("without")] = None

    def read_values(self) -> dict[str, Any]:
        """Return the values by `PlanningOption.name`; leave with a message for a bad budget.

        Raises typer.Exit if a budget can't be used.
        """
        try:
            budgets = read_budgets(self.budget or ())
        except ValueError as error:
            fail(str(error))
        return {
            "criticality": self.criticality,
            "adaptive_alpha": self.adaptive,
            "length_factor": self.length_factor,
            "free_length": self.free_length,
            "budgets": budgets,
            "share_work": self.share_work,
            "improve_time": self.improve_time,
            "algorithm": self.algorithm.value,
            "heuristic": self.heuristic.value,
            "without": [one.value for one in self.without or ()],
        }


@dataclass(frozen=True)
class ReadingOptions:
    """The options that only ``fcp ask`` has."""

    speaker: Annotated[
        str,
        typer.Option(
            help="Element that speaks, such as person_1; left out, it is the only person.",
            rich_help_panel=ABOUT_READING,
        ),
    ] = ""
    reader_model: Annotated[
        str,
        typer.Option(
            help="Language model that is asked about what the reader can't read: the package's "
            "tuned one (once `fcp models fetch smollm2-135m` has brought it), a file of `fcp "
            "language train-writer`, or the name on the server; empty for none.",
            rich_help_panel=ABOUT_READING,
        ),
    ] = TUNED
    reader_endpoint: Annotated[
        str,
        typer.Option(
            help="Model server that is asked about what the reader can't read.",
            rich_help_panel=ABOUT_READING,
        ),
    ] = ""
    reading_only: Annotated[
        bool,
        typer.Option(
            "--reading-only",
            "--dry-run",
            help="Show how the words are understood, and plan nothing.",
            rich_help_panel=ABOUT_READING,
        ),
    ] = False
    answer_timeout: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Seconds until a question that nobody answers counts as answered with no.",
            rich_help_panel=ABOUT_READING,
        ),
    ] = ANSWER_TIMEOUT

    def make_input(self, instruction: str) -> SpokenInput:
        """Make the reader of an instruction.

        Raises typer.Exit if it can't be made.
        """
        choice = ReaderOptions(self.reader_model, self.reader_endpoint)
        with explain_errors():
            return SpokenInput(instruction, make_reader(choice), self.speaker)


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


def _make_planning_options(values: Mapping[str, Any]) -> PlanningOptions:
    try:
        return make_options(values)
    except ValueError as error:
        fail(str(error))
