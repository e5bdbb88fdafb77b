# SPDX-License-Identifier: Apache-2.0
"""Features that tell good transitions from others: the combinatorial core of the learning.

- `problem`: sampled transitions with the values of a pool of features; those that all features
  treat alike, as one; two that no feature tells apart, though one has to be refused.
- `selection`: the cheapest choice of features and good classes, an answer set program to which
  pairs to be told apart are added where they are violated.
- `descent`: an order of features that every state has a transition to improve, without pairs.
"""
