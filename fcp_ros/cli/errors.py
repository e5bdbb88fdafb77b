# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as one sentence on standard error and an exit code; never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.domain import DomainError, ExpressionError
from fcp_ros.grounding import GroundingError
from fcp_ros.report.ipc_plan import NotPddl
from fcp_ros.scene import SceneError


@contextmanager
def explained() -> Iterator[None]:
    """Turns the errors that bad input causes into a message and exit code 2."""
    try:
        yield
    except (
        DomainError,
        ExpressionError,
        GroundingError,
        NotPddl,
        SceneError,
        FileNotFoundError,
    ) as error:
        fail(str(error))


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """Prints ``message`` on standard error and leaves with ``code``.

    Raises:
        typer.Exit: always.
    """
    Console(stderr=True, highlight=False).print(
        f"[bold red]error[/] {escape(message)}", soft_wrap=True
    )
    raise typer.Exit(code)
