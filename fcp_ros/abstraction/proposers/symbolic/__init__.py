# SPDX-License-Identifier: Apache-2.0
"""Abstractions learned from sampled transitions alone.

- `assembly`: selected features and good transitions as QNP, programs and policy.
- `feature_names`: names of the chosen features.
- `attempt`: one pool of features on one sample.
- `small_tasks`: training tasks and parts of them whose state spaces are small.
- `extrapolation`: steps that no sample shows, but that improve the order of features.
- `learning`: attempts with more names, features and samples until all tasks are solved.
- `symbolic_proposer`: the proposer.
"""
