# SPDX-License-Identifier: Apache-2.0
"""Looks for missing servers: seldom at rest, each time while something is wrong."""

from __future__ import annotations

from fcp_ros.nodes.executive.watches import HindranceLook


def test_servers_are_looked_for_seldom_while_all_are_there():
    clock, looks, found = [0.0], [], [([], ["make_plan"])]

    def look():
        looks.append(clock[0])
        return found[0]

    watch = HindranceLook(look, period=5.0, now=lambda: clock[0])
    said = []
    for second in range(20):
        clock[0] = float(second)
        if second == 3:
            found[0] = ([], [])  # the planner has come
        if second == 10:
            found[0] = (["two executives"], [])
        if second == 15:
            found[0] = ([], [])
        said.append(watch.find())
    assert looks == [0, 1, 2, 3, 8, 13, 14, 15]
    assert said[:3] == [([], ["make_plan"])] * 3
    assert said[3:13] == [([], [])] * 10
    assert said[13:15] == [(["two executives"], [])] * 2
    assert said[15:] == [([], [])] * 5
