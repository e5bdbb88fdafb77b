# SPDX-License-Identifier: Apache-2.0
"""The first ten outcomes: ``python benchmark/grounding.py first``.

A model judges four predicates. One of them, with ten outcomes or none, is scored, *alone* (the
others were never tried) and *taught* (the others have `TAUGHT` outcomes each):

- *error*: mean squared distance of degree and true rate, over all contexts that may be tried;
- *ECE*: expected calibration error against the true rates over contexts never tried, of which there
  are so many that chance adds nothing to it.

Beside them the figures of a judge who knows in which way the model is wrong (`grounding_limit.py`):
what ten outcomes can tell at best. 95 % intervals over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from grounding_limit import KnowingJudge, Tried
from grounding_models import (
    HONEST,
    MISTAKES,
    RIGHT,
    Judged,
    Mistake,
    ModelTrial,
    copy_oracle,
    make_judged,
)
from grounding_simulated import (
    BIASED,
    CALIBRATED,
    Floats,
    Oracle,
    mean_of,
    squared_error,
    true_calibration_error,
)
from rich.console import Console
from rich.table import Table

TEN = 10
TAUGHT = 30
SCORED = 3
"""The place of the predicate that is scored."""
FULL_SEEDS, QUICK_SEEDS = 30, 6
BEFORE, ALONE, UNTRIED, TAUGHT_TEN = "before", "alone, 10", "taught, 0", "taught, 10"
STAGES = (BEFORE, ALONE, UNTRIED, TAUGHT_TEN)


@dataclass(frozen=True)
class FirstOutcomes:
    """The errors of one kind of model, for each stage those of each seed.

    Attributes:
        name: of the mistake.
        errors: mean squared distance to the true rates.
        eces: calibration error on contexts never tried.
        least_eces: the same for the judge who knows the kind of mistake; empty if there is none.
    """

    name: str
    errors: Mapping[str, Sequence[float]]
    eces: Mapping[str, Sequence[float]]
    least_eces: Mapping[str, Sequence[float]]


def learn_first(mistake: Mistake, oracle: Oracle | None, seeds: range) -> FirstOutcomes:
    """Let a robot act in one world a seed.

    Args:
        mistake: of the model.
        oracle: the same as an oracle of the first family, for the limit; None: not one of them.
        seeds: of the worlds.
    """
    errors: dict[str, list[float]] = {stage: [] for stage in STAGES}
    eces: dict[str, list[float]] = {stage: [] for stage in STAGES}
    least: dict[str, list[float]] = {stage: [] for stage in STAGES}
    judge = KnowingJudge(oracle) if oracle is not None and not oracle.honest else None
    for seed in seeds:
        for stage in STAGES:
            random = np.random.default_rng(seed)
            judged = make_judged(mistake, random, even=oracle is not None)
            trial = ModelTrial(judged, random)
            one = judged[SCORED]
            if stage in (UNTRIED, TAUGHT_TEN):
                for place in range(SCORED):
                    trial.act(place, TAUGHT)
            if stage in (ALONE, TAUGHT_TEN):
                trial.act(SCORED, TEN)
            degrees = trial.ask(SCORED)
            errors[stage].append(squared_error(degrees[: one.tried], one.rates[: one.tried]))
            eces[stage].append(_score_fresh(degrees, one))
            if judge is not None:
                known = judge.judge(
                    one.priors,
                    _list_outcomes(trial, SCORED),
                    [item for place in range(SCORED) for item in _list_outcomes(trial, place)],
                )
                least[stage].append(_score_fresh(known, one))
    return FirstOutcomes(mistake.name, errors, eces, least if judge is not None else {})


def _score_fresh(degrees: Floats, one: Judged) -> float:
    return true_calibration_error(degrees[one.tried :], one.rates[one.tried :])


def _list_outcomes(trial: ModelTrial, place: int) -> list[Tried]:
    """List the outcomes of each context that may be tried."""
    one = trial.judged[place]
    seen: dict[str, list[float]] = {key: [] for key in one.keys[: one.tried]}
    for evidence in trial.calibrator.store.entries(one.predicate):
        seen[evidence.context_key].append(evidence.quality)
    return [
        Tried(prior, int(sum(found)), len(found) - int(sum(found)))
        for prior, found in zip(one.priors.tolist(), seen.values(), strict=False)
    ]


def show_first(title: str, found: Sequence[FirstOutcomes], console: Console) -> None:
    """Show calibration errors beside the limit, and the changes of the error."""
    table = Table(title=f"{title}: ECE on contexts never tried (in brackets: the limit)")
    table.add_column("model")
    for stage in STAGES:
        table.add_column(stage, justify="right")
    table.add_column("change of the error by 10, alone", justify="right")
    table.add_column("by 10 and teaching", justify="right")
    for one in found:
        cells = []
        for stage in STAGES:
            cell = f"{np.mean(one.eces[stage]):.3f}"
            if one.least_eces:
                cell += f" ({np.mean(one.least_eces[stage]):.3f})"
            cells.append(cell)
        changes = [
            mean_of(np.subtract(one.errors[stage], one.errors[BEFORE]).tolist())
            for stage in (ALONE, TAUGHT_TEN)
        ]
        table.add_row(one.name, *cells, *(str(change) for change in changes))
    console.print(table)
    for stage in (ALONE, TAUGHT_TEN):
        kinds = [np.subtract(one.errors[stage], one.errors[BEFORE]) for one in found]
        change = mean_of(np.mean(kinds, axis=0).tolist())
        worst = max(found, key=lambda one, stage=stage: _mean_change(one, stage))  # type: ignore[misc]
        console.print(
            f"{stage}: over all kinds the error changes by {change}; the worst kind is "
            f"{worst.name!r} ({_mean_change(worst, stage):+.4f})"
        )


def _mean_change(one: FirstOutcomes, stage: str) -> float:
    return float(np.mean(one.errors[stage]) - np.mean(one.errors[BEFORE]))


def run(console: Console, quick: bool = False) -> None:
    """Run both families of worlds and show them.

    Args:
        console: where.
        quick: few seeds.
    """
    seeds = range(QUICK_SEEDS if quick else FULL_SEEDS)
    oracles = (*BIASED, *CALIBRATED)
    show_first(
        "One mistake for all predicates",
        [learn_first(copy_oracle(oracle), oracle, seeds) for oracle in oracles],
        console,
    )
    kinds = (*MISTAKES, HONEST, RIGHT)
    show_first("Other mistakes", [learn_first(mistake, None, seeds) for mistake in kinds], console)
