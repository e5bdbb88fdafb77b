# SPDX-License-Identifier: Apache-2.0
"""GGUF files of a user: converted once into the folder of models, and found there again.

The converted folder is named after the file and a hash of its beginning, end and size, so that a
changed file is converted again.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_store import CHUNK, check_space, locate_models, lock_model

#
# The weights are dequantized to bfloat16: the folder is three to four times as large as the file
# and is loaded like any other. A process of its own gives all its memory back, and can be ended.

MODULE = "fcp_ros.grounding.models.gguf_files"  # The name of this module also where it is run
LIBRARIES = ("transformers", "gguf", "accelerate")
NO_SPACE = os.strerror(errno.ENOSPC)
LONGEST_CONVERSION = 3600.0  # Seconds after which a conversion is given up


def check_libraries() -> None:
    """Make sure that a conversion can be done here, before anything is downloaded for it."""
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            "this model comes as GGUF, and to convert it libraries are needed that are not "
            f"installed; pip install {' '.join(missing)}",
        )


def convert_gguf(source: Path, target: Path) -> None:
    """Convert a GGUF file to a folder with safetensors, tokenizer and configuration."""
    check_libraries()
    command = [sys.executable, "-m", MODULE, str(source), str(target)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LONGEST_CONVERSION,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise _fail(source, f"it took more than {LONGEST_CONVERSION:g} s") from error
    if done.returncode:
        if NO_SPACE in done.stderr:
            raise OSError(errno.ENOSPC, NO_SPACE)
        lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise _fail(source, lines[-1])


def _fail(source: Path, why: str) -> GroundingError:
    return GroundingError(
        GroundingCode.NOT_A_MODEL, f"{source.name} can't be converted to safetensors: {why}"
    )


def _run_conversion(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.quantization_config import GgufConfig

    place, name = str(source.parent), source.name
    tokenizer = AutoTokenizer.from_pretrained(place, gguf_file=name, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        place,
        gguf_file=name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        local_files_only=True,
    )
    model.save_pretrained(str(target), safe_serialization=True)
    tokenizer.save_pretrained(str(target))


if __name__ == "__main__":
    _run_conversion(Path(sys.argv[1]), Path(sys.argv[2]))


# --- GGUF files of a user: converted once into the folder of models, and found there again ---

SUFFIX = ".gguf"
MAGIC = b"GGUF"
CONVERTED = "converted"
GROWTH = 9
"""The most times that the folder can be as large as the file: two bits a weight become sixteen."""


def find_gguf(path: Path) -> Path | None:
    """Find the GGUF file that a path means, or the only one of a folder without other weights."""
    if path.is_file():
        return path if _is_gguf(path) else None
    if not path.is_dir() or any(path.glob("*.safetensors")):
        return None
    files = sorted(path.glob(f"*{SUFFIX}"))
    if len(files) > 1:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} holds {len(files)} GGUF files ({', '.join(file.name for file in files[:4])}); "
            "give the path of one of them",
        )
    return files[0] if files else None


def find_converted(file: Path) -> Path:
    """Return the folder that a GGUF file was converted to; NOT_A_MODEL says how to do it."""
    folder = locate_converted(file)
    if not folder.is_dir():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{file} is a GGUF file, whose weights are packed; `fcp models convert {file}` "
            "converts it once to safetensors, then this path stands for the result",
        )
    return folder


def locate_converted(file: Path) -> Path:
    """Return the folder that a GGUF file is converted to; it may not exist yet."""
    size = file.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with file.open("rb") as stream:
        digest.update(stream.read(CHUNK))
        stream.seek(max(0, size - CHUNK))
        digest.update(stream.read(CHUNK))
    return locate_models() / CONVERTED / f"{file.stem}-{digest.hexdigest()[:12]}"


def convert_file(path: Path) -> Path:
    """Convert a GGUF file to a folder of models, unless that was done; returns the folder."""
    file = find_gguf(path)
    if file is None:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} is no GGUF file" + ("" if path.exists() else "; there is no such path"),
        )
    folder = locate_converted(file)
    if folder.is_dir():
        return folder
    check_libraries()
    with lock_model(folder.name):
        check_space(folder.parent, GROWTH * file.stat().st_size)
        made = folder.with_name(f".{folder.name}")
        try:
            convert_gguf(file, made)
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _is_gguf(file: Path) -> bool:
    if file.suffix.lower() == SUFFIX:
        return True
    with file.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
