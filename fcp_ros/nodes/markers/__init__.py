# SPDX-License-Identifier: Apache-2.0
"""The scene and the plan as markers for RViz and Foxglove: one file for each kind of thing."""
