# SPDX-License-Identifier: Apache-2.0
"""What keeps the physics world from doing something, as one sentence for a person."""

from __future__ import annotations

from typing import Any

from fcp_ros.execution.outcome import Outcome, OutcomeCode

INSTALL = (
    "The physics world needs MuJoCo, which is not installed: run `pip install 'fcp_ros[physics]'` "
    "(or `make setup` in a checkout)."
)


class PhysicsError(ValueError):
    """A world that can't be made or changed as asked; the message is a sentence."""


class StepFailed(Exception):
    """The end of a step that does not succeed; raised within skills, never out of the world."""

    def __init__(self, code: OutcomeCode, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(code, message)


def import_mujoco() -> Any:
    """Import MuJoCo. Raises PhysicsError with the fix where it is missing."""
    try:
        import mujoco
    except ImportError as error:
        raise PhysicsError(INSTALL) from error
    return mujoco
