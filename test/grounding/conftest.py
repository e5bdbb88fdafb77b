# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the grounding tests: predicates, requests, and one loaded embedding model."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_language_models import make_model, make_tokenizer, save, train

from fcp_ros.domain.model import Anchor, Domain, GradedPredicate, Parameter, Rubric
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.language_model.rubric_prompt import write_prompt
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.options import Device

# Tiny models gain nothing from threads, which wait for each other on busy machines. Torch reads it
# when it is imported, which is later.
os.environ.setdefault("OMP_NUM_THREADS", "1")

Ask = Callable[[str, str], JudgementRequest]
MakePredicate = Callable[..., GradedPredicate]
WriteSet = Callable[..., Path]


@pytest.fixture(scope="session")
def household(repository: Path) -> Domain:
    """The domain that the package ships."""
    return load_domain(repository / "config" / "domains" / "household.yaml")


@pytest.fixture(scope="session")
def embedding_oracle() -> EmbeddingOracle:
    """The default oracle; its model is loaded once a session."""
    return EmbeddingOracle(SentenceEncoder(device=Device.CPU))


@pytest.fixture(scope="session")
def rubric() -> Rubric:
    """A small rubric of serves_as(item, purpose)."""
    return Rubric(
        question="How well does {item} serve for {purpose}?",
        anchors=(
            Anchor(0, "Useless.", (("book", "drinking"), ("shoe", "eating soup"))),
            Anchor(50, "In a pinch.", (("bowl", "drinking"), ("jar", "drinking"))),
            Anchor(100, "Made for it.", (("mug", "drinking"), ("spoon", "eating soup"))),
        ),
        factors=("shape", "material"),
    )


@pytest.fixture(scope="session")
def make_predicate(rubric: Rubric) -> MakePredicate:
    """serves_as(item, purpose), with whatever the test changes."""

    def make(**changes: object) -> GradedPredicate:
        fields: dict[str, object] = {
            "name": "serves_as",
            "parameters": (Parameter("item", "item"), Parameter("purpose", "text")),
            "rubric": rubric,
            "context": {},
        }
        return GradedPredicate(**{**fields, **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def ask() -> Ask:
    """A request serves_as(<some element of the category>, purpose)."""

    def make(category: str, purpose: str) -> JudgementRequest:
        item = ArgumentContext("item", f"{category.replace(' ', '_')}_1", category)
        return JudgementRequest("serves_as", (item, ArgumentContext("purpose", purpose)))

    return make


@pytest.fixture
def write_set(tmp_path: Path) -> WriteSet:
    """Writes lines into a CSV file of a folder; returns the folder."""

    def write(name: str, *lines: str, header: str = "item,purpose,degree", to: str = "own") -> Path:
        folder = tmp_path / to
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return folder

    return write


ANSWERS = [("mug", "100"), ("book", "0"), ("bowl", "50"), ("bowl", "50"), ("bowl", "100")]


@pytest.fixture(scope="session")
def prompts(
    make_predicate: MakePredicate, ask: Callable[[str, str], JudgementRequest]
) -> list[str]:
    """What the tiny language models are trained on."""
    return [write_prompt(make_predicate(), ask(item, "drinking")) for item, _ in ANSWERS]


@pytest.fixture(scope="session", params=["digits", "whole numbers"])
def trained(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, prompts: list[str]
) -> Path:
    """A tiny Llama that answers "100" for mugs, "50" or "100" for bowls and "0" for books.

    Trained in five seconds, once for all processes that test side by side.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / f"trained {request.param}" / "tiny_lm"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_name("lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            tokenizer = make_tokenizer(prompts, request.param)
            model = make_model("llama", tokenizer)
            train(model, tokenizer, prompts, [answer for _, answer in ANSWERS])
            save(folder.with_name("unfinished"), model, tokenizer).rename(folder)
    return folder
