# SPDX-License-Identifier: Apache-2.0
"""The figures on labels that docs/scene_graphs.md gives are those of the model and the rules."""

import pytest

from benchmark.scene import labels as scene_labels
from fcp_ros.binding.label_types import TypeReason
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


def test_words_and_kinds_are_as_right_as_their_degrees_say(household: Domain) -> None:
    known, _ = scene_labels.split_known(household, scene_labels.read_labels())
    for reason, least in ((TypeReason.LAST_WORDS, 0.8), (TypeReason.KIND, 0.7)):
        right = [one.is_right for one in known if one.choice.reason is reason]
        assert len(right) > 100
        assert sum(right) >= least * len(right), reason


def test_the_vote_is_mostly_right_at_the_recommended_threshold(household: Domain) -> None:
    _, unknown = scene_labels.split_known(household, scene_labels.read_labels())
    given, right = scene_labels.figures(scene_labels.votes(household, unknown), 0.5)
    assert given >= 20
    assert right >= 0.75 * given
    plain_given, plain_right = scene_labels.figures(scene_labels.nearest(household, unknown), 0.7)
    assert plain_right / plain_given < right / given - 0.1
