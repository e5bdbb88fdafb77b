# SPDX-License-Identifier: Apache-2.0
"""The names of the oracles: what domain files may name is what grounding can make."""

import pytest

from fcp_ros.domain import model
from fcp_ros.grounding import EndpointOptions, GroundingError, GroundingOptions
from fcp_ros.grounding.grounder import ORACLES, make_oracle


def test_domain_files_and_the_registry_know_the_same_oracles() -> None:
    assert {model.DEFAULT_ORACLE, *ORACLES} == set(model.ORACLES)
    for name in model.STATED:
        assert make_oracle(name, GroundingOptions()).name == name


def test_an_endpoint_is_made_without_asking_it() -> None:
    endpoint = EndpointOptions(url="http://192.0.2.1:8000/v1")  # a reserved address
    oracle = make_oracle("endpoint", GroundingOptions(endpoint=endpoint))
    assert oracle.name == "endpoint"
    with pytest.raises(GroundingError, match="set the grounding option endpoint url"):
        make_oracle("endpoint", GroundingOptions())
