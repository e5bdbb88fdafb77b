# SPDX-License-Identifier: Apache-2.0
"""The sentence model that gives the best degrees, fetched into the user's folder of models.

That folder is outside the checkout: another checkout, or the same one made again, finds the model
there and only compares its hashes. Without it a smaller model judges, so no failure stops here.
"""

from __future__ import annotations

import os
from pathlib import Path

from stage import SetupError, Stages, say

MODEL = "mpnet"
SIZE = "405 MB"
CHOICES = ("none", MODEL)
VARIABLE = "FCP_DEFAULT_MODEL"


def check_choice(choice: str) -> str:
    """Return the model that was chosen, the usual one where none was.

    Raises:
        SetupError: it can't be chosen.
    """
    if choice not in ("", *CHOICES):
        raise SetupError(f"{VARIABLE} is {choice!r}; it can be {' or '.join(CHOICES)}")
    return choice or MODEL


def fetch_default_model(choice: str, stages: Stages, shell_file: Path, source: Path) -> None:
    """Fetch the model, or say in one line why minilm judges instead.

    Args:
        choice: from `check_choice`.
        stages: run the command.
        shell_file: of the environment, to be sourced.
        source: the checkout.
    """
    if choice == "none":
        say(f"  left out ({VARIABLE}=none): where {MODEL} was not fetched before, minilm judges")
        return
    command = f'. "{shell_file}" && python -m fcp_ros.cli.main models fetch {choice}'
    if stages.succeeds(["sh", "-c", command], cwd=source, environment=os.environ):
        return
    lines = [line for line in stages.log_text().splitlines() if line.strip()]
    reason = next((line for line in lines if line.startswith("error ")), lines[-1])
    say(f"  {reason.removeprefix('error ')[:300]}")
    say(f"  so minilm judges, which came with the packages, until `fcp models fetch {choice}`")
