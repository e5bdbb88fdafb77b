# SPDX-License-Identifier: Apache-2.0
"""Why a limit or colimit is refused."""


class LimitError(ValueError):
    """A limit or colimit that no instance is, or maps that are no cone; the message says why."""


class PresentationError(LimitError):
    """Generators and equations that present no instance within the bound, or that make no sense."""
