# SPDX-License-Identifier: Apache-2.0
"""Domains: what a user writes (types, rules, graded predicates, goals), read, checked, resolved."""
