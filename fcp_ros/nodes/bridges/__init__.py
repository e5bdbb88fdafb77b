# SPDX-License-Identifier: Apache-2.0
"""What comes from other ROS systems; each bridge is there where its messages are installed."""
