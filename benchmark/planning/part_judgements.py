# SPDX-License-Identifier: Apache-2.0
"""Part of the planning benchmark: how much is asked of a model, and in how many calls."""

from __future__ import annotations

from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN, Settings, our_line
from benchmark.planning.vague import (
    everything_to_ask,
    least_to_ask,
    vague_domain,
    vague_goal,
    vague_household,
)
from benchmark.rivals.ours import Job
from benchmark.tables import Line, Part, Verdict

CANDIDATES = (10, 30, 100, 300, 1_000)
LOWEST = 0.4
"""Degrees lie between this and 1."""
SHARE = 0.1
"""Goal: at most this share of what could be asked."""


def judgements_part(settings: Settings) -> Part:
    """Goals with 10 to 1,000 candidates, whose judgements are shared by kind or are their own."""
    lines: list[Line] = []
    verdicts: list[Verdict] = []
    for candidates in CANDIDATES[:3] if settings.quick else CANDIDATES:
        for shared in (True, False):
            task = f"{candidates:,} candidates, {'by kind' if shared else 'one by one'}"
            house = vague_household(candidates)
            scene = settings.folder / "vague.json"
            write_scene(house, scene)
            domain = settings.folder / "vague.yaml"
            text = HOUSEHOLD_DOMAIN.read_text(encoding="utf-8")
            domain.write_text(vague_domain(text, shared), encoding="utf-8")
            job = Job(
                str(domain),
                scene=str(scene),
                goal=vague_goal(house, shared),
                lowest=LOWEST,
                time_limit=settings.limits.seconds,
                repetitions=settings.repetitions,
            )
            run = settings.ours(job)
            everything = everything_to_ask(house, shared)
            line = our_line(task, run)
            asked = {
                "membership": run.membership,
                "asked": run.questions,
                "at least": least_to_ask(house, shared),
                "of": everything,
                "calls": run.batches,
            }
            lines.append(Line(task, line.who, {**line.figures, **asked}))
            share = run.questions / everything
            verdicts.append(
                Verdict(
                    f"{task}: asked",
                    f"{run.questions} of {everything} in {run.batches} calls",
                    f"at most {SHARE:.0%}",
                    share <= SHARE if run.solved else None,
                )
            )
    notes = [
        "at least: what a proof takes, unless a candidate turns out to be perfect; where that is",
        "more than a tenth, only a plan that is good enough, without the proof, can do with less.",
    ]
    return Part("judgements", lines, verdicts, notes)
