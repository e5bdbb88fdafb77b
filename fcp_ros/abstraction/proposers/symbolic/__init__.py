# SPDX-License-Identifier: Apache-2.0
"""Abstractions learned from sampled transitions alone.

- `assembly`: selected features and good transitions as QNP, programs and policy.
- `attempt`: one pool of features on one sample.
- `program_writers`: programs of one step, or of a journey to where it is to be done.
- `learning`, its step guards: concepts for the parameters of steps, which runs try first.
- `task_samples`: training tasks and parts of them whose state spaces are small, which grow by what
  a policy fails at.
- `assembly`, its extrapolation: steps that no sample shows, but that improve the order of features.
- `learning`: attempts with more names, features and samples until all tasks are solved.
- `symbolic_proposer`: the proposer.
"""
