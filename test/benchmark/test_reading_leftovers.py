# SPDX-License-Identifier: Apache-2.0
"""Words that a domain says a thing with: left over, they are no reason not to understand."""

import pytest

from benchmark.context_matters.instances import HouseTask, Thing, build_state, domain_of
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

THINGS = (
    Thing("washing_machine_1", "washing machine", "bathroom_1", False),
    Thing("detergent_2", "detergent", "bathroom_1", True),
    Thing("socks_3", "socks", "hall_2", True),
)
TASK = HouseTask("t", "laundry", "s", "p", "do it", "hall_2", ("bathroom_1", "hall_2"), THINGS)


@pytest.fixture(scope="module")
def read():
    domain = domain_of("laundry")
    context = ReadingContext(
        domain, build_state(TASK, domain), similarity=EmbeddingLabelSimilarity()
    )
    reader = make_reader(ReaderOptions(model=""))
    return lambda sentence: reader.read(sentence, context)


@pytest.mark.parametrize(
    "sentence",
    ["Fill the washing machine up with detergent.", "Refill the washing machine with soap."],
)
def test_words_of_the_own_phrases_of_what_is_asked_for_are_implied(read, sentence):
    found = read(sentence)
    assert found.status is ReadingStatus.READ, found.message
    assert found.best is not None
    assert found.best.goal == "is_refilled(washing_machine_1)"


@pytest.mark.parametrize(
    "sentence",
    [
        "Fill the washing machine up with socks.",
        "Fill the washing machine up, not with detergent.",
        "Fill the washing machine up with detergent and bleach.",
    ],
)
def test_other_things_and_negations_are_not_implied(read, sentence):
    found = read(sentence)
    best = found.best
    assert best is None or best.unread or best.goal != "is_refilled(washing_machine_1)"
