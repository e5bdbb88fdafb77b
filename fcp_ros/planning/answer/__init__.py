# SPDX-License-Identifier: Apache-2.0
"""From the result of a search to the answer: what the solver found, and what is said about it.

    solution.py       the input and the output of the solver
    explanation.py    shares of the loss, what binds at alpha, elements considered, candidates;
                      preferences kept and given up, and hard constraints that are broken before
                      the first step
    messages.py       sentences about plans, and about goals without one

Nothing here searches for a plan.
"""
