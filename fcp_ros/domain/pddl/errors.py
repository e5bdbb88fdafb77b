# SPDX-License-Identifier: Apache-2.0
"""Faults of PDDL files: mistakes, and features that this planner does not have."""

from __future__ import annotations

from fcp_ros.domain.diagnostics import Diagnostic, DomainError


class PddlError(DomainError):
    """A PDDL file that can't be read; says where, what is wrong and what to do.

    Args:
        file: path of the file.
        line: 1-based; 0 if the file as a whole is meant.
        message: what is wrong, a clause without a final full stop.
        fix: what to do about it, a clause as well.
    """

    def __init__(self, file: str, line: int, message: str, fix: str) -> None:
        super().__init__([Diagnostic(file, line, message, fix)])


class UnsupportedPddl(PddlError):
    """A file that is sound PDDL but needs a feature that is not supported; `feature` names it."""

    def __init__(self, file: str, line: int, feature: str, fix: str) -> None:
        super().__init__(file, line, f"not supported: {feature}", fix)
        self.feature = feature
