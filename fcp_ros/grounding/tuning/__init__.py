# SPDX-License-Identifier: Apache-2.0
"""Encoders that read both sides of a pair together, tuned on judgements.

Heads compare two vectors that know nothing of each other; a tuned encoder sees "fork" and "eating
spaghetti" at once. It costs a pass a pair, so it is asked only where much depends on the answer.
"""
