# SPDX-License-Identifier: Apache-2.0
"""The one exception of the conversions."""


class ConversionError(ValueError):
    """A message that does not stand for a value of the model; one sentence what, where, and why."""
