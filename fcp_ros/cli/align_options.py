# SPDX-License-Identifier: Apache-2.0
"""The arguments and options of ``fcp align``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OwnArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Your PDDL domain: its words state the goal. Or a scene: see --domain.",
    ),
]
OtherArgument = Annotated[
    str,
    typer.Argument(
        help="The domain that plans are tried in: a PDDL file, or a YAML domain. Of a scene: "
        "another scene of the same place, if there is one."
    ),
]
ProblemOption = Annotated[
    Path | None,
    typer.Option("--problem", "-p", help="PDDL problem of your domain, with the goal."),
]
WordsOption = Annotated[
    str,
    typer.Option("--domain", "-d", help="For a scene: the domain that its names are read in."),
]
WorldOption = Annotated[
    str,
    typer.Option(
        "--world",
        "-w",
        help="PDDL problem of the other domain (without it, --problem), or scene of a YAML "
        "domain. Of a scene: the scene as it is, with the same ids, in the domain's words.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write mapping and evidence here (JSON); for a scene its overrides (YAML).",
    ),
]
MergedOption = Annotated[
    Path | None,
    typer.Option(
        "--merged", help="Folder for domain.pddl and problem.pddl with one name for each thing."
    ),
]
SameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--same",
        help="Names that may be one, with different numbers of arguments: "
        "'(on-table ?b) = (on ?b table)', your domain's left. Can be given several times.",
    ),
]
LimitOption = Annotated[
    float, typer.Option("--time-limit", "-t", min=0.01, help="Seconds for everything.")
]
TrialsOption = Annotated[
    int, typer.Option("--trials", min=1, help="Plans to try before giving up.")
]
SettleOption = Annotated[
    int,
    typer.Option(
        "--settle",
        min=0,
        help="Plans to try after a success, to tell names from others that fit as well.",
    ),
]
CandidatesOption = Annotated[
    int, typer.Option("--candidates", min=1, help="Pairs of names to consider.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Decides between equally good plans.")]
