# SPDX-License-Identifier: Apache-2.0
"""The files of calibration stores: one for each robot and world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence
from fcp_ros.grounding.protocol.judgement import check_degree
from fcp_ros.grounding.protocol.options import EvidenceOrigin, EvidenceWorld

#
# Evidence that the target holds already is left out, so that merging twice changes nothing. Resets
# stay behind: evidence that one has set aside is not copied.


def merge_evidence(source: CalibrationStore, target: CalibrationStore, weight: float = 1.0) -> int:
    """Copy the evidence that counts and is missing in the target; return how many outcomes.

    The oldest come first, with their times; their weights are multiplied by `weight`, in [0, 1].
    """
    check_degree(weight, "the weight of merged outcomes")
    known = {_identify(item) for item in target.entries(with_reset=True)}
    missing = [item for item in source.entries() if _identify(item) not in known]
    target.record_all([replace(item, weight=item.weight * weight) for item in missing])
    return len(missing)


def _identify(item: Evidence) -> tuple[str, str, float, float, str]:
    """Return what two copies of one outcome share; their weights may differ."""
    return item.predicate, item.context_key, item.stamp, item.quality, item.step


# --- the files of calibration stores: one for each robot and world ---

DEFAULT_PATH = "~/.local/state/fcp_ros/calibration/{robot}/{world}.sqlite"
"""The store of a robot in a world, where a grounder node keeps it by default."""

NO_NAMESPACE = "no-namespace"
"""The ``{robot}`` of a robot without a namespace; the hyphen keeps it apart from all namespaces."""


def locate_store(pattern: str, origin: EvidenceOrigin) -> Path:
    """Return the file of a path in which ``{robot}`` and ``{world}`` stand for the origin."""
    text = pattern.replace("{robot}", origin.robot or NO_NAMESPACE)
    return Path(text.replace("{world}", origin.world.value)).expanduser()


def find_stores(pattern: str = DEFAULT_PATH) -> Iterator[Path]:
    """Find the existing stores of all robots and worlds, sorted."""
    root, _, _ = pattern.partition("{")
    folder = Path(root).expanduser()
    for world in EvidenceWorld:
        yield from sorted(folder.rglob(f"{world.value}.sqlite"))
