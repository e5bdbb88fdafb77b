# SPDX-License-Identifier: Apache-2.0
"""The effect of a plan's step on a state: the one meaning of a rule, by rewriting the C-set.

The verifier replays plans with it, the executive's monitor asks it if a step can be done now, and
the simulated world does steps by it. It knows nothing of compiled tasks or search.

    rules.py   one step in one state: the state afterwards, or why the step can't be done
    replay.py  a sequence of steps, with the resources that they use

A step names a rule and an element for each parameter. `StepRules` looks up the tuples of the rule's
left side, `domain.spans` rewrites the state, and the constraints are checked from the change.
"""
