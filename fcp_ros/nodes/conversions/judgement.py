# SPDX-License-Identifier: Apache-2.0
"""Judgement requests and memberships as messages and back, and the refusal where there is none."""

from __future__ import annotations

from fcp_ros.grounding.judgement import (
    WRONG_QUESTION,
    ArgumentContext,
    GroundingError,
    JudgementRequest,
    Membership,
)
from fcp_ros.msg import Argument, Judgement, PredicateQuery
from fcp_ros.msg import ArgumentContext as ArgumentContextMessage
from fcp_ros.msg import Membership as MembershipMessage
from fcp_ros.nodes.conversions.common import (
    LIST,
    ConversionError,
    FieldConversion,
    FieldTable,
    attributes_from_ros,
    attributes_to_ros,
)
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal
from fcp_ros.planning.model.plan import Judged


def request_to_ros(request: JudgementRequest) -> PredicateQuery:
    return PredicateQuery(
        predicate=request.predicate,
        arguments=[
            ArgumentContextMessage(
                argument=Argument(
                    parameter=argument.parameter,
                    kind=Argument.TEXT if argument.is_text else Argument.ELEMENT,
                    value=argument.text,
                ),
                category=argument.category,
                attributes=attributes_to_ros(dict(argument.attributes)),
            )
            for argument in request.arguments
        ],
    )


def request_from_ros(message: PredicateQuery) -> JudgementRequest:
    """Read a question to the grounder.

    Raises:
        ConversionError: no predicate, an unknown kind of argument, an element without category.
    """
    if not message.predicate:
        raise ConversionError("a query names no predicate: give one of the domain's graded ones")
    return JudgementRequest(
        message.predicate,
        tuple(_argument_from_ros(message.predicate, item) for item in message.arguments),
    )


def _argument_from_ros(predicate: str, message: ArgumentContextMessage) -> ArgumentContext:
    argument = message.argument
    where = f"{predicate}: the argument {argument.parameter!r}"
    if argument.kind == Argument.TEXT:
        return ArgumentContext(argument.parameter, argument.value)
    if argument.kind != Argument.ELEMENT:
        raise ConversionError(f"{where} has kind {argument.kind}: give ELEMENT (1) or TEXT (2)")
    if not message.category:
        raise ConversionError(f"{where} has no category: say what {argument.value!r} is")
    attributes = attributes_from_ros(message.attributes)
    return ArgumentContext(
        argument.parameter, argument.value, message.category, tuple(sorted(attributes.items()))
    )


MEMBERSHIPS = FieldTable(Membership, MembershipMessage, samples=LIST, distribution=LIST)


def membership_from_ros(message: MembershipMessage) -> Membership:
    """Read an answer of the grounder. Raises ConversionError if a number is not in [0, 1]."""
    try:
        return MEMBERSHIPS.read(message)
    except GroundingError as error:
        raise ConversionError(str(error)) from error


JUDGEMENTS = FieldTable(
    Judged,
    Judgement,
    request=FieldConversion(request_to_ros, request_from_ros, "query"),
    membership=FieldConversion(MEMBERSHIPS.write, membership_from_ros),
)


def refuse_judgement(error: GroundingError) -> RequestRefusal:
    wrong = error.code in WRONG_QUESTION
    kind = RefusalKind.INVALID_REQUEST if wrong else RefusalKind.NO_JUDGEMENT
    return RequestRefusal(kind, error.sentence)
