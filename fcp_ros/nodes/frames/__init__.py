# SPDX-License-Identifier: Apache-2.0
"""Coordinate frames: transforms what arrives in another frame into the scene graph's."""
