# SPDX-License-Identifier: Apache-2.0
"""Tests of live nodes, as a package: fixtures of the scope "package" end with its last test.

Nodes that are left running until the end of the session cost two per cent of a core a stack.
"""
