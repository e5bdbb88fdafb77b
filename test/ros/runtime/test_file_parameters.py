# SPDX-License-Identifier: Apache-2.0
"""Nobody on the network can make a node read, write or send what its starter did not allow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from fcp_ros.nodes.executive.parameters import PARAMETERS as EXECUTIVE
from fcp_ros.nodes.executors.simulated_executor import PARAMETERS as SIMULATED_EXECUTOR
from fcp_ros.nodes.grounder.parameters import MODEL_FILES
from fcp_ros.nodes.grounder.parameters import PARAMETERS as GROUNDER
from fcp_ros.nodes.planner.parameters import PARAMETERS as PLANNER
from fcp_ros.nodes.runtime.parameters import FileRefusedError, TakesEffect
from fcp_ros.nodes.scene_graph.node import PARAMETERS as SCENE_GRAPH
from fcp_ros.nodes.stack import USUAL_NODES, NodeStack, StackOptions, StartError
from fcp_ros.package_files import find_domain, find_scene

NODE = "files"
ALL = (*EXECUTIVE, *GROUNDER, *PLANNER, *SCENE_GRAPH, *SIMULATED_EXECUTOR)
OUTSIDE = re.compile(r"\b([Ff]iles?|[Ff]olders?|URL|[Ss]erver|[Ee]nvironment)\b")
"""A parameter that leads out of the process says so with one of these words."""
HARMLESS = {
    "endpoint_model",  # a name that the chosen server knows
    "detection_classes",
    "mode",
}


def test_what_leads_out_of_the_process_is_guarded():
    for spec in ALL:
        is_text = isinstance(spec.default, str | list) and not spec.choices
        if is_text and spec.name not in HARMLESS and OUTSIDE.search(spec.description):
            is_fixed = spec.takes_effect is TakesEffect.AT_START
            assert spec.files is not None or is_fixed, spec.name


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An allowed domain and scene, and the same where nobody may read."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("allowed", "secret"):
        (folder / name).mkdir()
        for file in (find_domain("tiny"), find_scene("twin_house")):
            (folder / name / f"my_{file.name}").write_bytes(file.read_bytes())
    (folder / "allowed" / "link.yaml").symlink_to(folder / "secret" / "my_tiny.yaml")
    (folder / "start.yaml").write_bytes(find_domain("tiny").read_bytes())
    return folder


@pytest.fixture(scope="module")
def nodes(stack_options, place: Path, tmp_path_factory):
    """All nodes, not configured, with the folder `allowed`."""
    allowed = [str(place / "allowed")]
    folders = {"domain_folders": allowed, "domain": str(place / "start.yaml")}
    options = stack_options(
        tmp_path_factory.mktemp("files"),
        {
            "scene_graph": {"scene_folders": allowed, **folders},
            "grounder": {"model_folders": allowed, **folders},
            **dict.fromkeys(("task_planner", "executive", "simulated_executor"), folders),
        },
        namespace=NODE,
        autostart=False,
    )
    with NodeStack(options) as stack:
        yield stack


def set_text(probe, node: str, name: str, value: str) -> str:
    """Set a parameter as anybody on the network can; return why it was refused."""
    text = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=text)])
    result = probe.ask(SetParameters, f"{NODE}/{node}/set_parameters", request).results[0]
    assert result.successful != bool(result.reason)
    return result.reason


@pytest.mark.parametrize("node", USUAL_NODES)
def test_a_domain_obeys_the_folders(nodes, place, probe, node):
    assert "domain_folders" in set_text(probe, node, "domain", "/etc/passwd")
    assert "domain_folders" in set_text(probe, node, "domain", str(place / "secret/my_tiny.yaml"))
    assert "domain_folders" in set_text(probe, node, "domain", str(place / "allowed/link.yaml"))
    assert not set_text(probe, node, "domain", "my_tiny.yaml")
    assert nodes.nodes[node].parameters.file("domain") == str(place / "allowed/my_tiny.yaml")
    assert not set_text(probe, node, "domain", str(place / "start.yaml")), "it was started with it"


@pytest.mark.parametrize(
    ("node", "name", "good", "words"),
    [
        ("scene_graph", "scene", "my_twin_house.json", "scene_folders"),
        ("scene_graph", "overrides", "my_tiny.yaml", "scene_folders"),
        ("scene_graph", "hydra_label_space", "my_tiny.yaml", "scene_folders"),
        ("grounder", "model", "minilm", "model_folders"),
        ("grounder", "heads", "my_tiny.yaml", "model_folders"),
        ("grounder", "language_model", "", "model_folders"),
    ],
)
def test_other_files_obey_theirs(nodes, place, probe, node, name, good, words):
    for bad in ("/etc/passwd", str(place / "secret"), "../secret/my_tiny.yaml"):
        assert words in set_text(probe, node, name, bad)
    assert not set_text(probe, node, name, good)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("grounder", "endpoint_url"),
        ("grounder", "endpoint_key_variable"),
        ("grounder", "calibration_path"),
        ("grounder", "cache_path"),
        ("executive", "outcome_journal"),
        ("executive", "name_store"),
        ("task_planner", "policies"),
        ("task_planner", "reader_endpoint"),
        ("task_planner", "reader_model"),
    ],
)
def test_what_is_written_or_sent_is_chosen_at_the_start(nodes, probe, node, name):
    before = nodes.nodes[node].parameters.text(name)
    assert "read-only" in set_text(probe, node, name, "http://192.0.2.1/steal")
    assert nodes.nodes[node].parameters.text(name) == before


def test_a_link_that_leads_out_since_it_was_set_is_not_followed(nodes, place, probe):
    link = place / "allowed" / "turned.yaml"
    link.write_bytes(find_domain("tiny").read_bytes())
    assert not set_text(probe, "executive", "domain", "turned.yaml")
    link.unlink()
    link.symlink_to(place / "secret" / "my_tiny.yaml")
    node = nodes.nodes["executive"]
    with pytest.raises(FileRefusedError, match=r"domain: .* is no file in"):
        node.parameters.file("domain")
    node.trigger_configure()
    assert "domain_folders" in node.fault
    assert not set_text(probe, "executive", "domain", str(place / "start.yaml"))


def test_a_key_can_not_be_any_variable():
    overrides = {"grounder": {"endpoint_key_variable": "HOME"}}
    stack = NodeStack(StackOptions(nodes=("grounder",), overrides=overrides, autostart=False))
    with pytest.raises(StartError, match="begins with FCP_KEY_"):
        stack.start()


def test_models_go_by_name_or_lie_in_a_folder(place):
    texts = [str(place)]
    assert MODEL_FILES.resolve("minilm", texts) == "minilm"
    for address in ("minilm+/etc", "/etc", "minilm+"):
        with pytest.raises(FileRefusedError):
            MODEL_FILES.resolve(address, texts)
