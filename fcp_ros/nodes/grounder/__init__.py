# SPDX-License-Identifier: Apache-2.0
"""The node ``grounder``: judges graded predicates, and learns from outcomes."""
