# SPDX-License-Identifier: Apache-2.0
"""Simulators behind the ROS standard ``simulation_interfaces``: Isaac Sim, Gazebo, O3DE.

`calls` asks a simulator's services, `reading` reads their answers, `entities` makes changes of the
scene graph of them. The node `bridge` keeps the scene graph like the simulator.
"""
