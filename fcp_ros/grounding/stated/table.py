# SPDX-License-Identifier: Apache-2.0
"""The table oracle: degrees that the domain's author states, by category label."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate, TableEntry
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.scene.labels import label_forms, normalise_label


class TableOracle:
    """Looks the degree up in the predicate's table; the first entry that fits decides."""

    name = "table"
    model = "table"
    mode = "first_entry"

    def find(self, predicate: GradedPredicate, request: JudgementRequest) -> Membership | None:
        """The membership from the table or the default degree; None where neither speaks."""
        for number, entry in enumerate(predicate.table, start=1):
            if entry_fits(entry, request):
                return self._answer(predicate, entry.degree, f"entry {number} of the table")
        if predicate.default_degree is not None:
            return self._answer(predicate, predicate.default_degree, "default degree of the table")
        return None

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: no entry fits a request and the predicate has no default degree.
        """
        answers = []
        for request in requests:
            answer = self.find(predicate, request)
            if answer is None:
                raise GroundingError(
                    GroundingCode.NO_TABLE_ENTRY,
                    f"no entry of the table of {predicate.name} fits {request}; add one, or give "
                    "the predicate a default_degree",
                )
            answers.append(answer)
        return answers

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
