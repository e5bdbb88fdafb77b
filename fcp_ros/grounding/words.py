# SPDX-License-Identifier: Apache-2.0
"""Labels as words: what a person, and a language model, would read."""

import re

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s_\-]+")
_TRAILING_NUMBER = re.compile(r"( \d+)+$")


def words_of_label(label: str) -> str:
    """``"dining_table_2"`` and ``"DiningTable"`` both become ``"dining table"``."""
    spaced = _SEPARATORS.sub(" ", _CAMEL.sub(" ", label)).strip().lower()
    return _TRAILING_NUMBER.sub("", spaced) or spaced
