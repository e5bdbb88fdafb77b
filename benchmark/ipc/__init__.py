# SPDX-License-Identifier: Apache-2.0
"""Our planner beside lama-first on tasks of the planning competitions."""
