# SPDX-License-Identifier: Apache-2.0
"""The SROS2 policy allows what the live nodes have, and nothing that they don't."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from xml.etree import ElementTree

import pytest
from node_graph import look_at as graph_of
from security_policy import FILE, KINDS, Site, main, render_policy

from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.nodes.stack import USUAL_NODES

NOT_ALWAYS = {
    "/bond",  # where bond is installed, of nodes that a manager brings up
    "/clock",  # with use_sim_time
    "/*/sign_of_life",  # of processes that are on other machines
    "/rosout",  # rcl has one for a name in a process: that of a node which a test that failed left
    "/{node}/get_type_description",  # of Jazzy and later
}
"""What a node may have without having it in these tests."""


def read_policy(node):
    """The rights of a node: (kind of name, right) -> full names."""
    root = ElementTree.parse(FILE).getroot()
    assert root.get("version") == "0.2.0"
    profile = root.find(f"enclaves/enclave[@path='/fcp_ros/{node}']/profiles/profile")
    assert (profile.get("ns"), profile.get("node")) == ("/", node)
    return {
        (rules.tag.removesuffix("s"), right): {expand(one.text, node) for one in rules}
        for rules in profile
        for right, word in rules.items()
        if word == "ALLOW"
    }


def expand(name, node):
    if name.startswith("~/"):
        return f"/{node}/{name[2:]}"
    return name if name.startswith("/") else f"/{name}"


def look_at(probe, node):
    """What the graph shows of a node, as `read_policy`."""
    seen = {key: set() for key in KINDS.values()}
    for kind, name, _ in graph_of(probe.node, node):
        if "/_action/" not in name:  # the parts of actions come with the rights to them
            seen[KINDS[kind]].add(name)
    return seen


def test_the_file_is_made_from_the_interface():
    """Made by ``python test/support/security_policy.py``."""
    assert FILE.read_text(encoding="utf-8") == render_policy()


def test_names_per_robot_are_those_that_the_executive_calls(capsys):
    """By the parameters of the executive: robot_namespaces and shared_executors."""
    options = ["--robot", "robot_1=/alice", "--robot", "robot_2=bob", "--shared", "pick"]
    main(["--namespace", "/house", *options])
    root = ElementTree.fromstring(capsys.readouterr().out)
    enclaves = {one.get("path"): one for one in root.iter("enclave")}
    profile = enclaves["/fcp_ros/executive"].find("profiles/profile")
    assert profile.get("ns") == "/house"
    called = {one.text for rules in profile for one in rules if "call" in rules.attrib}
    robots = RobotExecutors.parse(["robot_1=/alice", "robot_2=bob"], ["pick"])
    assert called == {*robots.list_names(Site().list_executors()), "make_plan"}
    assert {"/alice/navigate", "bob/navigate", "pick"} <= called
    assert called.isdisjoint({"navigate", "/alice/pick"})
    own = enclaves["/fcp_ros/robot_2/nav2_executor"].find("profiles/profile")
    assert own.get("ns") == "/house/bob"
    assert "/house/scene_graph" in {one.text for one in own.iter("topic")}


def test_each_executable_has_an_enclave(repository):
    text = (repository / "CMakeLists.txt").read_text()
    executables = set(re.findall(r"^install_node\((\w+)", text, re.MULTILINE)) - {"fcp_nodes"}
    assert executables
    root = ElementTree.parse(FILE).getroot()
    enclaves = {one.get("path").rpartition("/")[2] for one in root.iter("enclave")}
    assert executables <= enclaves


@pytest.mark.parametrize("node", USUAL_NODES)
def test_a_node_may_do_what_it_does_and_no_more(node, probe, stack, until):
    allowed = read_policy(node)

    def find_forbidden():
        return {
            (*key, name)
            for key, names in look_at(probe, node).items()
            for name in names
            if not any(fnmatchcase(name, rule) for rule in allowed.get(key, ()))
        }

    def find_needless():
        seen = look_at(probe, node)
        optional = {name.format(node=node) for name in NOT_ALWAYS}
        return {
            (*key, name) for key, names in allowed.items() for name in names - seen[key] - optional
        }

    end = iter(range(400))
    until(lambda: not find_needless() or next(end, None) is None, "discovery")
    assert find_needless() == set()
    assert find_forbidden() == set()
