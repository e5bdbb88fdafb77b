# SPDX-License-Identifier: Apache-2.0
"""The documented interface is the live one, and the parameter file is what the nodes declare."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from node_graph import look_at
from parameter_file import FILE, render_file

from fcp_ros.domain import load_domain
from fcp_ros.nodes.stack import USUAL_NODES as NODES
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.package_files import find_domain

TABLE = re.compile(r"<!-- interface table -->\n(.*?)<!-- /interface table -->", re.DOTALL)
EXECUTOR = "*executor*"
"""Stands in the documents for every executor that the domain names."""

OF_EVERY_NODE = re.compile(
    r"/rosout|/clock|/parameter_events|/_action/|"
    r"/(describe|get|set|list)_parameter|/get_type_description|"
    r"/tf(_static)?$|"  # tf2's, where it is installed
    r"/transition_event|/(change|get)_state|/get_available_|/get_transition_graph"
)
"""What rclpy adds to every (lifecycle) node and tf2 to some, and the parts of actions."""


def documented(text: str) -> set[tuple[str, str, str, str]]:
    """The rows of the table between the markers, with executors spelled out."""
    found = TABLE.search(text)
    assert found, "the markers of the interface table are missing"
    rows = set()
    for line in found[1].splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and cells[0] in NODES:
            node, kind, name, type_ = cells
            names = executors() if name == EXECUTOR else {name}
            rows |= {(node, kind, each, type_) for each in names}
    return rows


def executors() -> set[str]:
    return {rule.executor for rule in load_domain(find_domain("household")).rules.values()}


def live(probe, node: str) -> set[tuple[str, str, str, str]]:
    """What a node offers and uses, as the graph shows it from outside."""
    return {
        (node, kind, name if name == "/diagnostics" else name.removeprefix("/"), type_)
        for kind, name, type_ in look_at(probe.node, node)
        if not OF_EVERY_NODE.search(name)
    }


def test_the_readme_says_what_is(probe, stack, repository, until):
    told = documented((repository / "README.md").read_text())

    def differences():
        return {node: live(probe, node) ^ {r for r in told if r[0] == node} for node in NODES}

    # The graph takes a moment to be discovered; what differs after that differs.
    until(lambda: set(NODES) <= set(probe.node.get_node_names()), "the nodes")
    end = iter(range(200))
    until(lambda: not any(differences().values()) or next(end, None) is None, "discovery")
    assert differences() == {node: set() for node in NODES}


KINDS = {"pub": "topic", "sub": "topic", "srv": "service", "srv client": "service"}
"""Kind in the table -> kind of name: each kind has a name space of its own in ROS."""

BESIDE = re.compile(r"<!-- other packages -->\n(.*?)<!-- /other packages -->", re.DOTALL)


@pytest.fixture(scope="module")
def others() -> dict[tuple[str, str], set[str]]:
    """The names of other packages: (kind, name) -> packages that have it at their defaults."""
    file = Path(__file__).parent / "data" / "other_packages.yaml"
    packages: dict[tuple[str, str], set[str]] = {}
    for package, kinds in yaml.safe_load(file.read_text()).items():
        for kind, names in kinds.items():
            for name in names:
                packages.setdefault((kind, name), set()).add(package)
    return packages


def own_names(probe) -> set[tuple[str, str]]:
    """Kind and name of all that the live nodes offer and use, and of the nodes themselves."""
    names = {("node", node) for node in NODES}
    for node in NODES:
        for _, kind, name, _ in live(probe, node):
            names.add((KINDS.get(kind, "action"), name))
    return names


def test_no_name_is_one_of_another_package(probe, stack, others, repository, until):
    told = {row[:3] for row in documented((repository / "README.md").read_text())}
    until(lambda: told <= {row[:3] for node in NODES for row in live(probe, node)}, "discovery")
    assert {name: others[name] for name in own_names(probe) & others.keys()} == {}


@pytest.mark.parametrize("domain", ["household", "tiny"])
def test_no_executor_of_a_shipped_domain_is_an_action_of_another_package(others, domain):
    actions = {
        ("action", rule.executor) for rule in load_domain(find_domain(domain)).rules.values()
    }
    assert actions
    assert actions & others.keys() == set()


def test_the_names_of_other_packages_in_the_document_are_theirs(others, probe, stack, repository):
    found = BESIDE.search((repository / "docs" / "interface.md").read_text())
    assert found, "the markers of the table are missing"
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in found[1].splitlines()[2:]
    ]
    assert {package for row in rows for package in row[2].split(", ")} == set().union(
        *others.values()
    )
    ours = own_names(probe)
    for kind, names, packages, beside, _ in rows:
        theirs = [(kind, name) for name in re.findall(r"`(.*?)`", names)]
        assert {package for name in theirs for package in others[name]} == set(packages.split(", "))
        for own in re.findall(r"`(.*?)`", beside):
            assert any(own == name for _, name in ours), own


def parameters_of(node) -> dict[str, object]:
    """Declared parameters that are this package's own."""
    names = node.list_parameters([], 0).names
    return {
        name: node.get_parameter(name).value
        for name in names
        if not name.startswith(("qos_overrides", "use_sim_time", "start_type_description"))
    }


