# SPDX-License-Identifier: Apache-2.0
"""From a verified sequence of steps to a schedule: a partial order with times.

    agents.py         the agents that are busy with a step
    facts.py          facts that hold after some steps, and the bindings under which atoms hold
    footprint.py      the facts that a step reads and writes
    order.py          the pairs of steps that must stay in their order: for facts, for resources
    network.py        the earliest and latest times that keep an order, windows and a deadline
    schedule.py       all of it: `schedule_steps`

The footprints of the steps give the causal pairs, the resources give more. Each agent does its own
steps one after the other. A simple temporal network of what is left gives the times.
"""
