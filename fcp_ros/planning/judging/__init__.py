# SPDX-License-Identifier: Apache-2.0
"""Asking for memberships as late as possible and in batches."""
