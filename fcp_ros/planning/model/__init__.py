# SPDX-License-Identifier: Apache-2.0
"""The values of planning that callers and all other folders share.

    request.py       the settings of a request and of its search, and its progress
    option_table.py  each option once: its range and sentence, for parameters and command line
    watch.py         the limits of a request while it runs
    memberships.py   asking for degrees: each context once for a request
    ground_step.py   a rule with its parameters bound: graded atoms, duration, cost
    plan.py          plans, their steps, judgements and schedule
    result.py        the answer: status, plan, verdict, candidates, relaxations, explanation
    suggestion.py    plans that are known without a search

A caller makes `PlanningOptions` and gets a `PlanningResult` with a `Plan`.
"""
