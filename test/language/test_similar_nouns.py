# SPDX-License-Identifier: Apache-2.0
"""Nouns that nothing has, compared in meaning with those of the state."""

from dataclasses import replace

import numpy as np
import pytest

from fcp_ros.language.reading import ReadingStatus

LIKE = {"tome": ("book", 0.95), "thirstiness": ("drink", 0.8), "champagne": ("milk", 0.74)}


class FixedSimilarity:
    """Likeness by a table; every other pair is unlike."""

    def similarities(self, labels, known):
        rows = np.zeros((len(labels), len(known)))
        for i, label in enumerate(labels):
            other, value = LIKE.get(label, ("", 0.0))
            if other in known:
                rows[i, list(known).index(other)] = value
        return rows


@pytest.fixture(scope="module")
def compared(house):
    return replace(house, similarity=FixedSimilarity())


def test_a_noun_of_the_same_meaning_stands_for_a_known_one(compared, reader):
    answer = reader.read("put the tome on the table", compared)
    assert (answer.status, answer.best.goal) == (ReadingStatus.READ, "on(book_1, table_1)")
    assert answer.best.degree > 0.7


def test_a_doubtful_likeness_is_flagged(compared, reader):
    answer = reader.read("put the thirstiness on the table", compared)
    assert answer.best is None or answer.best.degree < 0.7


@pytest.mark.parametrize("noun", ["champagne", "unicorn", "hamster"])
def test_what_is_only_related_is_not_understood(noun, compared, reader):
    answer = reader.read(f"put the {noun} on the table", compared)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    assert f'"{noun}"' in answer.message
