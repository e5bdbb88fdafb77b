# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints as facts of a task, with effects that keep account of them.

- `monitors`, `timed_monitors`: the facts of a constraint, and how they change with a step.
- `attachment`: gives the operators of a task these effects.
- `regression`: the conditions of these effects, in the state before the operator.
"""
