# SPDX-License-Identifier: Apache-2.0
"""Facts: how a tuple of a relation is written outside this layer."""

from typing import NamedTuple


class Fact(NamedTuple):
    """One tuple of a relation, for example ``on(mug_1, table_1)``.

    Attributes:
        relation: its name.
        arguments: element names, in the order of the legs.
    """

    relation: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.relation}({', '.join(self.arguments)})"
