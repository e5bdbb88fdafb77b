# SPDX-License-Identifier: Apache-2.0
"""The node framework: lifecycle, parameters, worker threads, spinning, and repairs of rclpy."""
