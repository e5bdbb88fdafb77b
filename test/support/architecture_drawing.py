# SPDX-License-Identifier: Apache-2.0
"""The picture and the table of folders in docs/architecture.md, made from the package itself.

``python test/support/architecture_drawing.py`` writes both again; a test compares them. Layers and
their order come from `layer_tables`, arrows from the imports, and roles from docstrings.
"""

from __future__ import annotations

import ast

from layer_tables import BESIDE, LAYERS, ROS_ALLOWED_IN
from package_source import REPOSITORY, Module, read_modules

PAGE = REPOSITORY / "docs" / "architecture.md"

Arrow = tuple[str, str]


def find_arrows(modules: dict[str, Module], layers: list[str]) -> list[Arrow]:
    """Find the imports among layers, without those that follow from others."""
    imported: dict[str, set[str]] = {layer: set() for layer in layers}
    for module in modules.values():
        own = module.name.split(".")[1:2]
        targets = {name.split(".")[1] for name in module.imports if name.startswith("fcp_ros.")}
        if own and own[0] in imported:
            imported[own[0]] |= targets & imported.keys() - set(own)

    def find_reachable(layer: str) -> set[str]:
        return set().union(*({one} | find_reachable(one) for one in imported[layer]))

    return [
        (one, other)
        for one in layers
        for other in sorted(imported[one])
        if not any(other in find_reachable(middle) for middle in imported[one])
    ]


def get_role(module: Module) -> str:
    """Return the first line of a module's docstring, without its full stop."""
    lines = (ast.get_docstring(module.tree) or "").splitlines()
    return lines[0].rstrip(".").replace("``", "`") if lines else ""


def render_picture(modules: dict[str, Module]) -> str:
    """Return the layers and their imports as a flowchart of Mermaid."""
    layers = [*reversed(BESIDE), *reversed(LAYERS)]
    rows = ["```mermaid", "flowchart TD"]
    for layer in layers:
        role = get_role(modules[f"fcp_ros.{layer}"]).replace("`", "").replace('"', "#quot;")
        rows.append(f'  {layer}["<b>{layer}</b><br>{role}"]')
    rows += [f"  {one} --> {other}" for one, other in find_arrows(modules, layers)]
    rows += [f"  style {layer} fill:#e3edf9" for layer in layers if layer in ROS_ALLOWED_IN]
    return "\n".join([*rows, "```\n"])


def render_table(modules: dict[str, Module]) -> str:
    """Return the table of folders, with the first lines of their docstrings."""
    rows = ["| folder of `fcp_ros/` | holds |", "| --- | --- |"]
    for module in modules.values():
        if module.is_folder and module.name != "fcp_ros":
            path = "/".join(module.name.split(".")[1:])
            role = get_role(module).replace("|", r"\|")
            rows.append(f"| [`{path}`](../fcp_ros/{path}/__init__.py) | {role} |")
    return "\n".join(rows) + "\n"


def render() -> str:
    """Return the page as it should be."""
    modules, page = read_modules(), PAGE.read_text(encoding="utf-8")
    for name, part in (("layers", render_picture(modules)), ("folders", render_table(modules))):
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}{part}{end}{rest.partition(end)[2]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
