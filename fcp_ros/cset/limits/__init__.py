# SPDX-License-Identifier: Apache-2.0
"""Limits, colimits, subobjects and presentations of instances, with their universal maps."""
