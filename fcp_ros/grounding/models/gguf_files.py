# SPDX-License-Identifier: Apache-2.0
"""A GGUF file that packages carry, converted once to a folder like any other.

The weights are dequantized to bfloat16: the folder is three to four times as large as the file. A
process of its own gives all its memory back, and can be ended.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from fcp_ros.grounding.judgement import GroundingCode, GroundingError

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
