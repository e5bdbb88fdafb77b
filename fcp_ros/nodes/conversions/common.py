# SPDX-License-Identifier: Apache-2.0
"""Parts of several kinds of messages, and the table that converts equal fields both ways."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Generic, TypeVar

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Quaternion
from geometry_msgs.msg import Pose as PoseMessage
from unique_identifier_msgs.msg import UUID

from fcp_ros.msg import Attribute, Binding
from fcp_ros.scene.graph.elements import AttributeValue, Pose


class ConversionError(ValueError):
    """A message that stands for no value of the model; says what is wrong, and where."""


NANOSECONDS = 1_000_000_000


def duration_to_ros(seconds: float) -> Duration:
    """Write a duration (s, of any sign) to the nanosecond.

    Raises ConversionError if it is not finite, or too long for the message (68 years).
    """
    if not math.isfinite(seconds) or abs(seconds) >= 2**31:
        raise ConversionError(f"a duration of {seconds} s does not fit into a ROS message")
    total = round(seconds * NANOSECONDS)
    whole, nanoseconds = divmod(total, NANOSECONDS)
    return Duration(sec=whole, nanosec=nanoseconds)


def duration_from_ros(message: Duration) -> float:
    """Read a duration in seconds. Raises ConversionError if it is negative."""
    if message.sec < 0:
        raise ConversionError(f"a duration is {message.sec} s: it must not be negative")
    return float(message.sec + message.nanosec / NANOSECONDS)


def time_to_ros(seconds: float) -> Time:
    """Write a time (s since the epoch) to the nanosecond."""
    duration = duration_to_ros(seconds)
    return Time(sec=duration.sec, nanosec=duration.nanosec)


def time_from_ros(message: Time) -> float:
    """Read a time in seconds since the epoch."""
    return float(message.sec + message.nanosec / NANOSECONDS)


def id_to_ros(text: str) -> UUID:
    """Write the text of a UUID. Raises ConversionError if it is no UUID."""
    try:
        value = uuid.UUID(text)
    except ValueError:
        raise ConversionError(f"the plan id {text!r} is no UUID: use the id of a plan") from None
    return UUID(uuid=list(value.bytes))


def id_from_ros(message: UUID) -> str:
    return str(uuid.UUID(bytes=bytes(bytearray(message.uuid))))


def pose_to_ros(pose: Pose) -> PoseMessage:
    x, y, z = (float(number) for number in pose.position)
    qx, qy, qz, qw = (float(number) for number in pose.orientation)
    return PoseMessage(
        position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw)
    )


def pose_from_ros(message: PoseMessage) -> Pose:
    position, turn = message.position, message.orientation
    return Pose((position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w))


def binding_to_ros(binding: Iterable[tuple[str, str]]) -> list[Binding]:
    """Write (variable, element) pairs; the variables get their question mark."""
    return [
        Binding(variable=f"?{variable.lstrip('?')}", element=element)
        for variable, element in binding
    ]


def binding_from_ros(messages: Iterable[Binding]) -> tuple[tuple[str, str], ...]:
    """Read (variable, element) pairs, without question marks as in the model."""
    return tuple((message.variable.lstrip("?"), message.element) for message in messages)


def attributes_to_ros(attributes: Mapping[str, AttributeValue]) -> list[Attribute]:
    """Write attributes, sorted by name."""
    return [_attribute_to_ros(name, attributes[name]) for name in sorted(attributes)]


def attributes_from_ros(messages: Iterable[Attribute]) -> dict[str, AttributeValue]:
    """Read attributes by name.

    Raises ConversionError for an unknown kind, a name twice, or a number that is not finite.
    """
    attributes: dict[str, AttributeValue] = {}
    for message in messages:
        if message.name in attributes:
            raise ConversionError(f"the attribute {message.name!r} is given twice")
        attributes[message.name] = _attribute_from_ros(message)
    return attributes


def _attribute_to_ros(name: str, value: AttributeValue) -> Attribute:
    # bool is a kind of int in Python, so it comes first.
    if isinstance(value, bool):
        return Attribute(name=name, kind=Attribute.BOOL, bool_value=value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ConversionError(f"the attribute {name} is {value}: it does not fit into 64 bits")
        return Attribute(name=name, kind=Attribute.INTEGER, integer_value=value)
    if isinstance(value, float):
        return Attribute(name=name, kind=Attribute.FLOAT, float_value=value)
    return Attribute(name=name, kind=Attribute.STRING, string_value=value)


def _attribute_from_ros(message: Attribute) -> AttributeValue:
    if message.kind == Attribute.BOOL:
        return bool(message.bool_value)
    if message.kind == Attribute.INTEGER:
        return int(message.integer_value)
    if message.kind == Attribute.STRING:
        return str(message.string_value)
    if message.kind == Attribute.FLOAT:
        if not math.isfinite(message.float_value):
            raise ConversionError(f"the attribute {message.name!r} is {message.float_value}")
        return float(message.float_value)
    raise ConversionError(
        f"the attribute {message.name!r} has kind {message.kind}: give BOOL (1), INTEGER (2), "
        "FLOAT (3) or STRING (4)"
    )


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
        return self._message(
            **{there: row.write(getattr(value, here)) for here, there, row in self._rows}
        )

    def read(self, message: Any) -> V:
        """Read a message. Raises ConversionError if a field stands for no value."""
        return self._value(
            **{here: row.read(getattr(message, there)) for here, there, row in self._rows}
        )

    def write_all(self, values: Iterable[V]) -> list[Any]:
        return [self.write(value) for value in values]

    def read_all(self, messages: Iterable[Any]) -> tuple[V, ...]:
        return tuple(self.read(message) for message in messages)

    @property
    def many(self) -> FieldConversion:
        return FieldConversion(self.write_all, self.read_all)
