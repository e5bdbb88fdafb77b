# SPDX-License-Identifier: Apache-2.0
"""Boxes, footprints, meshes: geometry of single things and of pairs, without any graph."""
