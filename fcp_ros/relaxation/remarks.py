# SPDX-License-Identifier: Apache-2.0
"""The purpose that somebody says beside what is to be done: "I have to call a doctor"."""

from __future__ import annotations

import re

from fcp_ros.language.english.inflection import write_gerund
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.reading import Reading, WordRole

_PERSON = r"(?:i|we|you|he|she|they|people|somebody|someone)"
_NEED = re.compile(
    rf"^(?:(?:because|since|as|so that|so|for|and)\s+)*{_PERSON}\s*"
    r"(?:(?:am |'m |are |'re |is |'ve |would |'d )?(?:have|has|got|need|needs|want|wants|like|"
    r"going|trying|about)\s+to|must|should|will|'ll|can|could)\s+"
    r"(?P<verb>[a-z]+)(?P<rest>(?:\s+[\w'-]+)*)$"
)


def read_purpose(instruction: str, reading: Reading) -> str:
    """Read the purpose out of the remarks of an instruction, such as "calling a doctor".

    Returns:
        The purpose; "" if none is said, or it is part of the goal.
    """
    for word in reading.words:
        if word.role is WordRole.FILLER and word.meaning == ASIDE:
            said = instruction[word.start : word.end].strip(" ,.;:!").lower()
            found = _NEED.match(said)
            if found is not None:
                return f"{write_gerund(found['verb'])}{found['rest']}"
    return ""
