#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the folder of the environment that the make targets use:
#   .venv-ros-<distribution>  where a ROS 2 distribution is sourced (ROS_DISTRO set, rclpy importable)
#   .venv                     with the Jazzy wheels from PyPI (the default)
#   .venv-<set>               with another set of wheels, chosen by ROS_WHEELS
# Each has its own build folder, so nothing of two releases ever mixes.
if [ -n "${ROS_DISTRO:-}" ] && "${PYTHON:-python3}" -c 'import rclpy' 2>/dev/null; then
    echo ".venv-ros-$ROS_DISTRO"
elif [ "${ROS_WHEELS:-jazzy}" = jazzy ]; then
    echo .venv
else
    echo ".venv-$ROS_WHEELS"
fi
