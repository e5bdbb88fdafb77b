# SPDX-License-Identifier: Apache-2.0
"""Judgement requests (questions) and memberships (answers) as plain values, and the one exception.

The membership of a graded predicate depends on its *declared* context only (docs/design.md).
The canonical text of that context is the key of the cache and of the calibration store, and
oracles are shown nothing else. A `GroundingError` is a code for programs, a sentence for people.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from itertools import repeat
from json.encoder import encode_basestring as quote
from typing import Any, ClassVar

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.arithmetic import COORDINATES
from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.fuzzy import tnorm

CONFIRMED = ("embedding", "head")
"""The oracles whose degrees a tuned encoder may judge again (`Grounder.confirm`)."""
NOTICEABLE = 0.005  # The smallest move of a degree that anybody is told


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

    def __reduce__(self) -> tuple[type[GroundingError], tuple[GroundingCode, str]]:
        """Keep both arguments when the error crosses a process boundary."""
        return (type(self), (self.code, self.sentence))


#
# A request holds only what the predicate declares: the category of each element (always), the
# listed attributes, and the element's own name if ``name`` is listed. So two mugs of one category
# are the same question unless names are declared.

NAME = "name"
CATEGORY = "category"
SIGNIFICANT_DIGITS = 3
COORDINATE_DECIMALS = 2  # Positions (m) are known to the centimetre


def build_request(
    predicate: GradedPredicate, arguments: tuple[str, ...], instance: Instance
) -> JudgementRequest:
    """Build the question to what degree ``predicate`` holds of ``arguments`` in ``instance``.

    `arguments`, one for each parameter: an element's name, or the text itself for a parameter of
    type ``text``. GroundingError: their number is wrong, or one or its attribute is unknown.
    """
    parameters = predicate.parameters
    if len(arguments) != len(parameters):
        raise GroundingError(
            GroundingCode.WRONG_ARGUMENTS,
            f"{predicate.name} has {len(parameters)} parameters "
            f"({', '.join(p.name for p in parameters)}) but was given {len(arguments)} arguments",
        )
    return JudgementRequest(
        predicate.name,
        tuple(
            ArgumentContext(parameter.name, argument)
            if parameter.is_text
            else _build_element_context(predicate, parameter.name, argument, instance)
            for parameter, argument in zip(parameters, arguments, strict=True)
        ),
    )


def _build_element_context(
    predicate: GradedPredicate, parameter: str, name: str, instance: Instance
) -> ArgumentContext:
    if not instance.has(name):
        raise GroundingError(
            GroundingCode.UNKNOWN_ELEMENT,
            f"{predicate.name}: there is no element {name} in the state; "
            "use the name of one that is there",
        )
    element = instance.id_of(name)
    type_name = instance.type_of(element)
    everywhere = {attribute.name for attribute in instance.schema.attributes}
    label = instance.attribute(element, CATEGORY)
    attributes: dict[str, AttributeValue] = {}
    for declared in predicate.context.get(parameter, ()):
        if declared == NAME:
            attributes[NAME] = name
        elif declared == CATEGORY:
            continue
        elif declared not in everywhere:
            raise GroundingError(
                GroundingCode.UNKNOWN_ATTRIBUTE,
                f"{predicate.name} declares {declared} as context of {parameter}, but the schema "
                f"has no such attribute; it has {', '.join(sorted(everywhere)) or 'none'}",
            )
        # An attribute that only other types have counts as unknown for this element.
        elif (value := instance.attribute(element, declared)) is not None:
            attributes[declared] = canonicalise(declared, value)
    return ArgumentContext(
        parameter,
        name,
        normalise_label(str(label)) if label else normalise_label(type_name),
        tuple(sorted(attributes.items())),
    )


def canonicalise(attribute: str, value: AttributeValue) -> AttributeValue:
    """Round a value for use in a context key: numbers to three significant digits.

    A box measured 2 mm wider tomorrow is still the same context, so its cached judgement and its
    evidence are found again. Coordinates are rounded to `COORDINATE_DECIMALS` instead: the
    precision of a position doesn't depend on its distance from the map's origin.
    """
    if isinstance(value, float) and math.isfinite(value):
        if attribute in COORDINATES:
            return round(value, COORDINATE_DECIMALS) + 0.0  # and no -0.0
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return value


# --- judgement requests (questions) and memberships (answers) as plain values ---

AttributeValue = bool | int | float | str

HIGHEST_SCORE = 100
"""Models judge in whole scores from 0 to this number; the degree is score / HIGHEST_SCORE."""
SCORE_COUNT = HIGHEST_SCORE + 1


@dataclass(frozen=True, slots=True)
class ArgumentContext:
    """One bound argument of a graded predicate with its declared context."""

    parameter: str
    text: str  # the element's name, or the text itself for a parameter of type ``text``
    category: str = ""  # the element's category in words ("dining table"); "" for a text
    # the declared attributes that are known, as (name, value), sorted by name. The element's name
    # is part of the context only as the attribute ``name``.
    attributes: tuple[tuple[str, AttributeValue], ...] = ()

    @property
    def is_text(self) -> bool:
        """True for a text argument ("drinking"), False for an element of the scene."""
        return not self.category

    @property
    def words(self) -> str:
        """The argument in words: the category of an element, else the text."""
        return self.category or " ".join(self.text.split())

    def write_key(self) -> str:
        """Write the part of the argument that the membership may depend on, as canonical JSON."""
        if self.attributes and self.category:
            return write_canonically(self.to_json())
        # The same text, in a tenth of the time: it is written for every question.
        if self.category:
            return f'{{"category":{quote(self.category)},"parameter":{quote(self.parameter)}}}'
        text = " ".join(self.text.lower().split())
        return f'{{"parameter":{quote(self.parameter)},"text":{quote(text)}}}'

    def to_json(self) -> dict[str, object]:
        """Return the part of the argument that the membership may depend on, as JSON content."""
        if self.is_text:
            return {"parameter": self.parameter, "text": " ".join(self.text.lower().split())}
        declared: dict[str, object] = {"parameter": self.parameter, "category": self.category}
        if self.attributes:
            declared["attributes"] = dict(self.attributes)
        return declared


class _LazyKey:
    """The key of a request, written at the first use and then an attribute of the instance.

    `functools.cached_property` takes a lock for this, at half the time of writing a key.
    """

    def __get__(self, request: JudgementRequest, owner: type) -> str:
        key = request.write_key()
        request.__dict__["context_key"] = key
        return key


@dataclass(frozen=True)
class JudgementRequest:
    """The question "to what degree does this predicate hold of these arguments?"."""

    predicate: str  # name of the graded predicate
    # one context for each parameter, in the order of the parameters
    arguments: tuple[ArgumentContext, ...]

    context_key: ClassVar[_LazyKey] = _LazyKey()  # `write_key`, written once

    def write_key(self) -> str:
        """Write canonical JSON of predicate and declared context; equal keys, equal degrees."""
        arguments = ",".join([argument.write_key() for argument in self.arguments])
        return f'{{"arguments":[{arguments}],"predicate":{quote(self.predicate)}}}'

    def __str__(self) -> str:
        names = (f'"{a.text}"' if a.is_text else a.text for a in self.arguments)
        return f"{self.predicate}({', '.join(names)})"


@dataclass(frozen=True, slots=True)
class Membership:
    """The degree to which a graded predicate holds, and where it comes from; numbers in [0, 1]."""

    degree: float  # the membership after calibration, in [0, 1]
    prior: float  # the oracle's degree before calibration, in [0, 1]
    samples: tuple[float, ...] = ()  # the single judgements behind the prior, each in [0, 1]
    # width of the middle half of the judgements (interquartile range), in [0, 1]
    spread: float = 0.0
    # the kind of oracle: "embedding", "causal_lm", "table"; "judged" if it was looked up
    source: str = ""
    model: str = ""  # which model or table answered
    evidence_count: int = 0  # observed outcomes that calibration used
    note: str = ""  # remarks for people about this number
    # probabilities of the scores 0, 1 .. 100 (101 numbers that sum to 1) if a model's distribution
    # was read exactly, else empty.
    distribution: tuple[float, ...] = ()
    # seconds that the oracle took, divided evenly among the requests of one batch; 0 for a cached
    # answer. Comparisons of memberships ignore it.
    latency: float = field(default=0.0, compare=False)
    fallback: str = ""  # reason for which another oracle than the intended one answered, else ""
    # standard deviation of the prior's error that the oracle expects, in [0, 1]; None if it doesn't
    # say
    uncertainty: float | None = None

    def __post_init__(self) -> None:
        check_degree(self.degree, "the degree of a membership")
        check_degree(self.prior, "the prior of a membership")
        check_degree(self.spread, "the spread of a membership")
        if self.uncertainty is not None:
            check_degree(self.uncertainty, "the uncertainty of a membership")
        for sample in self.samples:
            check_degree(sample, "a sample of a membership")
        if not 0.0 <= self.latency < math.inf:
            raise GroundingError(
                GroundingCode.INVALID_DEGREE,
                f"the latency of a membership is {self.latency}; it must be seconds, 0 or more",
            )
        # Written so that NaN is refused too.
        if self.distribution and (
            len(self.distribution) != SCORE_COUNT
            or not all(0.0 <= p <= 1.0 for p in self.distribution)
        ):
            raise GroundingError(
                GroundingCode.INVALID_DEGREE,
                f"the distribution of a membership has {len(self.distribution)} numbers; it must "
                f"have {SCORE_COUNT} in [0, 1], one for each score from 0 to 100",
            )

    @classmethod
    def of_degree(
        cls,
        degree: float,
        source: str,
        model: str,
        note: str,
        *,
        fallback: str = "",
        uncertainty: float | None = None,
    ) -> Membership:
        """Build the answer of an oracle that gives one degree and no spread."""
        return cls(
            degree,
            degree,
            samples=(degree,),
            source=source,
            model=model,
            note=note,
            fallback=fallback,
            uncertainty=uncertainty,
        )

    @classmethod
    def of_degrees(
        cls,
        degrees: Sequence[float],
        notes: Iterable[str],
        uncertainties: Sequence[float],
        *,
        source: str,
        model: str,
        latency: float,
    ) -> list[Membership]:
        """Build the answers of a batch, each like `of_degree`, in a quarter of the time."""
        for value in (*degrees, *uncertainties):
            check_degree(value, "a degree or uncertainty of a batch")
        example = cls(0.0, 0.0, source=source, model=model, latency=latency)
        own = {
            "degree": degrees,
            "prior": degrees,
            "samples": zip(degrees),
            "note": notes,
            "uncertainty": uncertainties,
        }
        return _build_all(len(degrees), example, own)


_SLOTS = {one.name: Membership.__dict__[one.name] for one in fields(Membership)}


def _build_all(
    count: int, example: Membership, own: Mapping[str, Iterable[Any]]
) -> list[Membership]:
    """Build memberships of checked values, column by column."""
    built = [object.__new__(Membership) for _ in range(count)]
    for name, slot in _SLOTS.items():
        values = own[name] if name in own else repeat(getattr(example, name), count)
        deque(map(slot.__set__, built, values), maxlen=0)
    return built


def drop_latencies(memberships: Sequence[Membership]) -> list[Membership]:
    """Copy memberships without their latency, like `dataclasses.replace` in a fifth of the time."""
    if not memberships:
        return []
    own = {
        name: map(slot.__get__, memberships) for name, slot in _SLOTS.items() if name != "latency"
    }
    return _build_all(len(memberships), Membership(0.0, 0.0), own)


def write_canonically(content: object) -> str:
    """Write JSON content as text: sorted names, no spaces, letters of all scripts as they are."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def check_degree(value: float, what: str) -> float:
    """Check a degree as `tnorm.check_degree` does, with the error of this layer."""
    try:
        return tnorm.check_degree(value, what)
    except ValueError as error:
        raise GroundingError(GroundingCode.INVALID_DEGREE, str(error)) from None
