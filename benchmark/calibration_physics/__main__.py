# SPDX-License-Identifier: Apache-2.0
"""What calibration learns from physics: ``python -m benchmark.calibration_physics``.

Random picks and places over 30 categories and 4 supports (``trials.py``). The degrees that the
household domain states for `can_grasp` and `stable_enough` are compared with the frequencies of
held-out trials, before and after the calibrator has seen 10, 100, 1,000 outcomes of the others
(``learning.py``). Then household goals that leave a choice are tried with prior degrees, with
calibrated ones and with none (``goals.py``). Exits with 1 when a goal is missed.

``--quick``: 240 trials and 20 goals, some 80 s of CPU; all: 2,000 and 200, some 12 minutes. Goes on
where it was broken off, with ``--folder``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmark.calibration_physics.goals import (
    ROWS,
    Attempt,
    find_interval,
    make_sources,
    resume_goals,
)
from benchmark.calibration_physics.learning import (
    Comparison,
    learn,
    list_things,
    observe,
    record,
    show_learning,
    show_trials,
)
from benchmark.calibration_physics.picture import draw_calibration
from benchmark.calibration_physics.trials import Trial, resume_trials
from benchmark.tables import Line, Part, Verdict, finish, open_console, show_part
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.package_files import find_domain

PREDICATES = ("can_grasp", "stable_enough")
TRIALS, QUICK_TRIALS = 2000, 240
GOALS, QUICK_GOALS = 200, 20
LEARNT = 1000  # Trials whose outcomes the calibrated degrees of the goals rest on
ALPHAS = (0.5, 0.6, 0.7, 0.8, 0.9)
LEAST_ACCEPTED = 10  # Plans, for the share of them that succeed to say anything


def main(
    quick: Annotated[bool, typer.Option("--quick", help="240 trials, 20 goals.")] = False,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Keep what was tried there, and go on from it.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the result: an SVG file.")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="All figures as JSON.")] = None,
) -> None:
    """Run the trials, show tables, and the goals."""
    console = open_console()
    domain = load_domain(find_domain("household"))
    trials, goals = (QUICK_TRIALS, QUICK_GOALS) if quick else (TRIALS, GOALS)
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        with console.status("picks and places"):
            found = resume_trials(place / "trials.jsonl", trials, seed)
        learnt = {name: _learn(name, found, domain) for name in PREDICATES}
        with console.status("goals"):
            attempts = _try_goals(place / "goals.jsonl", goals, seed, domain, found)
    parts = [show_trials(found)]
    parts += [show_learning(name, comparisons) for name, comparisons in learnt.items()]
    parts += [show_goals(attempts), show_alphas(attempts)]
    if picture is not None:
        picture.write_text(draw_calibration(learnt, attempts), encoding="utf-8")
    for part in parts:
        show_part(part, console)
    finish(parts, console, output, trials=len(found), seed=seed)


def _learn(name: str, trials: Sequence[Trial], domain: Domain) -> list[Comparison]:
    instance = scene_to_instance(list_things(), domain.schema, domain.mapping).instance
    grounder = make_sources(domain, CalibrationStore(":memory:"))["calibrated"]
    return learn(grounder, observe(name, trials, grounder, instance))


def _try_goals(
    path: Path, count: int, seed: int, domain: Domain, trials: Sequence[Trial]
) -> list[Attempt]:
    """Try goals, in other worlds than those of the trials that are learnt from."""
    instance = scene_to_instance(list_things(), domain.schema, domain.mapping).instance
    sources = make_sources(domain, CalibrationStore(":memory:"))
    for name in PREDICATES:
        calibrated = sources["calibrated"]
        record(calibrated, observe(name, trials[:LEARNT], calibrated, instance))
    return resume_goals(path, count, seed, domain, sources)


def show_goals(attempts: Sequence[Attempt]) -> Part:
    """Show how many plans succeed at the first try, by the degrees they were made with."""
    lines, rates = [], {}
    for row in ROWS:
        mine = [one for one in attempts if one.row == row]
        done = sum(one.succeeded for one in mine)
        low, high = find_interval(done, len(mine))
        rates[row] = done / max(1, len(mine))
        figures = {
            "goals": len(mine),
            "succeeded": done,
            "share": rates[row],
            "95 % from": low,
            "to": high,
            "mean membership": sum(one.membership for one in mine) / max(1, len(mine)),
        }
        lines.append(Line("goals", f"degrees {row}", figures))
    up = Verdict(
        "first try with calibrated degrees above that with prior ones",
        f"{rates['calibrated']:.3f}",
        f"above {rates['prior']:.3f}",
        rates["calibrated"] > rates["prior"],
    )
    return Part("goals", lines, [up])


def show_alphas(attempts: Sequence[Attempt]) -> Part:
    """Show how many of the plans accepted at each alpha succeed."""
    lines, misses = [], []
    for row in ROWS[1:]:
        for alpha in ALPHAS:
            accepted = [a for a in attempts if a.row == row and a.membership >= alpha]
            done = sum(one.succeeded for one in accepted)
            low, high = find_interval(done, len(accepted))
            figures = {
                "alpha": alpha,
                "accepted": len(accepted),
                "succeeded": done / len(accepted) if accepted else None,
                "95 % from": low,
                "to": high,
            }
            lines.append(Line("alpha", f"degrees {row}", figures))
            if row == "calibrated" and len(accepted) >= LEAST_ACCEPTED and high < alpha:
                misses.append(alpha)
    kept = Verdict(
        "calibrated plans accepted at alpha succeed at least at that rate, within the interval",
        "not at " + ", ".join(f"{alpha:g}" for alpha in misses) if misses else "at each alpha",
        "at each alpha",
        not misses,
    )
    return Part("alpha", lines, [kept])


if __name__ == "__main__":
    typer.run(main)
