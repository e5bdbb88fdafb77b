# SPDX-License-Identifier: Apache-2.0
"""Words that turn a meaning round: nobody who leaves words out may lack one of another's."""

from fcp_ros.language.english.turning_words import (
    CONTRARY,
    EXCEPTIONS,
    NEGATIVES,
    NOT_REMARKED,
    NOT_STATED,
    NOTHINGS,
    RESTRICTIONS,
    TURNING,
)


def test_what_is_contrary_turns_and_no_class_is_half_there():
    assert CONTRARY <= TURNING
    assert NOTHINGS | EXCEPTIONS | RESTRICTIONS <= TURNING & NOT_REMARKED
    assert NEGATIVES <= TURNING
    assert not NEGATIVES & NOT_REMARKED, '"I can\'t sleep" is a remark'
    assert {"except", "unless", "until", "instead", "rather", "if", "nor"} <= NOT_STATED & TURNING
