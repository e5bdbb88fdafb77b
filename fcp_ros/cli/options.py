# SPDX-License-Identifier: Apache-2.0
"""Command-line options that several commands share, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
        help="Folder of the oracle's model (Hugging Face format, safetensors); empty takes the "
        "packaged one. For --endpoint: the model's name on the server."
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
