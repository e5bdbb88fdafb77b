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
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

DEFAULT_DOMAIN = "household"
DEFAULT_SCENE = "twin_house_furnished"
DEFAULT_ORACLE = "embedding"
