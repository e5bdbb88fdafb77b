# SPDX-License-Identifier: Apache-2.0
"""From the result of a search to the answer: what the solver found, and what is said about it.

    solution.py       the input and the output of the solver
    candidates.py     each binding of the goal's variables, with its membership
    explanation.py    shares of the loss, what binds at alpha, elements considered
    preferences.py    those kept and given up, and the price of keeping one
    initial_state.py  hard constraints that are broken before the first step
    messages.py       sentences about plans, and about goals without one

Nothing here searches for a plan.
"""
