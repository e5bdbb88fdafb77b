# SPDX-License-Identifier: Apache-2.0
"""Values and messages whose fields have the same names: one table converts both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Generic, TypeVar

from fcp_ros.nodes.conversions.common import ConversionError, binding_from_ros, binding_to_ros

V = TypeVar("V")


@dataclass(frozen=True)
class FieldConversion:
    """The conversion of one field both ways; `name` is that of the message where they differ."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    name: str = ""


SAME = FieldConversion(lambda value: value, lambda value: value)
LIST = FieldConversion(list, tuple)
BINDING = FieldConversion(binding_to_ros, binding_from_ros)


def by_value(enum: type[Enum], meaning: str) -> FieldConversion:
    """Convert an enum by its values; errors begin with `meaning`, such as "the kind of a price"."""

    def read(value: Any) -> Enum:
        try:
            return enum(value)
        except ValueError as error:
            raise ConversionError(f"{meaning}: {error}") from None

    return FieldConversion(lambda member: member.value, read)


class FieldTable(Generic[V]):
    """Converts values of one dataclass, field by field; what messages lack keeps its default.

    `special`: field -> its conversion; all others are the same in the message.
    """

    def __init__(self, value: type[V], message: Any, **special: FieldConversion) -> None:
        self._value = value
        self._message = message
        sent = message.get_fields_and_field_types()
        names = [field.name for field in fields(value)]  # type: ignore[arg-type]
        rows = [(name, special.get(name, SAME)) for name in names]
        self._rows = [
            (name, row.name or name, row) for name, row in rows if (row.name or name) in sent
        ]
        assert special.keys() <= {name for name, _, _ in self._rows}, value

    def write(self, value: V) -> Any:
        """Write a value as a message."""
        return self._message(
            **{there: row.write(getattr(value, here)) for here, there, row in self._rows}
        )

    def read(self, message: Any) -> V:
        """Read a message. Raises ConversionError if a field stands for no value."""
        return self._value(
            **{here: row.read(getattr(message, there)) for here, there, row in self._rows}
        )

    def write_all(self, values: Iterable[V]) -> list[Any]:
        """Write several values."""
        return [self.write(value) for value in values]

    def read_all(self, messages: Iterable[Any]) -> tuple[V, ...]:
        """Read several messages."""
        return tuple(self.read(message) for message in messages)

    @property
    def many(self) -> FieldConversion:
        """The conversion of a field that holds several of these values."""
        return FieldConversion(self.write_all, self.read_all)
