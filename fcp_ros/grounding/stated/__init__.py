# SPDX-License-Identifier: Apache-2.0
"""Oracles that know because somebody stated it: tables of degrees, fuzzy rules over numbers."""
