# SPDX-License-Identifier: Apache-2.0
"""The demonstration: five episodes on live nodes, told from what a scene contains."""
