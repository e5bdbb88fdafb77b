# SPDX-License-Identifier: Apache-2.0
"""The manifests agree with each other and with the files: package.xml, CMake, setup.py, pins."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# The wheels' metadata asks for these, but neither building nor running needs them (ros-*.txt).
LEFT_OUT = (
    "lark-parser",
    "ros-domain-coordinator",
    "ros-ament-cmake-cppcheck",
    "ros-ament-cmake-cpplint",
    "ros-ament-cmake-flake8",
    "ros-ament-cmake-pep257",
    "ros-ament-cmake-uncrustify",
    "ros-rosidl-cli",
    "ros-rmw-implementation-cmake",
    "ros-rmw-test-fixture",
    "ros-rmw-test-fixture-implementation",
    "configargparse",
    "ipywidgets",
    "nbformat",  # Open3D's, for notebooks
    "torch",
)  # for those who chose FCP_TORCH=none
ROS_PACKAGE = re.compile(r"_msgs\b|\brcl|_interfaces\b|\bament_")
LINUX_PC = {"sys_platform": "linux", "platform_machine": "x86_64"}
INTERFACE_FOLDERS = {"msg": "*.msg", "srv": "*.srv", "action": "*.action"}


@pytest.fixture(scope="module")
def manifest(repository: Path):
    """package.xml as catkin_pkg reads it."""
    package = pytest.importorskip("catkin_pkg.package", reason="needs catkin_pkg")
    return package.parse_package(str(repository / "package.xml"))


@pytest.fixture(scope="module")
def cmake_text(repository: Path) -> str:
    return (repository / "CMakeLists.txt").read_text()


def interface_files(repository: Path) -> list[Path]:
    return [
        file
        for folder, pattern in INTERFACE_FOLDERS.items()
        for file in sorted((repository / folder).glob(pattern))
    ]


def names(dependencies) -> set[str]:
    return {dependency.name for dependency in dependencies}


# --- package.xml and CMakeLists.txt ---------------------------------------------------------------


def test_manifest_is_valid(manifest) -> None:
    warnings: list[str] = []
    manifest.validate(warnings=warnings)
    assert not warnings
    assert manifest.package_format == 3
    assert manifest.get_build_type() == "ament_cmake"
    assert [licence.file for licence in manifest.licenses] == ["LICENSE"]


def test_manifest_announces_interfaces(manifest) -> None:
    assert "rosidl_interface_packages" in names(manifest.member_of_groups)
    assert "rosidl_default_generators" in names(manifest.buildtool_depends)
    assert "rosidl_default_runtime" in names(manifest.exec_depends)


def test_interface_dependencies_are_declared(repository: Path, manifest, cmake_text: str) -> None:
    """Packages named in interface files are in CMakeLists.txt and package.xml, and no others."""
    listed = re.search(r"set\(interface_dependencies\s+([^)]*)\)", cmake_text)
    assert listed
    used = {
        match
        for file in interface_files(repository)
        for match in re.findall(r"^(\w+)/\w+", file.read_text(), re.MULTILINE)
    } - {"fcp_ros"}
    assert set(listed.group(1).split()) == used
    assert used <= names(manifest.build_depends)
    assert used <= names(manifest.exec_depends)


def test_ros_imports_are_declared(repository: Path, manifest) -> None:
    """Whatever ROS package nodes and client import is an exec_depend."""
    declared = names(manifest.exec_depends) | {"fcp_ros"}
    missing = {}
    for folder in ("nodes", "client"):
        for file in (repository / "fcp_ros" / folder).rglob("*.py"):
            text = file.read_text()
            if not ROS_PACKAGE.search(text):
                continue  # to parse all of them takes seconds
            for node in ast.walk(ast.parse(text)):
                absolute = isinstance(node, ast.ImportFrom) and not node.level
                package = (node.module or "").split(".")[0] if absolute else ""
                if ROS_PACKAGE.search(package) and package not in declared:
                    missing[package] = file.name
    assert not missing


def test_each_installed_executable_has_its_node(repository: Path, cmake_text: str) -> None:
    nodes = dict(re.findall(r"^install_node\((\w+) ([\w.]+)\)", cmake_text, re.MULTILINE))
    assert {
        "scene_graph",
        "grounder",
        "task_planner",
        "executive",
        "simulated_executor",
        "nav2_executor",
        "person_executor",
        "simulation_bridge",
        "world_executor",
        "fcp_nodes",
    } == set(nodes)
    for module in nodes.values():
        file = repository / "fcp_ros" / "nodes" / f"{module.replace('.', '/')}.py"
        functions = [
            node.name
            for node in ast.parse(file.read_text()).body
            if isinstance(node, ast.FunctionDef)
        ]
        assert "main" in functions, f"{file} has no main()"


def test_every_interface_file_is_built(repository: Path) -> None:
    """The built package has exactly the interfaces of the folders: none forgotten, none stale."""
    pytest.importorskip("rclpy", reason="needs ROS 2")
    for folder, pattern in INTERFACE_FOLDERS.items():
        module = pytest.importorskip(f"fcp_ros.{folder}", reason="needs the built interfaces")
        files = {file.stem for file in (repository / folder).glob(pattern)}
        built = {
            name
            for name in vars(module)
            if name[0].isupper() and not name.endswith(("_Request", "_Response", "_Event"))
        }
        assert {name for name in built if "_" not in name} == files


# --- setup.py and the pins ------------------------------------------------------------------------


def pins(file: Path) -> list[str]:
    """The requirements of a file, without hashes."""
    lines = (line.split(" --hash")[0].rstrip(" \\") for line in file.read_text().splitlines())
    return [line for line in lines if line and line[0] not in "# -"]


def requirement_files(repository: Path) -> list[Path]:
    files = sorted((repository / "setup").glob("*.txt"))
    assert len(files) == 5
    return [*files, *sorted((repository / "setup" / "locks").glob("*.txt"))]


def test_everything_is_pinned_once_for_each_python(repository: Path) -> None:
    requirements = pytest.importorskip("packaging.requirements")
    for file in requirement_files(repository):
        for version in PYTHONS:
            environment = {"python_version": version, "python_full_version": f"{version}.0"}
            seen: set[str] = set()
            for line in pins(file):
                requirement = requirements.Requirement(line)
                if requirement.marker and not requirement.marker.evaluate(environment):
                    continue
                assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), line
                assert requirement.name not in seen, f"{line} twice for Python {version}"
                seen.add(requirement.name)
                assert requirement.name.startswith("ros-") == file.name.startswith("ros-"), line


LOCKS = ("core", "models", "formats", "dev")


def test_the_locks_have_hashes_and_share_no_package(repository: Path) -> None:
    """With the names that each was made from, and core without what the others bring."""
    folder = repository / "setup" / "locks"
    assert {file.stem for file in folder.glob("*.txt")} == set(LOCKS)
    seen: dict[str, str] = {}
    for name in LOCKS:
        own = {re.split(r"[ =]", pin)[0] for pin in pins(folder / f"{name}.txt")}
        assert not own & set(seen), f"{name}.txt repeats {own & set(seen)}"
        seen |= dict.fromkeys(own, name)
        text = (folder / f"{name}.txt").read_text().replace("\\\n", " ")
        assert all("--hash=sha256:" in line for line in text.splitlines() if line[0] != "#")
        asked = (line for line in (folder / f"{name}.in").read_text().splitlines() if line)
        wanted = {re.split(r"[=<>]", line)[0].lower() for line in asked if line[0] != "#"}
        assert wanted <= set(seen)
    heavy = {"torch", "transformers", "spacy", "pandas", "seaborn", "dash", "flask", "open3d-cpu"}
    core = {name for name, lock in seen.items() if lock == "core"}
    assert not core & heavy
    assert len(core) < 40


def test_setup_reads_all_locks(repository: Path) -> None:
    lines = (repository / "setup" / "requirements.txt").read_text().splitlines()
    assert [line for line in lines if line[0] != "#"] == [f"-r locks/{name}.txt" for name in LOCKS]


@pytest.mark.parametrize("is_right", [True, False])
def test_setup_refuses_another_file_than_the_lock_means(
    repository: Path, tmp_path: Path, is_right: bool
) -> None:
    """By uv alone, also where a list has pins without hashes, as those of the ROS 2 wheels."""
    for name in ("one", "other"):
        with zipfile.ZipFile(tmp_path / f"{name}-1-py3-none-any.whl", "w") as archive:
            texts = {"METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "RECORD": ""}
            texts["WHEEL"] = "Wheel-Version: 1.0\nTag: py3-none-any\n"
            for file, text in texts.items():
                archive.writestr(f"{name}-1.dist-info/{file}", text)
    content = (tmp_path / "one-1-py3-none-any.whl").read_bytes()
    sha256 = hashlib.sha256(content).hexdigest() if is_right else "0" * 64
    (tmp_path / "list.txt").write_text(f"one==1 --hash=sha256:{sha256}\nother==1\n")
    setup = prepare(repository).Setup(Path(sys.prefix), "jazzy")
    if not Path(setup._uv("install")[0]).exists():
        pytest.skip("this environment was not made by `make setup`")
    options = ("--no-deps", "--no-index", "--find-links", tmp_path, "--no-cache")
    place = ("--target", tmp_path / "installed")
    result = subprocess.run(
        setup._uv("install", *options, *place, "-r", tmp_path / "list.txt"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode == 0) == is_right, result.stderr
    assert is_right or "Hash mismatch" in result.stderr


def test_pins_fit_what_setup_py_asks_for(repository: Path) -> None:
    requirements = pytest.importorskip("packaging.requirements")
    tree = ast.parse((repository / "setup.py").read_text())
    asked = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[a-z][\w.-]*[<>=]=?[\w.,<>=]+(; .*)?", node.value)
        and not node.value.startswith(("==", ">="))
    ]
    assert len(asked) > 10
    pinned = {}
    for line in (line for file in requirement_files(repository) for line in pins(file)):
        requirement = requirements.Requirement(line)
        version = str(requirement.specifier).removeprefix("==")
        pinned.setdefault(requirement.name.replace(".", "-").lower(), set()).add(version)
    not_installed = {
        "pyrobosim"
    }  # `make setup` leaves it out: its tests say so where it is missing
    for text in asked:
        requirement = requirements.Requirement(text)
        if requirement.name in not_installed:
            continue
        if requirement.marker and not requirement.marker.evaluate(LINUX_PC):
            continue
        for version in pinned[requirement.name.replace(".", "-").lower()]:
            assert requirement.specifier.contains(version), f"{text} against the pin {version}"


def test_setup_py_takes_name_and_version_from_the_manifest(repository: Path, manifest) -> None:
    pytest.importorskip("setuptools", reason="needs setuptools")
    result = subprocess.run(
        [sys.executable, "setup.py", "--name", "--version"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split()[-2:] == [manifest.name, manifest.version]


def test_environment_is_complete() -> None:
    """The lists are installed without pip's resolver, so its check runs here."""
    try:
        metadata.version("ros-rclpy")
    except metadata.PackageNotFoundError:
        pytest.skip("this environment was not made from the pinned wheels")
    result = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False
    )
    problems = [
        line
        for line in result.stdout.splitlines()
        if ("requires" in line or "has requirement" in line)
        and not re.search(rf"requires ({'|'.join(LEFT_OUT)}),", line)
    ]
    assert not problems, "\n".join(problems)


