# SPDX-License-Identifier: Apache-2.0
"""Errors of the physics world, each one sentence for a person."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.foundation.input_error import InputError

INSTALL = (
    "The physics world needs MuJoCo, which is not installed: run `pip install 'fcp_ros[physics]'` "
    "(or `make setup` in a checkout)."
)


class PhysicsError(InputError):
    """A world that can't be made or changed as asked; the message is a sentence."""


class StepFailed(Exception):
    """The end of a step that does not succeed; raised within skills, never out of the world."""

    def __init__(self, code: OutcomeCode, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(code, message)


def import_mujoco() -> Any:
    """Import MuJoCo. Raises PhysicsError with the fix where it is missing.

    Its import fails with MUJOCO_GL set to a library that isn't there, which `pictures` only needs.
    """
    if sys.modules.get("mujoco") is not None:
        return sys.modules["mujoco"]
    wanted = os.environ.get("MUJOCO_GL")
    os.environ["MUJOCO_GL"] = "disabled"
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise PhysicsError(INSTALL) from error
    finally:
        del os.environ["MUJOCO_GL"]
        if wanted is not None:
            os.environ["MUJOCO_GL"] = wanted
