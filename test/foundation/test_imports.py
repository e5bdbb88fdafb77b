# SPDX-License-Identifier: Apache-2.0
"""Deferred imports: nothing is imported before it is used, and then it is the right thing."""

import builtins
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import pytest

import fcp_ros
from fcp_ros.foundation.imports import defer_imports

PACKAGE = Path(fcp_ros.__file__).parent
FRONT_DOORS = sorted(
    path.parent.name
    for path in PACKAGE.glob("*/__init__.py")
    if "defer_imports(__name__)" in path.read_text()
)
INIT = """
from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from {name}.shapes import Circle
    from {name}.shapes import draw as paint
    from {name}.broken import Nothing

__all__ = ["Circle", "Nothing", "paint"]
"""


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """A package with deferred imports, under a name of its own."""
    name = f"deferring_{abs(hash(request.node.name))}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT.format(name=name))
    (folder / "shapes.py").write_text("class Circle: ...\ndef draw(): return 'drawn'\n")
    (folder / "broken.py").write_text("import json\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module(name)
    for module in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[module]


def test_a_name_is_imported_when_it_is_used(package):
    assert f"{package.__name__}.shapes" not in sys.modules
    assert package.paint() == "drawn"
    assert sys.modules[f"{package.__name__}.shapes"].draw is package.paint
    assert package.Circle is vars(package)["Circle"]  # found without a detour from now on


def test_modules_of_the_package_are_found_beside_its_names(package):
    module = import_module(f"{package.__name__}.shapes")
    scope = {}
    exec(f"from {package.__name__} import Circle, shapes", scope)
    assert (scope["shapes"], scope["Circle"]) == (module, module.Circle)


def test_a_package_lists_its_names_before_they_are_imported(package):
    assert {"Circle", "Nothing", "paint"} <= set(dir(package))
    assert "draw" not in dir(package)


def test_what_a_package_does_not_have_is_missing(package):
    assert not hasattr(package, "Square")
    with pytest.raises(ImportError, match="Square"):
        exec(f"from {package.__name__} import Square")
    with pytest.raises(AttributeError, match="Nothing"):  # it is not in its module
        _ = package.Nothing


def test_imports_elsewhere_are_not_deferred(monkeypatch):
    """The body of `defer_imports` may run while other threads import other modules."""
    monkeypatch.setitem(sys.modules, "front_door", type(sys)("front_door"))
    front_door = sys.modules["front_door"]
    inside = threading.Barrier(2)

    def defer():
        with defer_imports("front_door"):
            inside.wait(10.0)
            exec("from json import dumps", vars(front_door))
            inside.wait(10.0)

    usual = builtins.__import__
    thread = threading.Thread(target=defer)
    thread.start()
    inside.wait(10.0)
    elsewhere = {"__name__": "elsewhere"}
    exec("from json import dumps", elsewhere)
    inside.wait(10.0)
    thread.join(10.0)
    assert elsewhere["dumps"]([]) == "[]"
    assert "dumps" not in vars(front_door)
    assert front_door.dumps([]) == "[]"
    assert builtins.__import__ is usual


def test_there_are_front_doors():
    assert {"cset", "domain", "grounding", "planning", "scene"} <= set(FRONT_DOORS)


@pytest.mark.parametrize("layer", FRONT_DOORS)
def test_a_front_door_imports_no_module_of_its_layer(layer):
    program = f"import sys, fcp_ros.{layer}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    loaded = answer.stdout.split()
    assert [name for name in loaded if name.startswith(f"fcp_ros.{layer}.")] == []
    assert "numpy" not in loaded


@pytest.mark.parametrize("layer", FRONT_DOORS)
def test_each_name_of_a_front_door_is_there_and_hides_no_module(layer):
    package = import_module(f"fcp_ros.{layer}")
    assert [name for name in package.__all__ if getattr(package, name, None) is None] == []
    assert set(package.__all__) <= set(dir(package))
    modules = {path.stem for path in (PACKAGE / layer).iterdir() if not path.stem.startswith("_")}
    assert not modules & set(package.__all__)  # Python would put the module in the name's place
