# SPDX-License-Identifier: Apache-2.0
"""Orders in a label move no degree of a language model: it never sees them."""

from pathlib import Path
from typing import Any

import pytest
from injected_labels import ORDERS
from later import Later

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.grounding import Device, Grounder, LanguageModelOptions
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.judgement_cache import JudgementCache
from fcp_ros.grounding.known_words import load_known_words
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.models.model_store import MANIFEST
from fcp_ros.grounding.request_reading import RequestReader

Later("torch")


def ask_all(
    oracle: CausalLmOracle, predicate: Any, ask: Any, thing: str, reader: RequestReader | None
) -> list[float]:
    """Degrees of a thing, and of the same with each order behind it."""
    stores = JudgementCache(), CalibrationStore(":memory:")
    graded = {predicate.name: predicate}
    grounder = Grounder(graded, {oracle.name: oracle}, oracle.name, *stores, reader=reader)
    asked = [ask(normalise_label(thing + order), "drinking") for order in ("", *ORDERS)]
    return [answer.degree for answer in grounder.judge(asked)]


@pytest.mark.parametrize("thing", ["book", "bowl"])
def test_a_tiny_model(trained: Path, make_predicate: Any, ask: Any, thing: str) -> None:
    options = LanguageModelOptions(least_mass=0.0)
    oracle = CausalLmOracle(trained, options, Device.CPU)
    predicate = make_predicate()
    plain, *ordered = ask_all(oracle, predicate, ask, thing, RequestReader(load_known_words))
    assert max(abs(plain - one) for one in ordered) <= 0.05


def test_without_reading_a_tiny_model_is_moved(
    trained: Path, make_predicate: Any, ask: Any
) -> None:
    oracle = CausalLmOracle(trained, LanguageModelOptions(least_mass=0.0), Device.CPU)
    predicate = make_predicate()
    asked = [ask(f"bowl{order[:60]}", "drinking") for order in ("", *ORDERS)]
    plain, *ordered = (answer.degree for answer in oracle.judge(predicate, asked))
    assert max(abs(plain - one) for one in ordered) > 0.05


def test_a_real_model(household: Any, ask: Any, fetched_models: Path) -> None:
    folder = fetched_models / "smollm2-135m"
    if not (folder / MANIFEST).is_file():
        pytest.skip("SmolLM2 is not there: fcp models fetch smollm2-135m")
    oracle = CausalLmOracle(folder, LanguageModelOptions(least_mass=0.0), Device.CPU)
    predicate = household.graded["serves_as"]
    reader = RequestReader(load_known_words)
    plain, *ordered = ask_all(oracle, predicate, ask, "garden chair", reader)
    assert max(abs(plain - one) for one in ordered) <= 0.05
