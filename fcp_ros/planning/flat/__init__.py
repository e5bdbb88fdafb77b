# SPDX-License-Identifier: Apache-2.0
"""The flat task: a planning task in finite-domain variables, as arrays that kernels read.

task         the arrays: variables, operators, effects, conditions, blocks, resources, axioms
builder      operators as values, written into arrays and read from them; the stages of the goal
semantics    the meaning of a flat task in plain Python: the twin that every kernel is compared with
jit          the decorators that compile kernels, and their cache on disk
"""
