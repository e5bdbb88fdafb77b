# SPDX-License-Identifier: Apache-2.0
"""Worlds of simulators: Gazebo (SDF), MuJoCo (MJCF), URDF and Habitat.

Each reader lists `bodies`: names, places, shapes, joints. `world_graph` says which of them are
things, rooms, robots or parts of others, and gives them labels and boxes. `bodies` also finds the
files that a world refers to, and reads meshes in the sandbox, where `mesh_decoder` runs (and for
MJCF `mjcf_decoder`).
"""
