# SPDX-License-Identifier: Apache-2.0
"""Heuristics: estimates of the loss or cost still to come, as kernels over a flat task.

All of them look at the delete relaxation, in which nothing that was reached is ever lost. Each
kernel takes a `RelaxedTask` (read only), a `Workspace` (scratch, written by kernels only) and a
state, int32[n].

relaxed_task   the relaxation as arrays, its weights, its workspace
relaxed_build  building those arrays from a flat task
exploration    the cost of every fact from a state (generalised Dijkstra), the relaxed plan and its
               helpful actions
fact_queues    its priority queues: a bucket queue for small values, a heap for others
evaluate       blind, hmax, LM-cut (the admissible one of the proofs), and one entry for all
               heuristics, also for Python callers
landmarks      facts that every plan reaches: finding, tracking and counting them
"""
