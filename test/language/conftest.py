# SPDX-License-Identifier: Apache-2.0
"""The house that instructions are about, and the readers of them."""

from dataclasses import replace

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.domain_reader import DomainReader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.registry import ReaderOptions, make_reader


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


@pytest.fixture(scope="session")
def learned():
    """The reader by what was learned from people, alone; it needs `home`."""
    return make_reader(ReaderOptions(reader="learned"))
