# SPDX-License-Identifier: Apache-2.0
"""Policies that solve all tasks of a domain: what they cost to learn, and what they solve."""
