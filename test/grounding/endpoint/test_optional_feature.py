# SPDX-License-Identifier: Apache-2.0
"""What a server has is asked for as long as it comes."""

from fcp_ros.grounding.chat_completion import AGAIN, PATIENCE, OptionalFeature


def test_what_does_not_come_is_asked_for_seldom() -> None:
    offer = OptionalFeature()
    for _ in range(PATIENCE - 1):
        offer.record(False)
    offer.record(True)
    for _ in range(PATIENCE):
        assert offer.is_worth_asking()
        offer.record(False)
    asked = [offer.is_worth_asking() for _ in range(2 * AGAIN)]
    assert asked.count(True) == 2
    offer.record(True)
    assert offer.is_worth_asking()
