# SPDX-License-Identifier: Apache-2.0
"""Progress of a fetch, for whoever waits for it."""

from __future__ import annotations


class FetchReport:
    """Is told how a fetch goes; takes no notice of it. A terminal's draws bars."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage.

        Args:
            what: is done, such as "downloading mpnet".
            total: its bytes; 0 if they are not known.
        """

    def advance(self, count: int) -> None:
        """Count bytes of the stage that are done since the last call."""

    def say(self, sentence: str) -> None:
        """Tell what was found to be wrong and is mended."""
