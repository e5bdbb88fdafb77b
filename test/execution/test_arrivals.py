# SPDX-License-Identifier: Apache-2.0
"""Things that appear while a plan for a relaxed goal runs."""

from __future__ import annotations

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import load_domain
from fcp_ros.execution.monitoring import ArrivalWatch
from fcp_ros.package_files import find_domain


@pytest.fixture(scope="module")
def kitchen():
    """Makes states: the table, and cups of these categories."""
    schema = load_domain(find_domain("household")).schema

    def make(**cups):
        builder = InstanceBuilder(schema)
        builder.add("table", "table_1", {"category": "dining_table"})
        for name, category in cups.items():
            builder.add("cup", name, {"category": category})
        return builder.build()

    return make


def test_only_what_was_missing_is_an_arrival(kitchen):
    watch = ArrivalWatch(["wine_glass"], kitchen(mug_1="mug"))
    assert watch.find_arrival(kitchen(mug_1="mug")) == ""
    assert watch.find_arrival(kitchen(mug_1="mug", mug_2="mug")) == ""
    found = watch.find_arrival(kitchen(mug_1="mug", glass_1="wine_glass"))
    assert found == "glass_1 has appeared, which the goal had to do without."


def test_what_was_there_already_is_none_and_a_new_name_for_a_thing_is(kitchen):
    watch = ArrivalWatch(["wine_glass"], kitchen(a="wine_glass", b="mug"))
    assert watch.find_arrival(kitchen(a="wine_glass")) == ""
    assert watch.find_arrival(kitchen(a="wine_glass", b="wine_glass")).startswith("b has")


def test_kinds_in_the_quotes_of_a_condition_count(kitchen):
    watch = ArrivalWatch(['at least 2 ?x: cup (is_a(?x, "mug"))'], kitchen(mug_1="mug"))
    found = watch.find_arrival(kitchen(mug_1="mug", mug_2="mug", mug_3="mug"))
    assert found.startswith("mug_2, mug_3 have appeared")


def test_the_type_of_a_variable_without_a_label_counts(kitchen):
    before, after = kitchen(mug_1="mug"), kitchen(mug_1="mug", mug_2="mug")
    watch = ArrivalWatch(["at least 2 ?x: cup (on(?x, table_1))"], before)
    assert watch.find_arrival(after).startswith("mug_2 has")
    labelled = ['at least 2 ?x: cup (is_a(?x, "wine_glass") and on(?x, table_1))']
    assert ArrivalWatch(labelled, before).find_arrival(after) == ""
