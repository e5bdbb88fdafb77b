# SPDX-License-Identifier: Apache-2.0
"""Names that mean the same: ``python -m benchmark.alignment``.

Blocks (4, 5, 6) and gripper (4 to 12 balls) of the IPC, in which one action makes other names true
than the next one needs: plans that failed, and seconds until the names are found.

The tasks are looked for in ../shared/bench/fluents (``--tasks``). The program ends with a table and
the exit code 1 if a goal is missed. It takes seconds, so it has no quick form.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from benchmark.tables import Part, Verdict, finish, open_console
from fcp_ros.alignment.comparison import align
from fcp_ros.alignment.pairing import make_task
from fcp_ros.alignment.synonyms import Synonym
from fcp_ros.domain.pddl.task_reader import PddlTexts
from fcp_ros.planning.warm_up import compile_missing_kernels

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "support"))
from torn_names import BLOCKS, GRIPPER, read_files, simulate, tear  # noqa: E402

TASKS = REPOSITORY.parent / "shared" / "bench" / "fluents"
BLOCKS_FOLDER, GRIPPER_FOLDER = "blocks-strips-typed", "gripper-round-1-strips"
INSTANCES = (
    *((BLOCKS_FOLDER, n, BLOCKS, f"blocks, {b} blocks ({n})") for n, b in enumerate("444556", 1)),
    *((GRIPPER_FOLDER, n, GRIPPER, f"gripper, {2 * n + 2} balls") for n in range(1, 6)),
)
RIGHT = {
    BLOCKS_FOLDER: {Synonym("not-holding", "handempty")},
    GRIPPER_FOLDER: {Synonym("in", "at", (0, 1)), Synonym("not-holding", "free", (0,))},
}
MOST_FAILURES, MOST_SECONDS = 3, 1.0


class _Clock:
    """Measures from its making on. Goals are in CPU time: other jobs may run on the machine."""

    def __init__(self) -> None:
        self._begun, self._used = time.perf_counter(), time.process_time()

    @property
    def busy(self) -> float:
        """CPU time (s)."""
        return time.process_time() - self._used

    def __str__(self) -> str:
        return f"{time.perf_counter() - self._begun:.2f} s, {self.busy:.2f} s of CPU"


def main(
    tasks: Annotated[Path, typer.Option(help="Folder of the tasks.")] = TASKS,
) -> None:
    """Measure and print the table."""
    compile_missing_kernels(print)
    finish([Part("instances", (), list(_measure_instances(tasks)))], open_console())


def _read(tasks: Path, folder: str, number: int) -> PddlTexts:
    return read_files(tasks / folder / "domain.pddl", tasks / folder / f"instance-{number}.pddl")


def _measure_instances(tasks: Path) -> Iterator[Verdict]:
    """Align each instance; the first one twice, since it loads what all need."""
    for folder, number, torn, name in (INSTANCES[0], *INSTANCES):
        true = _read(tasks, folder, number)
        clock = _Clock()
        result = align(make_task(tear(true, torn)), simulate(true))
        found = {one.proposal.synonym for one in result.mapping}
        is_met = (
            found == RIGHT[folder]
            and result.failures <= MOST_FAILURES
            and clock.busy <= MOST_SECONDS
        )
        said = "right names" if found == RIGHT[folder] else result.status.value
        yield Verdict(
            name,
            f"{said}, {result.failures} failed plans, {clock}",
            f"right names, {MOST_FAILURES} failed plans, {MOST_SECONDS:.0f} s of CPU",
            is_met,
        )


if __name__ == "__main__":
    typer.run(main)
