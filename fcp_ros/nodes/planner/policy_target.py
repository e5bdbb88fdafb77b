# SPDX-License-Identifier: Apache-2.0
"""The file that a new policy is written to: in the folder of policies, under a plain name."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, PolicyError
from fcp_ros.abstraction.policy.policy_file import list_policy_files, read_policy, save_policy
from fcp_ros.nodes.runtime.refusals import RefusalKind, RequestRefused

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class PolicyTarget:
    """The place of a policy that is yet to be found.

    Args:
        folder: of the policies; "" if the node has none.
        name: of the policy.
        may_replace: True if a file of this name is to be replaced.
    """

    def __init__(self, folder: str, name: str, may_replace: bool) -> None:
        self._folder = Path(folder)
        self._has_folder = bool(folder)
        self.name = name
        self.file = self._folder / f"{name}.yaml"
        self._may_replace = may_replace

    def check(self) -> None:
        """Refuse a policy that could not be written, before it is looked for.

        Raises:
            RequestRefused: there is no folder, the name is none, or it is taken.
        """
        problem = self._find_problem()
        if problem:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, problem)

    def save(self, policy: GeneralPolicy) -> GeneralPolicy:
        """Write a policy under the name of the target, and return it as it was written.

        Raises:
            RequestRefused: it can't be written.
        """
        self.check()
        named = replace(policy, name=self.name)
        try:
            save_policy(named, self.file)
        except OSError as error:
            sentence = (
                f"A policy was found, but {self.file} can't be written "
                f"({error.strerror or error}): check the folder and its permissions."
            )
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence) from error
        return named

    def _find_problem(self) -> str:
        """Return why a policy can't be written there; "" if it can."""
        if not self._has_folder:
            return (
                "The planner has no folder for policies: set its parameter policies to one, and "
                "configure it."
            )
        if not _NAME.fullmatch(self.name):
            return (
                f"{self.name[:80]!r} is no name for a policy: give 1 to 64 letters, digits, - and "
                "_, with a letter or digit first."
            )
        if not os.access(self._folder, os.W_OK | os.X_OK) or not self._folder.is_dir():
            return (
                f"{self._folder} is no folder that may be written to: correct the parameter "
                "policies, or the permissions."
            )
        if self.file.exists() and not self._may_replace:
            return (
                f"There is a policy {self.name} already ({self.file}): give another name, or set "
                "replace."
            )
        for path in list_policy_files(self._folder):
            if path != self.file and _read_name(path) == self.name:
                return f"{path} has a policy {self.name} already: give another name."
        return ""


def _read_name(path: Path) -> str:
    """Return the name of the policy in a file; "" if there is none."""
    try:
        return read_policy(path).name
    except PolicyError:
        return ""
