# SPDX-License-Identifier: Apache-2.0
"""Phrases of rules: what `fcp validate` checks of them is what the reader understands."""

from __future__ import annotations

import pytest

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import complete_relations, read_scene

TEXT = find_domain("household").read_text(encoding="utf-8")
PHRASE = '      - "(pick|take|lift) {item} up"\n'


def add_phrase(phrase: str) -> str:
    assert TEXT.count(PHRASE) == 1
    return TEXT.replace(PHRASE, f'{PHRASE}      - "{phrase}"\n')


@pytest.mark.parametrize(
    ("phrase", "said", "goal"),
    [
        ("snatch {item}", "snatch the laptop", "holding(robot_1, laptop_1)"),
        (
            "snatch {item} off {support}",
            "snatch the laptop off the table",
            "holding(robot_1, laptop_1) and not on(laptop_1, table_1)",
        ),
    ],
)
def test_every_word_that_is_accepted_is_heard(phrase, said, goal):
    domain = parse_domain(add_phrase(phrase))
    graph = complete_relations(read_scene(find_scene("twin_house_furnished")))
    state = scene_to_instance(graph, domain.schema, domain.mapping)
    context = ReadingContext(domain, state.instance, "person_1")
    read = make_reader(ReaderOptions()).read(said, context)
    assert read.best is not None, read.message
    assert read.best.goal == goal


def test_a_word_that_the_reader_would_not_hear_is_refused():
    with pytest.raises(DomainError, match="asks for nothing about room"):
        parse_domain(add_phrase("snatch {item} in {room}"))
