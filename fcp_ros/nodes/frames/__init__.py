# SPDX-License-Identifier: Apache-2.0
"""Coordinate frames: transforms what arrives in another frame into the scene graph's.

- `frames`: the graph's frame, what is transformed into it, the parameter ``static_transforms``.
- `sources`: sources of transforms, from the parameter and from tf2.
"""
