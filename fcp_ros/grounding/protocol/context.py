# SPDX-License-Identifier: Apache-2.0
"""Judgement requests: the declared context of a predicate's arguments, in canonical form.

A request holds only what the predicate declares: the category of each element (always), the
listed attributes, and the element's own name if ``name`` is listed. So two mugs of one category
are the same question unless names are declared.
"""

from __future__ import annotations

import math

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.arithmetic import COORDINATES
from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import ArgumentContext, AttributeValue, JudgementRequest

NAME = "name"
CATEGORY = "category"
SIGNIFICANT_DIGITS = 3
COORDINATE_DECIMALS = 2
"""Positions (m) are known to the centimetre."""


def build_request(
    predicate: GradedPredicate, arguments: tuple[str, ...], instance: Instance
) -> JudgementRequest:
    """Build the question to what degree ``predicate`` holds of ``arguments`` in ``instance``.

    Args:
        predicate: the graded predicate.
        arguments: one for each parameter, in order: an element's name, or the text itself for a
            parameter of type ``text``.
        instance: the state that holds the elements and their attributes.

    Raises:
        GroundingError: wrong number of arguments, an unknown element or attribute.
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
