# SPDX-License-Identifier: Apache-2.0
"""The outcome of ``fcp align``, for domains and scenes: exit code, status, message and notes."""

from __future__ import annotations

from rich.console import Console

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignment
from fcp_ros.cli.exit_codes import DONE, FAILED, to_exit_code
from fcp_ros.cli.terminal import escape_text
from fcp_ros.planning import PlanStatus

EXIT_CODES = {
    AlignmentStatus.ALIGNED: DONE,
    AlignmentStatus.NOTHING_TO_ALIGN: DONE,
    AlignmentStatus.NO_PLAN: to_exit_code(PlanStatus.UNSOLVABLE_PROVEN),
    AlignmentStatus.NOTHING_IN_COMMON: to_exit_code(PlanStatus.UNSOLVABLE_PROVEN),
    AlignmentStatus.UNEXPLAINED: FAILED,
    AlignmentStatus.UNRELIABLE_SIMULATOR: FAILED,
    AlignmentStatus.GAVE_UP: to_exit_code(PlanStatus.UNSOLVABLE_INCOMPLETELY),
    AlignmentStatus.TIMEOUT: to_exit_code(PlanStatus.TIMEOUT),
    AlignmentStatus.CANCELLED: to_exit_code(PlanStatus.CANCELLED),
}


def print_outcome(console: Console, result: AlignmentResult | SceneAlignment) -> None:
    """Print status, message and notes of an alignment."""
    colour = "green" if result.status.is_success else "red"
    console.print(
        f"[{colour}]{result.status.value}[/] {escape_text(result.message)} "
        f"({result.seconds:.2f} s)",
        soft_wrap=True,
    )
    for note in result.notes:
        console.print(f"  note: {escape_text(note)}", soft_wrap=True)
