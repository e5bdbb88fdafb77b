# SPDX-License-Identifier: Apache-2.0
"""Proposers: abstractions of training tasks, found in samples, or written by a person or a model.

- `proposer`: the interface of proposers, with the domain, instance and goal that a policy is
  learned on; `task_variants`: smaller and larger ones; `faults`: what is handed back; `status`:
  outcomes.
- `abstraction_text`, `model_proposer`: abstractions as YAML, of a file or of a language model that
  is told its faults.

From sampled transitions alone, with the exact distance of each state to the goal:

- `learning`: the proposer; attempts with more names, features and samples until all tasks are
  solved.
- `task_samples`, `exploration`: parts of training tasks with small state spaces, which grow by what
  a policy fails at; all their states as one table of transitions.
- `travel`: rules that do nothing but move one thing.
- `attempt`: one pool of features on one sample; an order of features that every state has a
  transition to improve, without pairs.
- `separation`: sampled transitions with the values of the features; those that all features treat
  alike, as one; two that no feature tells apart, though one has to be refused.
- `feature_selection`: the cheapest choice of features and good classes, an answer set program to
  which pairs to be told apart are added where they are violated.
- `assembly`: selected features and good transitions as QNP, programs and policy.
- `program_writers`: programs of one step, or of a journey to where it is to be done.
"""
