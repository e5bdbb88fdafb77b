# SPDX-License-Identifier: Apache-2.0
"""All nodes of fcp_ros on a robot: scene_graph, grounder, task_planner and executive.

    ros2 launch fcp_ros bringup.launch.py namespace:=robot domain:=household scene:=/path/scene.json

The robot's own executors (actions of type ExecuteStep) are started by the robot.
"""

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

NODES = ("scene_graph", "grounder", "task_planner", "executive")
# The executor that stands for the robot in each kind of world
EXECUTORS = {
    "kinematic": "simulated_executor",
    "physics": "world_executor",
    "pyrobosim": "world_executor",
}
INTERFACES = "interfaces"  # A simulator whose robot has executors of its own
WORLDS = ("physics", "pyrobosim")  # They tell scene_graph what there is
RESPAWN_DELAY = 2.0  # s


def generate_launch_description() -> LaunchDescription:
    """Declares the arguments and adds the nodes."""
    params_file = PathJoinSubstitution([FindPackageShare("fcp_ros"), "config", "params.yaml"])
    rviz_config = PathJoinSubstitution(
        [FindPackageShare("fcp_ros"), "config", "rviz", "fcp_ros.rviz"]
    )
    switch = {"choices": ["true", "false", "True", "False"]}
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "namespace", default_value="", description="Namespace of all nodes"
            ),
            DeclareLaunchArgument(
                "params_file",
                default_value=params_file,
                description="File with the parameters of all nodes",
            ),
            DeclareLaunchArgument(
                "domain",
                default_value="",
                description="Name or file of the domain; empty: as in params_file",
            ),
            DeclareLaunchArgument(
                "scene",
                default_value="",
                description="Name or file of the scene to start with; empty: as in params_file",
            ),
            DeclareLaunchArgument(
                "robot_namespaces",
                default_value="",
                description="Robots with executors of their own, with commas, such as "
                "robot_1=/alice,robot_2=/bob; empty: as in params_file",
            ),
            DeclareLaunchArgument(
                "use_sim_time",
                default_value="false",
                **switch,
                description="Take the time from /clock",
            ),
            DeclareLaunchArgument(
                "autostart",
                default_value="true",
                **switch,
                description="Let each node configure and activate itself",
            ),
            DeclareLaunchArgument(
                "log_level",
                default_value="info",
                choices=["debug", "info", "warn", "error", "fatal"],
                description="Least severity that is logged",
            ),
            DeclareLaunchArgument(
                "use_respawn",
                default_value="false",
                **switch,
                description=f"Start a node that died again after {RESPAWN_DELAY} s",
            ),
            DeclareLaunchArgument(
                "simulated_executor",
                default_value="false",
                **switch,
                description="Start an executor that simulates the robot, too",
            ),
            DeclareLaunchArgument(
                "simulator",
                default_value="none",
                choices=["none", *EXECUTORS, INTERFACES],
                description="World of a simulated robot: by the domain's rules (kinematic, also "
                "simulated_executor:=true); with physics, or pyrobosim's, made of the argument "
                "scene; or a simulator with simulation_interfaces, whose robot has executors of "
                "its own",
            ),
            DeclareLaunchArgument(
                "simulator_services",
                default_value="/",
                description="What stands before the names of the services of "
                "simulator:=interfaces, such as /gzserver",
            ),
            DeclareLaunchArgument(
                "rviz",
                default_value="false",
                **switch,
                description="Start rviz2, too, with the view rviz_config",
            ),
            DeclareLaunchArgument(
                "rviz_config", default_value=rviz_config, description="View of rviz2"
            ),
            OpaqueFunction(function=_nodes),
            OpaqueFunction(function=_rviz),
        ]
    )


def _nodes(context: LaunchContext) -> list[LifecycleNode]:
    """The nodes, once the values of the arguments are known."""
    names = list(NODES)
    simulator = _find_simulator(context)
    names += [EXECUTORS[simulator]] if simulator in EXECUTORS else []
    names += ["simulation_bridge"] if simulator == INTERFACES else []
    return [_node(context, name) for name in names]


def _node(context: LaunchContext, name: str) -> LifecycleNode:
    overrides = {
        "use_sim_time": _is_true(context, "use_sim_time"),
        "autostart": _is_true(context, "autostart"),
    }
    for argument in ("domain", "scene"):
        value = _value(context, argument)
        if argument == "scene" and _find_simulator(context) in WORLDS:
            continue  # the world tells scene_graph what there is
        if value:  # an empty one must not hide what the file says
            overrides[argument] = ParameterValue(value, value_type=str)
    robots = [one.strip() for one in _value(context, "robot_namespaces").split(",")]
    if name == "executive" and any(robots):
        overrides["robot_namespaces"] = [one for one in robots if one]
    if name == "world_executor":
        overrides["kind"] = _find_simulator(context)
        overrides["world_file"] = ParameterValue(_value(context, "scene"), value_type=str)
        # The nodes take its time where they take time from /clock.
        overrides["publish_clock"] = overrides["use_sim_time"]
    if name in ("grounder", "executive") and _find_simulator(context) != "none":
        overrides["world"] = "simulated"  # what is learned there says little about the real robot
    if name == "simulation_bridge":
        services = _value(context, "simulator_services")
        overrides["simulator"] = ParameterValue(services, value_type=str)
    return LifecycleNode(
        package="fcp_ros",
        executable=name,
        name=name,
        namespace=_value(context, "namespace"),
        parameters=[_value(context, "params_file"), overrides],
        ros_arguments=["--log-level", _value(context, "log_level")],
        respawn=_is_true(context, "use_respawn"),
        respawn_delay=RESPAWN_DELAY,
        output="screen",
    )


def _find_simulator(context: LaunchContext) -> str:
    kinematic = _is_true(context, "simulated_executor")
    simulator = _value(context, "simulator")
    return "kinematic" if kinematic and simulator == "none" else simulator


def _rviz(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """rviz2 in the namespace of the nodes: the topics in its configuration are relative."""
    if not _is_true(context, "rviz"):
        return []
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        return [
            LogInfo(
                msg="rviz:=true, but rviz2 is not installed: the nodes start without it "
                "(on Ubuntu: apt install ros-$ROS_DISTRO-rviz2)"
            )
        ]
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            name="rviz2",
            namespace=_value(context, "namespace"),
            arguments=["-d", _value(context, "rviz_config")],
            parameters=[{"use_sim_time": _is_true(context, "use_sim_time")}],
            output="screen",
        )
    ]


def _value(context: LaunchContext, argument: str) -> str:
    return LaunchConfiguration(argument).perform(context)


def _is_true(context: LaunchContext, argument: str) -> bool:
    return _value(context, argument).lower() == "true"
