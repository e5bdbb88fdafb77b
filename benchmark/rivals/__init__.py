# SPDX-License-Identifier: Apache-2.0
"""Planners as processes: others from an environment of their own, and ours."""
