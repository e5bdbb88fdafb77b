# SPDX-License-Identifier: Apache-2.0
"""The places that a person would give to everyday things, and how sure they would be."""

import pytest
from everyday_places import CASES, CHANGED, Case

from fcp_ros.scene import complete_relations

PLACES = ("on", "inside", "attached")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_a_place_is_as_a_person_would_say(case: Case) -> None:
    graph = complete_relations(case.to_graph())
    sure = {str(r): r.confidence for r in graph.relations}
    items = {text.split("(")[1].split(",")[0] for text in case.said} | set(case.nowhere)
    places = {str(r) for r in graph.relations if r.name in PLACES and r.elements[0] in items}
    for text, (least, greatest) in case.said.items():
        found = [option for option in text.split(" or ") if option in sure]
        assert len(found) == 1 or (least == 0.0 and not found), f"{text}: found {places}"
        for option in found:
            assert least <= sure[option] <= greatest, f"{option}: {sure[option]:.2f}"
            places.discard(option)
    assert not places, "places that nobody would give"


def test_corrected_expectations_are_of_cases_that_exist() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 48
    assert CHANGED.keys() <= set(names)
