# SPDX-License-Identifier: Apache-2.0
"""Serialised ROS messages, field by field (XCDR1, little endian)."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from fcp_ros.nodes.conversions.common import ConversionError

ENCAPSULATION = b"\x00\x01\x00\x00"
"""What such a message begins with (the last two bytes are options without a meaning here)."""
LARGEST_GAP = 3
"""Bytes that may follow the last field: senders fill up to 4."""

_NUMBERS = {code: struct.Struct("<" + code) for code in "BiIqf"}


def is_little_endian_cdr(data: bytes) -> bool:
    """Whether the bytes are those of a message as this module reads it."""
    return data[:2] == ENCAPSULATION[:2]


class CdrInput:
    """Reads fields one after the other; never outside of the bytes.

    Arguments:
        data: a whole message with its encapsulation header.
        what: name of the message, for errors.

    Attributes:
        bytes: (n,) uint8, without the header; alignment counts from its first byte.
        at: where the next field begins, before alignment.
    """

    def __init__(self, data: bytes, what: str) -> None:
        self._what = what
        self._data = bytearray(memoryview(data)[len(ENCAPSULATION) :])
        self.bytes: Any = np.frombuffer(self._data, dtype=np.uint8)
        self.at = 0

    def number(self, code: str) -> Any:
        """A number; `code` as in `struct`: B, i, I, q or f."""
        form = _NUMBERS[code]
        start = -(-self.at // form.size) * form.size
        if start + form.size > len(self._data):
            raise self.damaged(f"it ends after {len(self._data)} bytes, inside a number")
        self.at = start + form.size
        return form.unpack_from(self._data, start)[0]

    def flag(self) -> bool:
        """A bool."""
        value = self.number("B")
        if value > 1:
            raise self.damaged(f"a bool is {value}")
        return bool(value)

    def text(self) -> str:
        """A string."""
        length = self.number("I")
        end = self.at + length
        if end > len(self._data):
            raise self.damaged(f"a string of {length} bytes reaches beyond its end")
        raw = bytes(self._data[self.at : end])
        self.at = end
        if raw and raw[-1]:
            raise self.damaged("a string does not end with a zero")
        return decoded(raw[:-1])

    def texts(self) -> tuple[str, ...]:
        """A sequence of strings."""
        return tuple(self.text() for _ in range(self.count(4)))

    def count(self, least: int) -> int:
        """The length of a sequence whose elements take at least so many bytes each."""
        count = int(self.number("I"))
        if count > (len(self._data) - self.at) // least:
            raise self.damaged(f"it can't hold {count} elements in {len(self._data)} bytes")
        return count

    def end(self) -> None:
        """Check that nothing more comes."""
        left = len(self._data) - self.at
        if left > LARGEST_GAP:
            raise self.damaged(f"{left} bytes follow its last field: is it of another version?")

    def frozen(self) -> bytes:
        """A copy of the bytes as they are now."""
        return bytes(self._data)

    def damaged(self, reason: str) -> ConversionError:
        """The error to raise."""
        return ConversionError(f"the {self._what} message is damaged: {reason}")


class CdrOutput:
    """Writes fields one after the other."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def align(self, to: int) -> None:
        """Fill up with zeros to a multiple of `to` bytes."""
        self.buffer += bytes(-len(self.buffer) % to)

    def number(self, code: str, value: float) -> None:
        """A number; `code` as in `struct`: B, i, I, q or f."""
        form = _NUMBERS[code]
        self.align(form.size)
        try:
            self.buffer += form.pack(value)
        except (struct.error, OverflowError) as error:
            raise ConversionError(f"{value} does not fit into the message: {error}") from None

    def text(self, text: str) -> None:
        """A string."""
        raw = encoded(text)
        self.number("I", len(raw) + 1)
        self.buffer += raw
        self.buffer.append(0)

    def texts(self, texts: tuple[str, ...]) -> None:
        """A sequence of strings."""
        self.number("I", len(texts))
        for text in texts:
            self.text(text)


def decoded(raw: bytes) -> str:
    """The text of a string's bytes."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ConversionError(f"a string is no UTF-8: {raw[:40]!r} ({error.reason})") from None
    if "\0" in text:
        raise ConversionError(f"a string holds a zero: {raw[:40]!r}")
    return text


def encoded(text: str) -> bytes:
    """The bytes of a string's text."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise ConversionError(f"{text!r} can't be sent: {error.reason}") from None
    if b"\0" in raw:
        raise ConversionError(f"{text!r} can't be sent: it holds a zero")
    return raw
