# SPDX-License-Identifier: Apache-2.0
"""Degrees stated by the domain's author."""

from typing import Any

import pytest

from fcp_ros.domain.model import TableEntry
from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.stated import TableOracle

TABLE = (
    TableEntry({"item": "wine_glass", "purpose": "drinking"}, 0.9),
    TableEntry({"item": "glass"}, 0.7),
    TableEntry({"item": "Cup"}, 0.6),
)


@pytest.mark.parametrize(
    ("category", "purpose", "degree"),
    [
        ("wine glass", "drinking", 0.9),
        ("wine glass", "holding flowers", 0.7),
        ("cup", "drinking", 0.6),
        ("cups", "drinking", 0.6),
        ("hammer", "drinking", 0.2),
    ],
)
def test_the_first_entry_that_fits_decides(
    make_predicate: Any, ask: Any, category: str, purpose: str, degree: float
) -> None:
    predicate = make_predicate(oracle="table", table=TABLE, default_degree=0.2)
    (membership,) = TableOracle().judge(predicate, [ask(category, purpose)])
    assert membership.degree == membership.prior == degree
    assert membership.source == "table"


def test_without_entry_and_default_there_is_no_answer(make_predicate: Any, ask: Any) -> None:
    predicate = make_predicate(oracle="table", table=TABLE)
    with pytest.raises(GroundingError, match="default_degree") as caught:
        TableOracle().judge(predicate, [ask("hammer", "drinking")])
    assert caught.value.code is GroundingCode.NO_TABLE_ENTRY
