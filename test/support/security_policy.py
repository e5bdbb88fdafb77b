# SPDX-License-Identifier: Apache-2.0
"""Makes ``config/security/fcp_ros.policy.xml`` from the README's table of the interface.

``python test/support/security_policy.py`` writes it. With options it prints another one: for a
namespace, a domain, and robots with executors of their own, as the executive's parameters have them
(``--namespace /house --robot robot_1=/alice --robot robot_2=/bob``). The table is compared with the
live graph by test_interface.py, and the policy, with all that rclpy adds, by
test_security_policy.py.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from fcp_ros.domain import load_domain
from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.nodes.simulation.calls import SERVICES, to_service_name
from fcp_ros.package_files import find_domain

ROOT = Path(__file__).parents[2]
FILE = ROOT / "config" / "security" / "fcp_ros.policy.xml"

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- SROS2 policies of the nodes of fcp_ros, one enclave for each (docs/security.md).
     Made by test/support/security_policy.py. Names are those without a namespace: for the
     namespace "robot" replace ns="/" by ns="/robot". Executors are those of household. -->
"""

KINDS = {
    "pub": ("topic", "publish"),
    "sub": ("topic", "subscribe"),
    "srv": ("service", "reply"),
    "srv client": ("service", "request"),
    "action": ("action", "execute"),
    "action client": ("action", "call"),
}
"""Kind in the table -> kind of name, and right."""

PARAMETERS = [
    "describe_parameters",
    "get_parameter_types",
    "get_parameters",
    "list_parameters",
    "set_parameters",
    "set_parameters_atomically",
    "get_type_description",
]
LIFECYCLE = [
    "change_state",
    "get_available_states",
    "get_available_transitions",
    "get_state",
    "get_transition_graph",
]
EVERY_NODE = {
    ("topic", "publish"): ["/parameter_events", "/rosout"],
    ("topic", "subscribe"): ["/clock"],
    ("service", "reply"): [f"~/{name}" for name in PARAMETERS],
}
LIFECYCLE_NODE = {
    ("topic", "publish"): ["bond", "~/transition_event"],
    ("topic", "subscribe"): ["bond"],
    ("service", "reply"): [f"~/{name}" for name in LIFECYCLE],
}
LIVES = {("topic", "subscribe"): ["*/sign_of_life"]}
"""For all who depend on the nodes of others, and on executors of any name."""
TRANSFORMS = {("topic", "subscribe"): ["/tf", "/tf_static"]}
NAV2 = {
    ("topic", "publish"): ["/diagnostics", "nav2_executor/sign_of_life"],
    ("topic", "subscribe"): ["scene_changes", "scene_graph"],
    ("action", "execute"): ["navigate"],
    ("action", "call"): ["navigate_to_pose"],
}
PERSON = {
    ("topic", "publish"): ["/diagnostics", "person_executor/sign_of_life", "person_requests"],
    ("service", "reply"): ["answer_person"],
    ("action", "execute"): ["person"],
}
SIMULATION = {
    ("topic", "publish"): [
        "/diagnostics",
        "scene_graph_update",
        "simulation_bridge/sign_of_life",
    ],
    ("topic", "subscribe"): ["scene_changes", "scene_graph"],
    ("service", "request"): [f"/{to_service_name(kind)}" for kind in SERVICES],
}
WORLD = {
    ("topic", "publish"): [
        "/clock",
        "/diagnostics",
        "scene_graph_update",
        "world_executor/sign_of_life",
    ],
    ("topic", "subscribe"): ["scene_changes", "scene_graph", "scene_graph_request"],
}
"""Beside the actions of simulated_executor, for which it stands."""
ORDERS = ("achieve_goal", "execute_task_plan", "make_plan")
ASKS = [
    "answer_person",
    "answer_question",
    "control_execution",
    "get_scene_graph",
    "interpret",
    "judge",
    "list_goals",
    "plan",
    "remaining_plan",
    "validate_plan",
]
OPERATOR = {
    ("topic", "subscribe"): [
        "execution_state",
        "person_requests",
        "plan_in_execution",
        "scene_graph",
        "task_plan",
    ],
    ("service", "request"): ASKS,
    ("action", "call"): list(ORDERS),
}
"""Who gives goals and watches: nothing that changes scene, domain, parameters or life cycle."""

Rights = dict[tuple[str, str], set[str]]


def merge(*parts: dict[tuple[str, str], list[str]]) -> Rights:
    """Merge rights."""
    rights: Rights = defaultdict(set)
    for part in parts:
        for key, names in part.items():
            rights[key] |= set(names)
    return rights


