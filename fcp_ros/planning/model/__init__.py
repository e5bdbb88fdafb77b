# SPDX-License-Identifier: Apache-2.0
"""The values of planning that callers and all other folders share.

    request.py       the settings of a request and of its search, and its progress
    option_table.py  each option once: its range and sentence, for parameters and command line
    watch.py         the limits of a request while it runs
    memberships.py   asking for degrees: each context once for a request
    ground_step.py   a rule with its parameters bound: graded atoms, duration, cost, agents, budgets
    plan.py          plans, their steps, judgements and schedule; plans known without a search
    chunks.py        sequences of steps that are planned as one
    result.py        the answer: status, plan, verdict, candidates, relaxations, explanation

A caller makes `PlanningOptions` and gets a `PlanningResult` with a `Plan`.
"""
