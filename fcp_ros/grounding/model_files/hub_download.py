# SPDX-License-Identifier: Apache-2.0
"""Models of the Hugging Face hub by name: weights in safetensors, tokenizer and configuration.

Only when a person asks for it by `fcp models fetch ORGANISATION/NAME`; a node that is given such a
name takes what was fetched and never waits for a network. No code and no pickle is downloaded.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath
from typing import Any

from fcp_ros.grounding.model_files.fetch_report import FetchReport
from fcp_ros.grounding.model_files.store import (
    check_space,
    finish_model,
    hash_file,
    locate_download,
    remove_folder,
)
from fcp_ros.grounding.model_files.weight_assembly import SAFE_SUFFIXES
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

WEIGHTS_SUFFIX = ".safetensors"
LONGEST_SILENCE = 10.0
"""Seconds after which a hub that does not answer is given up."""


def fetch_hub_model(name: str, report: FetchReport) -> Path:
    """Fetch a model of the hub; what was downloaded before an interruption is not asked for again.

    Args:
        name: ORGANISATION/NAME.
        report: told about the progress.

    Raises:
        GroundingError: MISSING_LIBRARY, SERVER_UNREACHABLE, UNSAFE_WEIGHTS without safetensors, or
            with a file that is not the one the hub announces.
        OSError: the disk is full.
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
    """Choose the files that a model needs from all of a hub's.

    Raises:
        GroundingError: UNSAFE_WEIGHTS, there are no safetensors.
    """
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