@dataclass(frozen=True)
class Site:
    """What a policy is made for."""

    namespace: str = "/"
    domain: str = "household"
    robots: RobotExecutors = field(default_factory=RobotExecutors)

    def list_executors(self) -> list[str]:
        """List the names that the executors of the domain have."""
        domain = load_domain(find_domain(self.domain))
        executors = sorted({rule.executor for rule in domain.rules.values()})
        return sorted(self.robots.list_names(executors))

    def expand(self, name: str) -> str:
        """Write a name as it is outside the namespace."""
        return name if name.startswith("/") else f"{self.namespace.rstrip('/')}/{name}"


def read_table(site: Site) -> dict[str, dict[tuple[str, str], list[str]]]:
    """Read the rights of each node from the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("<!-- interface table -->")[2].partition("<!-- /interface table -->")[0]
    executors = site.list_executors()
    rights: dict[str, dict[tuple[str, str], list[str]]] = {}
    for line in table.strip().splitlines()[2:]:
        node, kind, name, _ = (cell.strip().strip("`") for cell in line.strip("| ").split("|"))
        names = executors if name == "*executor*" else [name]
        rights.setdefault(node, {}).setdefault(KINDS[kind], []).extend(names)
    return rights


def list_profiles(site: Site) -> dict[str, list[tuple[str, Rights]]]:
    """List the profiles (node, rights) of each enclave, all in the namespace of the site."""
    found = {
        node: [(node, merge(rights, EVERY_NODE, LIFECYCLE_NODE, LIVES))]
        for node, rights in read_table(site).items()
    }
    listener = ("scene_graph_transforms", merge(TRANSFORMS, {("topic", "subscribe"): ["/clock"]}))
    found["scene_graph"].append(listener)
    found["nav2_executor"] = [
        ("nav2_executor", merge(NAV2, EVERY_NODE, LIFECYCLE_NODE, LIVES)),
        ("nav2_executor_transforms", listener[1]),
    ]
    found["person_executor"] = [
        ("person_executor", merge(PERSON, EVERY_NODE, LIFECYCLE_NODE, LIVES))
    ]
    bridge = merge(SIMULATION, EVERY_NODE, LIFECYCLE_NODE)
    found["simulation_bridge"] = [("simulation_bridge", bridge)]
    actions = ("action", "execute")
    steps = {actions: sorted(found["simulated_executor"][0][1][actions])}
    world = merge(WORLD, steps, EVERY_NODE, LIFECYCLE_NODE)
    found["world_executor"] = [("world_executor", world)]
    found["operator"] = [("operator", merge(OPERATOR, EVERY_NODE, LIVES))]
    return found


def list_robots(site: Site) -> dict[str, tuple[str, list[tuple[str, Rights]]]]:
    """List the enclaves of the robots' own executors, each with its namespace and profiles.

    The topics of the scene are remapped to those of the site (docs/on_your_robot.md).
    """
    scene = [site.expand(name) for name in ("scene_graph", "scene_changes", "scene_status")]
    moved = merge(NAV2, EVERY_NODE, LIFECYCLE_NODE, LIVES, {("topic", "subscribe"): scene})
    moved["topic", "subscribe"].discard("scene_graph")
    transforms = merge(TRANSFORMS, {("topic", "subscribe"): ["/clock"]})
    profiles = [("nav2_executor", moved), ("nav2_executor_transforms", transforms)]
    return {
        f"{robot}/nav2_executor": (site.expand(namespace), profiles)
        for robot, namespace in site.robots.namespaces.items()
    }


def render_policy(site: Site = Site()) -> str:
    """Render a policy."""
    lines = [HEAD + '<policy version="0.2.0">', "  <enclaves>"]
    enclaves = {name: (site.namespace, profiles) for name, profiles in list_profiles(site).items()}
    for enclave, (namespace, profiles) in {**enclaves, **list_robots(site)}.items():
        lines += [f'    <enclave path="/fcp_ros/{enclave}">', "      <profiles>"]
        for node, rights in profiles:
            lines += [f'        <profile ns="{namespace}" node="{node}">']
            for (kind, right), names in sorted(rights.items()):
                lines += [f'          <{kind}s {right}="ALLOW">']
                lines += [f"            <{kind}>{escape(name)}</{kind}>" for name in sorted(names)]
                lines += [f"          </{kind}s>"]
            lines += ["        </profile>"]
        lines += ["      </profiles>", "    </enclave>"]
    return "\n".join([*lines, "  </enclaves>", "</policy>"]) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Write the file of the package, or print a policy for another site."""
    parser = argparse.ArgumentParser(description="Makes SROS2 policies.")
    parser.add_argument("--namespace", default="/", help="of scene_graph, executive and so on")
    parser.add_argument("--domain", default="household", help="name or file")
    parser.add_argument("--robot", action="append", default=[], metavar="ELEMENT=NAMESPACE")
    parser.add_argument("--shared", action="append", default=[], metavar="EXECUTOR")
    given = parser.parse_args(arguments)
    if not arguments:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(render_policy(), encoding="utf-8")
        return
    robots = RobotExecutors.parse(given.robot, given.shared)
    print(render_policy(Site(given.namespace, given.domain, robots)), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
