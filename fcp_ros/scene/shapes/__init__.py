# SPDX-License-Identifier: Apache-2.0
"""The geometry of things: boxes, polygons, surfaces, heights, and free spots.

For many things at once, as arrays:

- ``boxes``: oriented boxes that stand upright, pairs of them, and the best one around points
- ``box_grid``: boxes that change one by one

For single things:

- ``polygons``: area, centroid, hull, triangles; heights of floors and tops, centres of rooms
- ``placement``: free spots on tops, in boxes and on floors
- ``route``: the stops of a plan

From meshes and point clouds (Open3D):

- ``surfaces``: meshes and point clouds, read in a process of its own
"""
