# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: replays plans by rewriting the C-set, and believes nothing.

    verify.py    everything that a plan claims is checked: `verify`, `PlanMeeting`
    degrees.py   degrees of steps and goal, from the judgements that the plan records
    times.py     durations, windows, deadline and schedule
    ipc_plan.py  plans of other planners: the actions of an IPC plan file

Steps are replayed by `planning.stepping`, and the goal is evaluated by `domain.expressions`. The
verifier shares nothing with the compiler, the encoding or the search kernels.
"""
