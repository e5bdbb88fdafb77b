# SPDX-License-Identifier: Apache-2.0
"""The house that instructions are about, and the reader of them."""

from dataclasses import replace

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.domain_reader import DomainReader
from fcp_ros.language.reader import ReadingContext


@pytest.fixture(scope="session")
def house():
    session = open_session("household", "twin_house_furnished")
    return ReadingContext(session.domain, session.state.instance)


@pytest.fixture(scope="session")
def home(house):
    """The house, with the packaged sentence encoder."""
    return replace(house, similarity=EmbeddingLabelSimilarity())


@pytest.fixture(scope="session")
def reader():
    """The reader by the words of the domain, alone."""
    return DomainReader()
