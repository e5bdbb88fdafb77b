# SPDX-License-Identifier: Apache-2.0
"""Sequences of actions that are planned as one."""
