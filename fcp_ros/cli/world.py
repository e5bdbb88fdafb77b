# SPDX-License-Identifier: Apache-2.0
"""``fcp world``: a scene as a world with physics, as a file or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.terminal import (
    check_outputs,
    escape_text,
    explain_errors,
    fail,
    open_console,
    show_progress,
)
from fcp_ros.execution.physics import PhysicsError, PhysicsWorld
from fcp_ros.package_files import find_scene
from fcp_ros.scene import load_scene

app = typer.Typer(add_completion=False)

PICTURES = (".png", ".jpg", ".webp")


@app.command()
def world(
    scene: Annotated[
        str, typer.Argument(help="A file of any supported format, or a name of this package's.")
    ],
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            help="world.xml for MuJoCo's viewer (python -m mujoco.viewer --mjcf=world.xml), or a "
            "picture (.png, .jpg, .webp); may be repeated.",
        ),
    ] = None,
    width: Annotated[int, typer.Option(help="Of a picture, in pixels.", min=16, max=1280)] = 960,
    height: Annotated[int, typer.Option(help="Of a picture, in pixels.", min=16, max=960)] = 720,
) -> None:
    """Make a world with physics of a scene: a file for MuJoCo's viewer, or a picture."""
    targets = out or [Path("world.xml")]
    for path in targets:
        if path.suffix.lower() not in (".xml", *PICTURES):
            fail(f"{path}: write world.xml for MuJoCo, or a picture ({', '.join(PICTURES)})")
    check_outputs(targets, (scene,))
    console = open_console()
    with explain_errors():
        with show_progress("Letting everything settle"):
            made = PhysicsWorld(load_scene(find_scene(scene)))
        for path in targets:
            if path.suffix.lower() == ".xml":
                path.write_text(made.to_mjcf(), encoding="utf-8")
            else:
                _draw(made, path, width, height)
            console.print(escape_text(str(path)), soft_wrap=True)
    for note in made.notes:
        console.print(f"  note: {escape_text(note)}", soft_wrap=True)


def _draw(made: PhysicsWorld, path: Path, width: int, height: int) -> None:
    from fcp_ros.execution.physics.pictures import open_painter, view_of_all

    try:
        from PIL import Image
    except ImportError as error:
        raise PhysicsError("Pictures need Pillow: run `pip install pillow`.") from error
    with open_painter(made.arena, width, height) as painter:
        Image.fromarray(painter.draw(view_of_all(made.arena))).save(path)
