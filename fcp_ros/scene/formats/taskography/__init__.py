# SPDX-License-Identifier: Apache-2.0
"""PDDL problems of Taskography."""
