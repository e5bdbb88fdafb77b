# SPDX-License-Identifier: Apache-2.0
"""From the answers of several oracles to one: composed, or one that says why it had to step in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import Membership
from fcp_ros.grounding.protocol.oracle import Answer

GAPS = frozenset({GroundingCode.NO_TABLE_ENTRY, GroundingCode.NOT_KNOWN})
"""What the author's table or rule says nothing about: no fault of an oracle."""


def compose(names: Sequence[str], answers: Sequence[Membership], t_norm: str) -> Membership:
    """The membership that the answers of these oracles compose to.

    The spread is the widest of theirs: a t-norm is nowhere steeper than 1 in one argument
    (Lukasiewicz, product, Goedel), so this is what one uncertain judge makes of the whole.
    """
    degree = tnorm_by_name(t_norm).compose_all(answer.prior for answer in answers)
    said = ", ".join(
        f"{name} {answer.prior:.2f}{f' ({answer.note})' if answer.note else ''}"
        for name, answer in zip(names, answers, strict=True)
    )
    return Membership(
        degree,
        degree,
        samples=(degree,),
        spread=max(answer.spread for answer in answers),
        source=f"all_of({', '.join(names)})",
        model=" + ".join(answer.model for answer in answers),
        note=f"{t_norm} of {said}",
        latency=math.fsum(answer.latency for answer in answers),
    )


def after(failures: Sequence[GroundingError], answer: Membership) -> Membership:
    """The answer of an oracle that is asked after others had none."""
    broken = [error for error in failures if error.code not in GAPS]
    if broken:
        return replace(answer, fallback=sentences(broken))
    if not failures:
        return answer
    note = f"{answer.note}; asked because {sentences(failures)}" if answer.note else ""
    return replace(answer, note=note or f"asked because {sentences(failures)}")


def joined(errors: Sequence[GroundingError]) -> GroundingError:
    """One error for several; the code is that of the first that is no mere gap."""
    if len(errors) == 1:
        return errors[0]
    code = next((error.code for error in errors if error.code not in GAPS), errors[0].code)
    return GroundingError(code, sentences(errors))


def default_degree(predicate: GradedPredicate, reason: str = "") -> Membership:
    """The predicate's default degree, which the domain's author states; `reason` if in need."""
    degree = predicate.default_degree
    assert degree is not None, "asked for only where it is stated"
    return Membership(
        degree,
        degree,
        samples=(degree,),
        source="default_degree",
        model=f"default_degree:{predicate.name}",
        note="default degree of the domain",
        fallback=reason,
    )


def last_resort(predicate: GradedPredicate, error: GroundingError) -> Answer:
    """The default degree where it is stated, else the error."""
    if predicate.default_degree is None:
        return error
    return default_degree(predicate, "" if error.code in GAPS else error.sentence)


def sentences(errors: Sequence[GroundingError]) -> str:
    """What the errors say, each thing once."""
    return "; ".join(dict.fromkeys(error.sentence for error in errors))
