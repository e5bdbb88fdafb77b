# SPDX-License-Identifier: Apache-2.0
"""Slots of tasks with a default, where the state has several things that may be meant."""

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

DOMAIN = """
domain: yard
version: "1"
types: {thing: [], robot: [thing], rack: [thing], tool: [thing]}
relations:
  "on": {legs: {tool: tool, rack: rack}, functional: [tool], phrases: ["{tool} is on {rack}"]}
attributes:
  category: {of: thing, kind: string}
rules:
  put:
    parameters: {tool: tool, rack: rack}
    add: ['on(tool, rack)']
    duration: 1
    executor: put
    phrases: ["put {tool} on {rack}"]
tasks:
  fill:
    phrases: ["fill {rack} [for {n} people]"]
    parameters: {rack: rack, n: number}
    defaults: {rack: rack, n: 1}
    goal: 'at least {n} ?r: "rake" (on(?r, {rack}))'
labels: {rack: [rack, tall rack], tool: [rake]}
scene: {layers: {agent: robot}, unknown: tool}
"""


@pytest.fixture(scope="module")
def context():
    domain = parse_domain(DOMAIN)
    builder = InstanceBuilder(domain.schema)
    builder.add("robot", "robot_1", {"category": "robot"})
    for name in ("tall_rack_1", "rack_2", "rack_3"):
        builder.add("rack", name, {"category": name[:-2].replace("_", " ")})
    builder.add("tool", "rake_1", {"category": "rake"})
    return ReadingContext(domain, builder.build(), robot="robot_1")


def test_the_noun_of_the_default_asks_for_any_such_thing(context, reader):
    answer = reader.read("fill the rack for two people", context)
    assert answer.status is ReadingStatus.READ
    assert answer.best.goal == "exists ?x1: rack (at least 2 ?r: rake (on(?r, ?x1)))"


def test_a_description_means_one_and_a_relation_is_asked_about(context, reader):
    answer = reader.read("fill the tall rack", context)
    assert answer.best.goal == "at least 1 ?r: rake (on(?r, tall_rack_1))"
    assert reader.read("put the rake on the rack", context).status is ReadingStatus.AMBIGUOUS
