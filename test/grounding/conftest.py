# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the grounding tests: predicates, requests, and one loaded embedding model."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fcp_ros.domain.model import Anchor, Domain, GradedPredicate, Parameter, Rubric
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.options import Device

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
def ask() -> Callable[[str, str], JudgementRequest]:
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
