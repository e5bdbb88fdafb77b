# SPDX-License-Identifier: Apache-2.0
"""A short film: a sentence, its plan, and the robot that carries it out in the physics world."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.execution.outcome import Outcome
from fcp_ros.execution.physics import PhysicsError, PhysicsWorld
from fcp_ros.execution.physics.pictures import Painter, open_painter, view_of_all, view_of_robot
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding import make_grounder
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.registry import ReaderOptions, make_reader
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.scene import SceneGraph, load_scene

WIDTH, HEIGHT = 400, 300
"""Of each of the two pictures (pixels)."""
LINE = 18
"""Height of a line of the plan (pixels)."""
FRAME_SECONDS = 0.12
"""A frame is shown for so long; half a second passes in the world meanwhile."""
LAST_SECONDS = 2.0
QUALITY = 45
DONE, AT_WORK, TO_COME, FAILED = "#2a7a2a", "#b04a00", "#777777", "#b00000"


class FilmError(InputError):
    """Nothing can be filmed: one sentence why."""


@dataclass(frozen=True, slots=True)
class Filmed:
    """The contents of a film."""

    understood: str
    steps: tuple[PlanStep, ...]
    outcomes: tuple[Outcome, ...]  # of the steps that were begun

    @property
    def succeeded(self) -> bool:
        done = [outcome.succeeded for outcome in self.outcomes]
        return len(done) == len(self.steps) and all(done)


def make_film(scene: str, domain: str, instruction: str, path: Path, seed: int = 0) -> Filmed:
    """Plan what a sentence asks, have it done in a world with physics, and write an animation.

    Raises FilmError (no plan), PhysicsError (no MuJoCo, nothing to draw with), DomainError,
    SceneError. `path`: .webp or .gif.
    """
    graph = load_scene(find_scene(scene))
    understood, steps = _plan(graph, domain, instruction)
    world = PhysicsWorld(graph, seed)
    robot = next(iter(world.robots()), "")
    if not robot:
        raise FilmError(f"There is no robot in {scene}: nobody could be filmed.")
    with open_painter(world.arena, WIDTH, HEIGHT) as painter:
        camera = _Camera(world, robot, instruction, steps, painter)
        outcomes = []
        for number, step in enumerate(steps):
            camera.step = number
            outcomes.append(world.perform(step, lambda _progress, _message: camera.shoot()))
            camera.shoot()
            if not outcomes[-1].succeeded:
                camera.failure = outcomes[-1].message
                break
        camera.step = len(outcomes)
        camera.shoot()
        camera.write(path)
    return Filmed(understood, steps, tuple(outcomes))


def _plan(graph: SceneGraph, domain: str, instruction: str) -> tuple[str, tuple[PlanStep, ...]]:
    known = load_domain(find_domain(domain))
    state = scene_to_instance(graph, known.schema, known.mapping)
    with closing(make_grounder(known)) as grounder:
        request = PlanningRequest(known, state.instance, "", PlanningOptions(), grounder)
        context = ReadingContext(known, state.instance, is_unseen=state.facts.is_unseen)
        answer = plan_instruction(request, instruction, make_reader(ReaderOptions()), context)
    plan = answer.result.plan
    if plan is None or not answer.result.status.solved:
        raise FilmError(f"There is no plan for {instruction!r}: {answer.result.message}")
    if not plan.steps:
        raise FilmError(f"Nothing is to be done for {instruction!r}: {answer.result.message}")
    return answer.interpretation.message, plan.steps


@dataclass
class _Camera:
    """Shoots the world from above and over the robot's shoulder, beside the plan."""

    world: PhysicsWorld
    robot: str
    title: str
    steps: Sequence[PlanStep]
    painter: Painter
    step: int = 0  # the one that is being done
    failure: str = ""
    _frames: list[Any] = field(default_factory=list)

    def shoot(self) -> None:
        """Add a frame."""
        image, draw, fonts = _open_canvas(2 * WIDTH, HEIGHT + LINE * (len(self.steps) + 2) + 12)
        views = (view_of_all(self.world.arena), view_of_robot(self.world.arena, self.robot))
        for number, view in enumerate(views):
            image.paste(fonts.picture(self.painter.draw(view)), (number * WIDTH, 0))
        y = HEIGHT + 6
        draw.text((8, y), f"\u201c{self.title}\u201d", fill="#111111", font=fonts.large)
        for number, step in enumerate(self.steps):
            y += LINE
            colour = DONE if number < self.step else AT_WORK if number == self.step else TO_COME
            if number == self.step and self.failure:
                colour = FAILED
            # Signs are drawn: the font of Pillow has none.
            corners = ((10, y + 6), (10, y + 16), (19, y + 11))
            if number == self.step:
                draw.polygon(corners, fill=colour)
            else:
                draw.ellipse(
                    (10, y + 7, 18, y + 15),
                    outline=colour,
                    fill=colour if number < self.step else None,
                )
            draw.text((28, y + 4), str(step), fill=colour, font=fonts.small)
        if self.failure:
            draw.text((10, y + LINE + 4), self.failure, fill=FAILED, font=fonts.small)
        self._frames.append(image)

    def write(self, path: Path) -> None:
        """Write the frames as an animation that is repeated."""
        first, *rest = self._frames
        shown = round(1000 * FRAME_SECONDS)
        durations = [shown] * len(rest) + [round(1000 * LAST_SECONDS)]
        path.parent.mkdir(parents=True, exist_ok=True)
        first.save(
            path, save_all=True, append_images=rest, duration=durations, loop=0,
            quality=QUALITY, method=4,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Fonts:
    small: Any
    large: Any
    picture: Any  # makes an image of pixels


def _open_canvas(width: int, height: int) -> tuple[Any, Any, _Fonts]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise PhysicsError("Films need Pillow: run `pip install pillow`.") from error
    image = Image.new("RGB", (width, height), "white")
    fonts = _Fonts(ImageFont.load_default(12), ImageFont.load_default(15), Image.fromarray)
    return image, ImageDraw.Draw(image), fonts
