# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 nodes: lifecycle, parameters and messages around the layers below, no algorithms.

This is the only layer that imports rclpy. Each module ``*_node`` holds one node and its ``main()``;
`combined` runs all of them in one process; `conversions` is where messages meet the model.
"""
