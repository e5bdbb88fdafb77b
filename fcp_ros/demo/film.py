# SPDX-License-Identifier: Apache-2.0
"""A short film: a sentence, its plan, and the robot that carries it out in the physics world."""

from __future__ import annotations

import datetime
import io
import math
import platform
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.physics import PhysicsError, PhysicsWorld
from fcp_ros.execution.physics.pictures import (
    SIDES,
    Painter,
    open_painter,
    view_of_all,
    view_of_robot,
)
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding import make_grounder
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import Judged, PlanningOptions, PlanningRequest, PlanningResult
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.report.demo_report import DemoReport, Episode, StepOutcome, describe_understanding
from fcp_ros.scene import SceneGraph, load_scene

WIDTH, HEIGHT = 400, 300
"""Of each of the two pictures (pixels)."""
LINE = 18
"""Height of a line of the plan (pixels)."""
FRAME_SECONDS = 0.12
"""A frame is shown for so long; half a second passes in the world meanwhile."""
LAST_SECONDS = 2.0
QUALITY, QUALITY_OF_STEPS = 45, 70
DONE, AT_WORK, TO_COME, FAILED = "#2a7a2a", "#b04a00", "#777777", "#b00000"


class FilmError(InputError):
    """Nothing can be filmed: one sentence why."""


@dataclass(frozen=True, slots=True)
class Filmed:
    """An instruction that was carried out."""

    episode: Episode  # with a frame after each step, if anything here draws
    unfilmed: str  # the reason why there is no film; "" if there is one

    @property
    def succeeded(self) -> bool:
        return self.episode.as_expected


def make_film(scene: str, domain: str, instruction: str, path: Path, seed: int = 0) -> Filmed:
    """Plan what a sentence asks, have it done in a world with physics, and write an animation.

    Raises FilmError (no plan), PhysicsError (no MuJoCo), DomainError, SceneError. `path`: .webp or
    .gif; it is not written where nothing can draw.
    """
    graph = load_scene(find_scene(scene))
    interpretation, result = _plan(graph, domain, instruction)
    assert result.plan is not None
    steps = result.plan.steps
    world = PhysicsWorld(graph, seed)
    robot = next(iter(world.robots()), "")
    if not robot:
        raise FilmError(f"There is no robot in {scene}: nobody could be filmed.")
    with ExitStack() as stack:
        painter, unfilmed = None, ""
        try:
            _open_canvas(1, 1)
            painter = stack.enter_context(open_painter(world.arena, WIDTH, HEIGHT))
        except PhysicsError as error:
            unfilmed = str(error)
        camera = _Camera(world, robot, instruction, steps, painter)
        outcomes = _carry_out(world, steps, camera)
        camera.write(path)
    return Filmed(
        _describe(interpretation, result, graph, outcomes, camera.after, world.notes), unfilmed
    )


def _carry_out(
    world: PhysicsWorld, steps: Sequence[PlanStep], camera: _Camera
) -> tuple[StepOutcome, ...]:
    outcomes: list[StepOutcome] = []
    for number, step in enumerate(steps):
        camera.step, began = number, world.time
        outcome = world.perform(step, lambda _progress, _message: camera.shoot())
        outcomes.append(
            StepOutcome(
                number,
                str(step),
                outcome.code,
                world.time - began,
                outcome.quality,
                outcome.message,
            )
        )
        camera.shoot()
        camera.keep()
        if not outcome.succeeded:
            camera.failure = outcome.message
            break
    camera.step = len(outcomes)
    camera.shoot()
    return tuple(outcomes)


def _describe(
    interpretation: Interpretation,
    result: PlanningResult,
    graph: SceneGraph,
    outcomes: tuple[StepOutcome, ...],
    frames: Sequence[bytes],
    notes: Sequence[str],
) -> Episode:
    assert result.plan is not None
    done = sum(one.outcome is OutcomeCode.SUCCEEDED for one in outcomes)
    failures = [one.message for one in outcomes if one.outcome is not OutcomeCode.SUCCEEDED]
    assumed = f" Assumed: {'; '.join(notes)}." if notes else ""
    best = interpretation.best
    return Episode(
        number="1",
        title=interpretation.instruction,
        story=f"Carried out in a world in which MuJoCo decides what comes of each step.{assumed}",
        goal=best.goal if best is not None else "",
        alpha=result.plan.alpha,
        result=result,
        scene=graph,
        outcomes=outcomes,
        replans=0,
        calibration=(),
        expectation="every step succeeds",
        as_expected=done == len(result.plan.steps),
        verdict=" ".join(
            (
                f"Membership {result.plan.membership:.2f};",
                f"{done} of {len(result.plan.steps)} steps succeeded.",
                *failures,
            )
        ),
        understood=describe_understanding(interpretation),
        frames=tuple(frames),
    )


def make_report(filmed: Filmed, scene: str, domain: str) -> DemoReport:
    """Make the report of a film, to be written as a page or as JSON."""
    episode = filmed.episode
    plan = episode.result.plan
    judged = () if plan is None else (*plan.goal_judgements, *_list_judgements(plan.steps))
    versions = [("Python", platform.python_version())]
    versions += [(name, version(name)) for name in ("mujoco", "numpy")]
    return DemoReport(
        title="A sentence carried out in physics",
        scene=scene,
        domain=domain,
        oracle=", ".join(sorted({one.membership.source for one in judged})) or "nobody",
        environment=tuple(versions),
        created=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        episodes=(episode,),
    )


def _list_judgements(steps: Sequence[PlanStep]) -> Iterator[Judged]:
    for step in steps:
        yield from step.judgements


def _plan(
    graph: SceneGraph, domain: str, instruction: str
) -> tuple[Interpretation, PlanningResult]:
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
    return answer.interpretation, answer.result


@dataclass
class _Camera:
    """Shoots the world from above and over the robot's shoulder, beside the plan."""

    world: PhysicsWorld
    robot: str
    title: str
    steps: Sequence[PlanStep]
    painter: Painter | None  # None: nothing here draws, and no picture is taken
    step: int = 0  # the one that is being done
    failure: str = ""
    after: list[bytes] = field(default_factory=list)  # pictures that were kept, as WebP
    _side: float = SIDES[0]  # from which the robot was seen last: cameras don't jump to and fro
    _frames: list[Any] = field(default_factory=list)

    def keep(self) -> None:
        """Keep what both cameras saw last."""
        if self._frames:
            kept = io.BytesIO()
            last = self._frames[-1].crop((0, 0, 2 * WIDTH, HEIGHT))
            last.save(kept, "WEBP", quality=QUALITY_OF_STEPS)
            self.after.append(kept.getvalue())

    def shoot(self) -> None:
        if self.painter is None:
            return
        image, draw, fonts = _open_canvas(2 * WIDTH, HEIGHT + LINE * (len(self.steps) + 2) + 12)
        arena = self.world.arena
        near = view_of_robot(arena, self.robot, self._side)
        self._side = near.azimuth - math.degrees(arena.pose(self.robot).yaw)
        views = (view_of_all(arena), near)
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
        """Write the frames, if there are any, as an animation that is repeated."""
        if not self._frames:
            return
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
