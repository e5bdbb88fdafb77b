# SPDX-License-Identifier: Apache-2.0
"""Errors of the scene layer: each names the file or element, the reason and what to do."""

from fcp_ros.foundation.input_error import InputError


class SceneError(InputError):
    """A scene that cannot be used.

    Args:
        reason: The fault, as a clause without a full stop.
        source: File (or topic) that the scene came from, where known.
        element: Node id or place inside the file, where known.
        advice: The remedy, as a sentence.
    """

    def __init__(
        self, reason: str, *, source: str = "", element: str = "", advice: str = ""
    ) -> None:
        self.reason = reason
        self.source = source
        self.element = element
        self.advice = advice
        super().__init__(self._to_sentence())

    def _to_sentence(self) -> str:
        where = ": ".join(part for part in (self.source, self.element) if part)
        text = f"{where}: {self.reason}" if where else self.reason
        return f"{text}. {self.advice}" if self.advice else f"{text}."

    def in_source(self, source: str) -> "SceneError":
        """Return the error with the file named, unless it already names one."""
        if self.source:
            return self
        return type(self)(self.reason, source=source, element=self.element, advice=self.advice)


class SequenceGap(SceneError):
    """A delta that does not follow the graph's sequence number: ask for a full update."""
