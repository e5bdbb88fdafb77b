# SPDX-License-Identifier: Apache-2.0
"""Names that mean the same: blocks and gripper of the IPC, and random worlds with torn names."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

from golden_cases import BENCH, Answer, Case
from random_adl import make_task as make_random
from torn_names import BLOCKS, GRIPPER, draw_tears, parse, read_files, simulate, tear

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentResult
from fcp_ros.alignment.comparison import align
from fcp_ros.alignment.pairing import make_task
from fcp_ros.alignment.synonyms import SynonymEvidence
from fcp_ros.domain.pddl.task_reader import PddlTexts

INSTANCES = (
    *(("blocks-strips-typed", number, BLOCKS) for number in range(1, 7)),
    *(("gripper-round-1-strips", number, GRIPPER) for number in range(1, 6)),
)
SEEDS, QUICK_SEEDS = 60, 12
OPTIONS = AlignmentOptions(time_limit=600.0)


def list_cases() -> Iterator[Case]:
    """Yield the instances, where they are there, and the seeds of worlds."""
    for folder, number, torn in INSTANCES:
        if (BENCH / "fluents" / folder).is_dir():
            yield Case(f"{folder} {number}", lambda it=(folder, number, torn): _align_instance(*it))
    for seed in range(SEEDS):
        yield Case(f"world {seed}", lambda seed=seed: _align_world(seed), seed < QUICK_SEEDS)


def _align_instance(folder: str, number: int, torn: Mapping[str, Mapping[str, str]]) -> Answer:
    place = BENCH / "fluents" / folder
    true = read_files(place / "domain.pddl", place / f"instance-{number}.pddl")
    return _align(true, torn, OPTIONS)


def _align_world(seed: int) -> Answer:
    true = parse(*make_random(seed))
    return _align(true, draw_tears(true, random.Random(seed)), replace(OPTIONS, seed=seed))


def _align(
    true: PddlTexts, torn: Mapping[str, Mapping[str, str]], options: AlignmentOptions
) -> Answer:
    found: AlignmentResult = align(make_task(tear(true, torn)), simulate(true), options)
    return {
        "status": found.status.name,
        "kept": sorted(map(_write, found.mapping)),
        "others": sorted(map(_write, found.others)),
        "failures": found.failures,
        "trials": len(found.trials),
    }


def _write(one: SynonymEvidence) -> str:
    synonym = one.proposal.synonym
    places = " ".join(map(str, (*synonym.places, *synonym.fillers)))
    return f"{synonym.source} = {synonym.target}({places}): {one.standing.name}"