def prepare(repository: Path):
    """The module setup/prepare.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("prepare", repository / "setup" / "prepare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_the_bridges_read_is_installed(repository: Path) -> None:
    """Their tests skip themselves without these messages; `make setup` builds what is missing."""
    if not (Path(sys.prefix) / "stamps" / "interfaces").is_file():
        pytest.skip("this environment was not made by `make setup`")
    packages = [file.parent.name for file in repository.glob("test/interfaces/*/package.xml")]
    assert {"hydra_msgs", "nav2_msgs", "tf2_msgs", "vision_msgs"} <= set(packages)
    assert not [package for package in packages if importlib.util.find_spec(package) is None]


def test_open3d_is_installed_unless_it_was_left_out(repository: Path) -> None:
    """Tests of meshes and point clouds skip themselves without it; `make setup` says when."""
    environment = Path(sys.prefix)
    if not (environment / "stamps" / "packages").is_file():
        pytest.skip("this environment was not made by `make setup`")
    choice = environment / "FCP_OPEN3D"
    if choice.is_file() and choice.read_text() == "none":
        pytest.skip("FCP_OPEN3D=none")
    if not prepare(repository).has_open3d_build():
        pytest.skip("Open3D has no build for this system")
    pin = next(
        line
        for line in pins(repository / "setup" / "locks" / "formats.txt")
        if line.startswith("open3d-cpu==")
    )
    result = subprocess.run(
        [sys.executable, "-c", "import open3d; print(open3d.__version__)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.split()[-1:] == [pin.removeprefix("open3d-cpu==")], result.stderr


# --- one command for developers and for continuous integration ------------------------------------


def test_continuous_integration_runs_make_test(repository: Path) -> None:
    script = repository / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "exec make test" in script.read_text()
