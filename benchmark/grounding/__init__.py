# SPDX-License-Identifier: Apache-2.0
"""Judges of graded predicates: quality and speed."""
