# SPDX-License-Identifier: Apache-2.0
"""Everything without a robot: bringup.launch.py (and its arguments) with a simulated robot.

ros2 launch fcp_ros simulation.launch.py scene:=twin_house_furnished simulator:=physics
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description() -> LaunchDescription:
    """Includes the bringup with a simulated robot; all other arguments go through."""
    # A plain path, so that `ros2 launch --show-args` can look into it.
    bringup = str(Path(__file__).with_name("bringup.launch.py"))
    return LaunchDescription(
        [
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(bringup),
                launch_arguments=[("simulated_executor", "true")],
            )
        ]
    )
