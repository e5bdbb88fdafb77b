# SPDX-License-Identifier: Apache-2.0
"""Worlds that steps can be done in, in the place of a robot.

    simulated_world.py  a state that changes by the rules of the domain, with faults and chance
    shifted_steps.py    steps that take elements for other types, as the domain allows it
    faults.py           injected faults, and the probability that a step succeeds
    step_pattern.py     patterns such as `pick(item=mug_1)`: the steps that these are about

A world takes a step and says how it ended (`Outcome`), how long it took, and what has changed.
"""
