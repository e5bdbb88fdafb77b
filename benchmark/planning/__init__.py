# SPDX-License-Identifier: Apache-2.0
"""The planner on houses of any size, beside lama-first."""
