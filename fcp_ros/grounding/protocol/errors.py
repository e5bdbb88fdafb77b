# SPDX-License-Identifier: Apache-2.0
"""The one exception of the grounding layer: a code for programs, a sentence for people."""

from enum import Enum

from fcp_ros.foundation.input_error import InputError


class GroundingCode(str, Enum):
    """Reasons for which a membership can't be determined."""

    UNKNOWN_PREDICATE = "unknown_predicate"
    UNKNOWN_ELEMENT = "unknown_element"
    UNKNOWN_ATTRIBUTE = "unknown_attribute"
    UNKNOWN_ORACLE = "unknown_oracle"
    WRONG_ARGUMENTS = "wrong_arguments"
    INVALID_OPTION = "invalid_option"
    INVALID_DEGREE = "invalid_degree"
    NO_TABLE_ENTRY = "no_table_entry"
    NOT_KNOWN = "not_known"
    NO_ANCHORS = "no_anchors"
    MISSING_LIBRARY = "missing_library"
    MODEL_NOT_FOUND = "model_not_found"
    NOT_A_MODEL = "not_a_model"
    UNSAFE_WEIGHTS = "unsafe_weights"
    MODEL_FAILED = "model_failed"
    NO_ANSWER = "no_answer"
    CONTEXT_TOO_LONG = "context_too_long"
    SERVER_UNREACHABLE = "server_unreachable"
    SERVER_FAILED = "server_failed"
    STORE_FAILED = "store_failed"


WRONG_QUESTION = frozenset(
    {
        GroundingCode.UNKNOWN_PREDICATE,
        GroundingCode.UNKNOWN_ELEMENT,
        GroundingCode.UNKNOWN_ATTRIBUTE,
        GroundingCode.WRONG_ARGUMENTS,
    }
)
"""Errors in a request itself. After any other one the request may be right, and nobody can judge
it with the present models, servers and settings."""


class GroundingError(InputError):
    """A judgement, model or store that can't be used; the sentence says where and what to do."""

    def __init__(self, code: GroundingCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    @property
    def statement(self) -> str:
        """The sentence where nothing stands before it, as the message of an answer."""
        if self.sentence[:1].isupper():
            return self.sentence
        return f"A degree can't be judged: {self.sentence.removesuffix('.')}."

    def __reduce__(self) -> tuple[type["GroundingError"], tuple[GroundingCode, str]]:
        """Keep both arguments when the error crosses a process boundary."""
        return (type(self), (self.code, self.sentence))
