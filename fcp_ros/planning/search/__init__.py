# SPDX-License-Identifier: Apache-2.0
"""Search on a flat task: from a task and an objective to a plan, a bound, and perhaps a proof.

The loops of a request, each inside the one above:

    planner.plan          request -> status; one or two problems (planning.strategy)
      solver.Solver       tasks, narrow to wide; in each task rounds of searching and judging
        Portfolio         turns between several searches          } one of these, by algorithm
        BidirectionalSearch   halves of plans from both ends      } (SearchFactory)
          BestFirst       slices of the kernel: pausing, memory, resources, weights
            kernel.advance    labels: take the best one, make its successors

portfolio     the engine of an algorithm; A*, greedy, beam and blind search in turns
incremental   better plans by keeping one more preference at a time
best_first    the driver of one best-first search
settings      what is optimised, plans and reports; roles and options as numbers of the kernel
prepared      what the searches in one task share
part_by_part  plans that reach one part of a goal after the other, as long as resources last
shortening    elimination of needless steps, and searches for cheaper plans
kernel/       the compiled part of best-first search

Search from both ends, in plain Python, where forward memberships meet backward requirements:

bidirectional   the engine: expands halves of plans on both sides until they prove the best plan
half_plans      the labels of each direction, their losses, resources, and distances
partial_states  sets of states as conjunctions of clauses over bit masks, and regression

What each is worth, switched off alone (issue 30): 29 golden tasks, 39 of IPC-5 with 15,000 states
each, a budget of battery for 20 and for 100 parts:

part_by_part   1 of 100 parts is reached instead of 49
incremental    6 of 39 have dearer plans, 1 a cheaper one
beam           14 of 39 have dearer plans, 8 cheaper ones
elimination    6 of 29 plans are longer, by up to 24 steps
again          trucks-preferences-simple 10: the first plan costs 726 instead of 39
none           no difference (of 29); kept for proofs that there is no plan
"""
