# SPDX-License-Identifier: Apache-2.0
"""The planner on houses, classical domains and Taskography, beside others."""
