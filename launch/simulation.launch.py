# SPDX-License-Identifier: Apache-2.0
"""Everything without a robot: bringup.launch.py (and its arguments) plus the simulated executor.

    ros2 launch fcp_ros simulation.launch.py scene:=twin_house_furnished
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution, ThisLaunchFileDir


def generate_launch_description() -> LaunchDescription:
    """Includes the bringup with the simulated executor; all other arguments go through."""
    bringup = PathJoinSubstitution([ThisLaunchFileDir(), "bringup.launch.py"])
    return LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(bringup),
                                 launch_arguments=[("simulated_executor", "true")]),
    ])
