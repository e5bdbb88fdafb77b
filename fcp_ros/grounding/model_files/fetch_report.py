# SPDX-License-Identifier: Apache-2.0
"""The progress of a fetch."""

from __future__ import annotations


class FetchReport:
    """A listener to the progress of a fetch that ignores it; that of a terminal draws bars."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage.

        Args:
            what: what is being done, such as "downloading mpnet".
            total: its bytes; 0 if they are not known.
        """

    def advance(self, count: int) -> None:
        """Count bytes of the stage that are done since the last call."""

    def say(self, sentence: str) -> None:
        """Report a fault that was found and is being mended."""
