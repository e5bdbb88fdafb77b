# SPDX-License-Identifier: Apache-2.0
"""Coordinate frames: transforms what arrives in another frame into the scene graph's.

- `frames`: the graph's frame, and the sources of transforms: a parameter, and tf2.
"""
