# SPDX-License-Identifier: Apache-2.0
"""What the verifier says of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.cset import Instance


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier says.

    Attributes:
        ok: whether the plan may be executed.
        problems: what is wrong, one sentence each; empty when ok.
        memberships: the composed membership after each step that could be replayed.
        final: the state after the last step; None where a step could not be replayed.
    """

    ok: bool
    problems: tuple[str, ...]
    memberships: tuple[float, ...]
    final: Instance | None
