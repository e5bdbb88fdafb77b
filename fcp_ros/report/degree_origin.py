# SPDX-License-Identifier: Apache-2.0
"""The origin of a degree in a few words, for the terminal and the HTML page."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.planning import Judged

BINS = 10
BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class DegreeOrigin:
    """The origin of one degree.

    Attributes:
        degree: The predicate and its degree: ``can_grasp 0.54``.
        origin: The source of the judgement, and the outcomes that have moved it.
        remark: The oracle's note and its uncertainty; may be empty.
        fallback: The reason why a fallback oracle answered; "" if none did.
        model: The model or table that answered.
    """

    degree: str
    origin: str
    remark: str
    fallback: str
    model: str

    def __str__(self) -> str:
        """Format as ``can_grasp 0.54 (table 0.97, then 3 outcomes; entry 2 of the table)``."""
        details = "; ".join(part for part in (self.origin, self.remark) if part)
        warning = f" FALLBACK: {self.fallback}" if self.fallback else ""
        return f"{self.degree} ({details}){warning}"


def describe_origin(judged: Judged) -> DegreeOrigin:
    """Say where the degree of a judgement comes from."""
    membership = judged.membership
    origin = membership.source
    if membership.evidence_count:
        many = "s" if membership.evidence_count > 1 else ""
        origin += f" {membership.prior:.2f}, then {membership.evidence_count} outcome{many}"
    remarks = [membership.note]
    if membership.spread > 0.0:
        remarks.insert(0, f"spread {membership.spread:.2f}")
    if membership.distribution:
        remarks.insert(0, f"0 {to_sparkline(membership.distribution)} 1")
    return DegreeOrigin(
        f"{judged.request.predicate} {membership.degree:.2f}",
        origin,
        "; ".join(remark for remark in remarks if remark),
        membership.fallback,
        membership.model,
    )


def to_sparkline(distribution: tuple[float, ...]) -> str:
    """Draw a distribution over the scores 0 to 100 as `BINS` blocks, the highest for the mode."""
    sums = [0.0] * BINS
    for score, probability in enumerate(distribution):
        sums[min(score * BINS // (len(distribution) - 1), BINS - 1)] += probability
    top = max(sums) or 1.0
    return "".join(BLOCKS[round(value / top * (len(BLOCKS) - 1))] for value in sums)
