# SPDX-License-Identifier: Apache-2.0
"""The error that all files, goals, names and models that can't be used have in common."""


class InputError(ValueError):
    """Something that a user gave can't be used; the message says what, where, and what to do.

    Programs that answer a user catch this one, without importing the layers that raise it.
    """
