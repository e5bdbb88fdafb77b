# SPDX-License-Identifier: Apache-2.0
"""The table oracle: degrees that the domain's author states, by category label."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate, TableEntry
from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import Answer, all_answered


class TableOracle:
    """Looks the degree up in the predicate's table; the first entry that fits decides.

    The default degree is the table's own where the table alone is asked; among several oracles it
    comes after all of them (see `asking.py`).
    """

    name = "table"
    model = "table"
    mode = "first_entry"

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: no entry fits a request and the predicate has no default degree.
        """
        return all_answered(self.judge_each(predicate, requests))

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each request its membership, or why there is none."""
        return [self._find(predicate, request) for request in requests]

    def _find(self, predicate: GradedPredicate, request: JudgementRequest) -> Answer:
        for number, entry in enumerate(predicate.table, start=1):
            if entry_fits(entry, request):
                return self._answer(predicate, entry.degree, f"entry {number} of the table")
        if predicate.default_degree is not None and predicate.oracle == self.name:
            return self._answer(predicate, predicate.default_degree, "default degree of the table")
        return GroundingError(
            GroundingCode.NO_TABLE_ENTRY,
            f"no entry of the table of {predicate.name} fits {request}; add one, or give "
            "the predicate a default_degree",
        )

    def _answer(self, predicate: GradedPredicate, degree: float, note: str) -> Membership:
        return Membership(
            degree,
            degree,
            samples=(degree,),
            source=self.name,
            model=f"{self.model}:{predicate.name}",
            note=note,
        )


def entry_fits(entry: TableEntry, request: JudgementRequest) -> bool:
    """Whether every label of the entry names its argument.

    A label names an argument by its whole words or by the last of them, as in the scene layer:
    ``table`` fits a "dining table", so the more special entry is written first.
    """
    words = {argument.parameter: argument.words for argument in request.arguments}
    return all(
        parameter in words and normalise_label(label) in label_forms(words[parameter])
        for parameter, label in entry.when.items()
    )
