# SPDX-License-Identifier: Apache-2.0
"""The figures on labels that docs/scene_graphs.md gives are those of the model and the rules."""

import pytest
import scene_labels

from fcp_ros.domain import Domain, load_domain
from fcp_ros.package_files import find_domain


@pytest.fixture(scope="module")
def household() -> Domain:
    return load_domain(find_domain("household"))


def test_the_words_are_of_the_domain(household: Domain) -> None:
    asked = scene_labels.read_labels()
    assert len(asked) == len({one.label for one in asked}) > 500
    for one in asked:
        assert one.types <= set(household.schema.types), one


def test_last_words_are_right_nine_times_of_ten(household: Domain) -> None:
    known, _ = scene_labels.split_known(household, scene_labels.read_labels())
    assert sum(type_ in one.types for one, type_ in known) >= 0.85 * len(known)


def test_the_vote_is_mostly_right_at_the_recommended_threshold(household: Domain) -> None:
    _, unknown = scene_labels.split_known(household, scene_labels.read_labels())
    given, right = scene_labels.figures(scene_labels.votes(household, unknown), 0.5)
    assert given >= 40
    assert right >= 0.9 * given
    plain_given, plain_right = scene_labels.figures(scene_labels.nearest(household, unknown), 0.7)
    assert plain_right / plain_given < right / given - 0.1
