# SPDX-License-Identifier: Apache-2.0
"""Schemas: the types, functions, relations, attributes and equations that instances obey."""