@pytest.fixture(scope="module")
def unstarted(stack_options, tmp_path_factory):
    """All nodes with nothing but their defaults, not started."""
    from fcp_ros.nodes.stack import StackOptions

    # Beside a simulated executor it would be another.
    world = {"grounder": {"world": "auto"}, "executive": {"world": "auto"}}
    with NodeStack(StackOptions(autostart=False, namespace="defaults", overrides=world)) as stack:
        yield stack


def test_parameter_file_lists_every_parameter_with_its_default(unstarted, repository):
    file = yaml.safe_load((repository / "config" / "params.yaml").read_text())
    assert set(file) == {f"/**/{name}" for name in NODES}
    for name, node in unstarted.nodes.items():
        expected = parameters_of(node) | {"autostart": True}
        assert file[f"/**/{name}"]["ros__parameters"] == expected, name


def test_parameter_file_is_made_from_the_specifications():
    """Made by ``python test/support/parameter_file.py``."""
    assert FILE.read_text(encoding="utf-8") == render_file()


@pytest.mark.parametrize(
    ("page", "node", "module"),
    [
        ("on_your_robot", "nav2_executor", "executors.nav2_executor"),
        ("simulators", "simulation_bridge", "simulation.bridge"),
    ],
)
def test_pages_list_the_parameters_of_other_nodes(repository, page, node, module):
    text = (repository / "docs" / f"{page}.md").read_text(encoding="utf-8")
    table = text.partition(f"<!-- {node} -->")[2].partition(f"<!-- /{node} -->")[0]
    told = dict(re.findall(r"^\| `(\w+)` \|\s*`?([^|`]*?)`?\s*\|", table, re.MULTILINE))
    specs = import_module(f"fcp_ros.nodes.{module}").PARAMETERS
    assert told == {spec.name: write_default(spec.default) for spec in specs}


def write_default(value: object) -> str:
    """A default value as the pages write it."""
    if isinstance(value, list):
        return "" if value in ([], [""]) else f"[{', '.join(value)}]"
    return "false" if value is False else str(value)


def test_every_parameter_is_described(unstarted):
    for name, node in unstarted.nodes.items():
        for parameter in parameters_of(node):
            descriptor = node.describe_parameter(parameter)
            where = f"{name}.{parameter}"
            assert "Takes effect" in descriptor.description, where
            if isinstance(node.get_parameter(parameter).value, float):
                assert descriptor.floating_point_range, f"{where} has no range"
            if type(node.get_parameter(parameter).value) is int:
                assert descriptor.integer_range, f"{where} has no range"


def test_parameter_file_is_accepted_under_a_namespace(repository, stack_options, tmp_path):
    options = stack_options(
        tmp_path,
        nodes=("scene_graph",),
        namespace="a/b",
        params_file=repository / "config" / "params.yaml",
    )
    file = tmp_path / "params.yaml"
    text = (repository / "config" / "params.yaml").read_text()
    file.write_text(text.replace("max_nodes: 200000", "max_nodes: 123"))
    with NodeStack(options) as stack:
        assert stack.nodes["scene_graph"].parameters.integer("max_nodes") == 200_000
    from dataclasses import replace

    with NodeStack(replace(options, params_file=file)) as stack:
        assert stack.nodes["scene_graph"].parameters.integer("max_nodes") == 123
