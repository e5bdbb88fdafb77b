# SPDX-License-Identifier: Apache-2.0
"""Errors of the scene layer: each says which file or element, why, and what to do about it."""


class SceneError(ValueError):
    """A scene that cannot be used as it is.

    Args:
        reason: What is wrong, as a clause without a full stop.
        source: File (or topic) that the scene came from, where known.
        element: Node id or place inside the file, where known.
        advice: What to do about it, as a sentence.
    """

    def __init__(
        self, reason: str, *, source: str = "", element: str = "", advice: str = ""
    ) -> None:
        self.reason = reason
        self.source = source
        self.element = element
        self.advice = advice
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        where = ": ".join(part for part in (self.source, self.element) if part)
        text = f"{where}: {self.reason}" if where else self.reason
        return f"{text}. {self.advice}" if self.advice else f"{text}."

    def in_source(self, source: str) -> "SceneError":
        """The same error with the file named, unless it already names one."""
        if self.source:
            return self
        return type(self)(self.reason, source=source, element=self.element, advice=self.advice)


class SequenceGap(SceneError):
    """A delta that does not follow the graph's sequence number: ask for a full update."""
