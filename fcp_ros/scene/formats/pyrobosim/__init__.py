# SPDX-License-Identifier: Apache-2.0
"""Worlds of pyrobosim."""
