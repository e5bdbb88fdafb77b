# SPDX-License-Identifier: Apache-2.0
"""Searches in a flat task: what is optimised, how, and the kernels that do it."""
