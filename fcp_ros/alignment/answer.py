# SPDX-License-Identifier: Apache-2.0
"""The answer to a request for alignment, and its settings; the mapping with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from fcp_ros.alignment.predictor import Trial
from fcp_ros.alignment.simulator import GroundAction
from fcp_ros.alignment.synonyms import Image, SynonymEvidence


@dataclass(frozen=True)
class AlignmentOptions:
    """The settings of an alignment."""

    time_limit: float = 60.0  # for the whole request (s)
    plan_time: float = 10.0  # for one plan (s)
    most_trials: int = 200
    most_candidates: int = 100_000
    # plans that are tried after the first success, to tell synonyms from others that explain it as
    # well
    settling: int = 3
    seed: int = 0  # decides between plans that are equally good


class AlignmentStatus(str, Enum):
    """The outcome of an alignment, of two domains or of a scene with a domain."""

    ALIGNED = "ALIGNED"
    """A plan that rests on the synonyms succeeded; names of a scene got a meaning."""
    NOTHING_TO_ALIGN = "NOTHING_TO_ALIGN"
    """A plan succeeded that rests on no synonym; the domain has all names of a scene."""
    NO_PLAN = "NO_PLAN"
    """No plan exists, even if any of the candidates may hold."""
    NOTHING_IN_COMMON = "NOTHING_IN_COMMON"
    """No name of a scene means anything in the domain."""
    UNEXPLAINED = "UNEXPLAINED"
    """No mapping of the candidates explains what was seen: a model or the simulator is wrong."""
    UNRELIABLE_SIMULATOR = "UNRELIABLE_SIMULATOR"
    """The simulator showed different things for the same actions."""
    GAVE_UP = "GAVE_UP"
    """The number of trials was reached, or not every way to comply with them could be planned."""
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    INVALID_REQUEST = "INVALID_REQUEST"

    @property
    def is_success(self) -> bool:
        """Return True if a plan succeeded, or the scene can be planned with."""
        return self in (AlignmentStatus.ALIGNED, AlignmentStatus.NOTHING_TO_ALIGN)


@dataclass(frozen=True)
class AlignmentResult:
    """The answer."""

    status: AlignmentStatus
    message: str  # it in one or two sentences
    mapping: tuple[SynonymEvidence, ...] = ()
    # refuted synonyms, and open ones that were tried; of a failed alignment without trials the
    # closest pairs
    others: tuple[SynonymEvidence, ...] = ()
    plan: tuple[GroundAction, ...] | None = None  # the actions that succeeded; None without success
    trials: tuple[Trial, ...] = ()  # all plans that were tried, the last one last
    candidates: int = 0  # number of synonyms that were considered
    notes: tuple[str, ...] = ()  # sentences about what was left out or done otherwise
    seconds: float = 0.0  # s, of the whole request
    # the mapping as a surjection of names: predicate -> the name that stays
    names: Mapping[str, Image] = field(default_factory=dict)

    @property
    def failures(self) -> int:
        """The number of plans that failed."""
        return sum(not trial.seen.reached for trial in self.trials)

    def to_plain(self) -> dict[str, Any]:
        return {
            "status": self.status.value,
            "message": self.message,
            "names": {
                name: {
                    "name": image.name,
                    "places": list(image.places),
                    "fillers": list(image.fillers),
                }
                for name, image in sorted(self.names.items())
            },
            "mapping": [one.to_plain() for one in self.mapping],
            "others": [one.to_plain() for one in self.others],
            "plan": None if self.plan is None else [write_action(one) for one in self.plan],
            "trials": [
                {
                    "actions": [write_action(one) for one in trial.actions],
                    "synonyms": sorted(map(str, trial.synonyms)),
                    "done": trial.seen.done,
                    "reached": trial.seen.reached,
                    "reason": trial.seen.reason,
                }
                for trial in self.trials
            ],
            "failures": self.failures,
            "candidates": self.candidates,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


def write_action(action: GroundAction) -> str:
    return f"({' '.join((action[0], *action[1]))})"
