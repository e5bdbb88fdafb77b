# SPDX-License-Identifier: Apache-2.0
"""The error that all files, goals, names and models that can't be used have in common."""

from fcp_ros.foundation.wording import hide_controls


class InputError(ValueError):
    """Something that a user gave can't be used; the message says what, where, and what to do.

    Programs that answer a user catch this one, without importing the layers that raise it. Its text
    quotes what was given, so it is made harmless for the terminal or log that shows it.
    """

    def __str__(self) -> str:
        return hide_controls(super().__str__())
