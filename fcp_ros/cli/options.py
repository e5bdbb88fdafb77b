# SPDX-License-Identifier: Apache-2.0
"""Command-line options that several commands share, and the grounder that they choose."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fcp_ros import grounding
from fcp_ros.cli.terminal import fail
from fcp_ros.domain import Domain

DomainOption = Annotated[
    str,
    typer.Option(
        "--domain", "-d", help="Domain: a YAML file, or the name of one of this package's."
    ),
]
SceneOption = Annotated[
    str,
    typer.Option(
        "--scene",
        "-s",
        help="Scene: a file of any supported format, or the name of one of this package's.",
    ),
]
OracleOption = Annotated[
    str,
    typer.Option(
        help="Who judges graded predicates that name no oracle: embedding, causal_lm, endpoint."
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        help="The oracle's model: a name of `fcp models list`, or a folder (Hugging Face format, "
        "safetensors); empty takes mpnet where it was fetched, else minilm. For --endpoint: its "
        "name on the server."
    ),
]
TunedOption = Annotated[
    str,
    typer.Option(
        help="Judge again, by a tuned encoder, what the plan or the answer rests on: its file, or "
        "packaged, which helps mpnet; empty for none."
    ),
]
EndpointOption = Annotated[
    str,
    typer.Option(
        "--endpoint",
        help="Let a model server with the OpenAI protocol judge, such as "
        "http://localhost:8000/v1 (vLLM, llama.cpp, Ollama).",
    ),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option(
        "--calibration", help="Calibration store to learn from and show; none by default."
    ),
]
AssetsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--assets",
        metavar="FOLDER",
        help="Let the scene refer to files in this folder, besides its own; may be repeated.",
    ),
]
WeightsOption = Annotated[Path, typer.Option("--out", "-o", help="safetensors file to write.")]
LanguageModelOption = Annotated[
    str,
    typer.Option(
        help="Language model: a name of `fcp models list`, or a folder (Hugging Face format, "
        "safetensors); for --endpoint its name on the server."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        "-t",
        metavar="NAME=TYPE",
        help="Give an element (by id) or all of a label this type; may be repeated.",
    ),
]
OverridesOption = Annotated[
    Path | None,
    typer.Option(
        "--overrides",
        help="File with the names of the scene in the words of the domain (see fcp align).",
    ),
]
PoliciesOption = Annotated[
    Path | None,
    typer.Option(
        "--policies",
        help="Folder of general policies: one that fits makes the plan without a search.",
    ),
]
SimilarOption = Annotated[
    float | None,
    typer.Option(
        "--similar",
        min=0.0,
        max=1.0,
        help="Give unknown labels the type of known ones that mean nearly the same, if the vote "
        "reaches this (0 to 1); the domain's own setting without it.",
    ),
]

DEFAULT_DOMAIN = "household"
DEFAULT_SCENE = "twin_house_furnished"
DEFAULT_ORACLE = "embedding"


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a Typer command have parameters that are dataclasses: each field is an option.

    Typer has no options that belong together, and would make each command name all of them.
    `command`: takes keywords only. A field of one of its dataclasses has the annotation and the
    default of an option, and no name of another parameter.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        parameter.name: parameter.annotation
        for parameter in signature.parameters.values()
        if is_dataclass(parameter.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name not in groups:
            parameters.append(parameter)
            continue
        group = groups[parameter.name]
        annotations = get_type_hints(group, include_extras=True)
        parameters += [
            parameter.replace(
                name=field.name, default=field.default, annotation=annotations[field.name]
            )
            for field in fields(group)
        ]

    @functools.wraps(command)
    def run_command(**values: Any) -> None:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **made)

    run_command.__annotations__ = {one.name: one.annotation for one in parameters}
    run_command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run_command


# --- the grounder that a command's options choose; apart from `judge`, which needs scenes


@dataclass(frozen=True)
class JudgeChoice:
    """The options that decide who judges; a command takes them with `expand_options`."""

    oracle: OracleOption = DEFAULT_ORACLE  # Name of the default oracle
    # Folder of its model, or the model's name on the server; "" takes the usual one
    model: ModelOption = ""
    # URL of a model server, which is the default oracle then; "" for none
    endpoint: EndpointOption = ""
    # File of a tuned encoder that confirms degrees, or "packaged"; "" for none
    tuned: TunedOption = "packaged"
    # The store whose evidence counts, which is not written to; None for none
    calibration: CalibrationOption = None

    def to_options(self) -> grounding.GroundingOptions:
        calibration = grounding.CalibrationOptions(path=self.calibration, read_only=True)
        if not self.endpoint:
            return grounding.GroundingOptions(
                oracle=self.oracle,
                model=self.model,
                tuned=self.tuned,
                calibration=calibration,
            )
        return grounding.GroundingOptions(
            oracle="endpoint",
            endpoint=grounding.EndpointOptions(url=self.endpoint, model=self.model),
            calibration=calibration,
        )


def make_generator(
    model: str,
    endpoint: str,
    time_limit: float,  # seconds for one answer of a server
) -> Any:  # a `TextGenerator`, imported on demand
    """Make the language model that options choose; leaves the program if they choose none."""
    from fcp_ros.grounding.generators import ServerGenerator, make_model_generator
    from fcp_ros.grounding.models.downloads import find_model_folder

    if endpoint:
        server = grounding.EndpointOptions(url=endpoint, model=model, timeout=time_limit, retries=1)
        return ServerGenerator(server)
    if not model:
        fail("there is no language model: give --model NAME_OR_FOLDER or --endpoint URL")
    return make_model_generator(find_model_folder(model))


def open_grounder(domain: Domain, choice: JudgeChoice) -> grounding.Grounder:
    """Open a grounder for the domain's graded predicates; its modules are imported here.

    Raises GroundingError for a model, server or store that can't be used.
    """
    return grounding.make_grounder(domain, choice.to_options())
