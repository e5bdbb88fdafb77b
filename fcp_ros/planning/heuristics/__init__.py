# SPDX-License-Identifier: Apache-2.0
"""Estimates of what is still to come, as kernels over a flat task."""
