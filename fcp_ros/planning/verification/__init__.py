# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: replays plans by rewriting the C-set, and believes nothing.

    verify.py    everything that a plan claims is checked: its degrees, from the
                 judgements that it records; durations, windows, deadline, schedule
    stepping.py  the effect of a step on a state: the one meaning of a rule
    ipc_plan.py  plans of other planners: the actions of an IPC plan file

The executive's monitor asks `StepRules` if a step can be done now, and the simulated world does
steps by them. They look up the tuples of a rule's left side, `domain.spans` rewrites the state,
and the constraints are checked from the change. The goal is evaluated by `domain.expressions`. The
verifier shares nothing with the compiler, the encoding or the search kernels.
"""
