# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: patterns compiled into join plans, isomorphisms, match sets."""
