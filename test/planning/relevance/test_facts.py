# SPDX-License-Identifier: Apache-2.0
"""Initial facts by the elements that are bound: the right ones, in effort linear in the scene."""

import itertools
from unittest import mock

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning.relevance import facts as facts_module
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.task.lifted import lift_domain

DOMAIN = parse_domain("""
domain: sums
version: "1"
types: {number: []}
relations:
  sum: {legs: {a: number, b: number, c: number}, static: true}
  at: {legs: {a: number}}
attributes:
  category: {of: number, kind: string}
scene: {layers: {}, unknown: number}
rules:
  go: {parameters: {x: number, y: number, z: number}, when: ['at(x)', 'sum(x, y, z)'],
    delete: ['at(x)'], add: ['at(z)'], duration: 1, executor: go}
""")
MANY = 30


def make_table():
    """All sums below `MANY`, and the relation."""
    builder = InstanceBuilder(DOMAIN.schema)
    numbers = [builder.add("number", f"n{number}") for number in range(2 * MANY)]
    rows = set()
    for one, other in itertools.product(range(MANY), repeat=2):
        row = (numbers[one], numbers[other], numbers[one + other])
        builder.relate("sum", *row)
        rows.add(row)
    return FactTable(builder.build()), lift_domain(DOMAIN).relations["sum"], numbers, rows


@pytest.mark.parametrize("positions", [(0, 1), (0, 2), (1, 2), (1,)])
def test_initial_facts_are_found_by_any_elements(positions):
    table, relation, numbers, rows = make_table()
    for elements in itertools.product(numbers[::3], repeat=len(positions)):
        bound = tuple(zip(positions, elements, strict=True))
        found = list(table.find_initial(relation, bound))
        assert len(found) == len(set(found))
        assert set(found) == {
            row for row in rows if all(row[position] == element for position, element in bound)
        }


def test_many_look_ups_cost_no_more_than_an_index():
    """Each number is in 30 or more sums; scanning those for each pair would look at 27,000."""
    table, relation, numbers, rows = make_table()
    looks = mock.Mock(side_effect=facts_module._agrees)
    with mock.patch.object(facts_module, "_agrees", looks):
        for one, other in itertools.product(numbers[:MANY], repeat=2):
            assert len(table.find_initial(relation, ((0, one), (1, other)))) == 1
    assert looks.call_count <= len(rows)
