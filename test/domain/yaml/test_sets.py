# SPDX-License-Identifier: Apache-2.0
"""The section `sets` of a domain file: what it becomes, and its faults."""

import pytest
from base_domain import BASE

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.phrases import SetExtension, ThingSet
from fcp_ros.domain.yaml.domain_files import parse_domain

KNOWN = BASE.replace("  item: [mug,", "  item: [frame, wheel, bell, mug,")


def parse(sets):
    return parse_domain(KNOWN + sets)


def test_a_set_becomes_a_value():
    words = parse(
        "sets:\n  bike:\n    words: [Bicycle, bike]\n    parts: [piece]\n"
        "    members: [Frame, wheel]\n"
        "    more: [{phrases: ['[very] safe'], members: [bell]}]\n"
    ).words
    bike = words.sets["bike"]
    assert isinstance(bike, ThingSet)
    assert (bike.words, bike.parts) == (("bicycle", "bike"), ("piece",))
    assert bike.members == ("frame", "wheel")
    [more] = bike.more
    assert isinstance(more, SetExtension)
    assert more.members == ("bell",)
    assert len(more.phrases[0].variants) == 2


@pytest.mark.parametrize(
    ("sets", "fault"),
    [
        ("{bike: {words: [bike], members: [frame, hat]}}", "hat in set bike is neither"),
        ("{bike: {words: [], members: [frame]}}", "set bike has no word"),
        ("{bike: {words: [frame], members: [wheel]}}", "frame of set bike is a type"),
        (
            "{bike: {words: [bike], members: [frame]}, cycle: {words: [bike], members: [wheel]}}",
            "bike stands for the set bike and for cycle",
        ),
    ],
)
def test_faults_of_sets(sets, fault):
    with pytest.raises(DomainError) as error:
        parse(f"sets: {sets}\n")
    assert fault in str(error.value)
