# SPDX-License-Identifier: Apache-2.0
"""The values of planning that callers and all other folders share.

    request.py         the settings of a request, and its progress
    search_options.py  the algorithm and heuristics that a request may choose
    watch.py           the limits of a request while it runs
    memberships.py     asking for degrees: each context once for a request
    ground_step.py     a rule with its parameters bound: graded atoms, duration, cost
    plan.py            plans, their steps, judgements and schedule
    result.py          the answer: status, plan, verdict, candidates, relaxations
    explanation.py     the parts of a plan's loss, and what was considered

A caller makes `PlanningOptions` and gets a `PlanningResult` with a `Plan`.
"""
