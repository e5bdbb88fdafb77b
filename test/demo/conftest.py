# SPDX-License-Identifier: Apache-2.0
"""The household, its grounder, and who tells stories of it."""

import pytest

from fcp_ros.demo.stories import Storyteller
from fcp_ros.domain import load_domain
from fcp_ros.grounding import GroundingOptions, make_grounder

ALPHA = 0.5


@pytest.fixture(scope="module")
def domain(repository):
    return load_domain(repository / "config/domains/household.yaml")


@pytest.fixture(scope="module")
def grounder(domain):
    return make_grounder(domain, GroundingOptions())


@pytest.fixture(scope="module")
def teller(domain, grounder):
    return Storyteller(domain, grounder, ALPHA)
