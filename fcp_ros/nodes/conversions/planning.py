# SPDX-License-Identifier: Apache-2.0
"""Planning requests and results, as messages and back."""

from __future__ import annotations

import math
from dataclasses import replace

from fcp_ros.msg import Candidate as CandidateMessage
from fcp_ros.msg import GivenUp as GivenUpMessage
from fcp_ros.msg import KeepingPrice as KeepingPriceMessage
from fcp_ros.msg import KeptPreference as KeptPreferenceMessage
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanRequest
from fcp_ros.msg import PlanResult as PlanResultMessage
from fcp_ros.msg import PlanStatus as PlanStatusMessage
from fcp_ros.msg import Relaxation as RelaxationMessage
from fcp_ros.nodes.conversions.common import (
    ConversionError,
    binding_from_ros,
    binding_to_ros,
    duration_from_ros,
    duration_to_ros,
)
from fcp_ros.nodes.conversions.judgement import judgements_from_ros, judgements_to_ros
from fcp_ros.nodes.conversions.plan import (
    PlanOrigin,
    budgets_from_ros,
    budgets_to_ros,
    plan_from_ros,
    plan_to_ros,
)
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.result import (
    Candidate,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    Measure,
    PlanningResult,
    PlanStatus,
    PriceKind,
    Relaxation,
    Verdict,
)


def request_to_ros(goal: str, options: PlanningOptions) -> PlanRequest:
    """Write a planning request; every setting that the message has is set."""
    return PlanRequest(
        goal=goal,
        alpha=float(options.alpha),
        time_limit=duration_to_ros(options.time_limit),
        tnorm=options.tnorm,
        forbid_relaxation=not options.allow_relaxation,
        explain=options.explain,
        optimise=options.optimise.value,
        deadline=duration_to_ros(options.deadline if math.isfinite(options.deadline) else 0.0),
        budgets=budgets_to_ros(options.budgets),
    )


def request_from_ros(
    message: PlanRequest, defaults: PlanningOptions
) -> tuple[str, PlanningOptions]:
    """Read goal and options of a request; `defaults` provide what it leaves open.

    Left open are: alpha as NaN, a time limit of zero, an empty t-norm, an empty `optimise`, and a
    deadline of zero. Values are not checked here (see `find_problems`).

    Raises:
        ConversionError: `optimise` is an unknown word, or a budget is given twice.
    """
    time_limit = duration_from_ros(message.time_limit)
    if not math.isnan(message.alpha):
        defaults = defaults.with_alpha(message.alpha)
    options = replace(
        defaults,
        time_limit=time_limit if time_limit != 0.0 else defaults.time_limit,
        tnorm=message.tnorm or defaults.tnorm,
        allow_relaxation=defaults.allow_relaxation and not message.forbid_relaxation,
        explain=message.explain,
        optimise=_read_objective(message.optimise, defaults),
        deadline=duration_from_ros(message.deadline) or defaults.deadline,
        budgets=budgets_from_ros(message.budgets) or defaults.budgets,
    )
    return message.goal, options


def _read_objective(word: str, defaults: PlanningOptions) -> Optimise:
    if not word:
        return defaults.optimise
    try:
        return Optimise(word)
    except ValueError:
        known = ", ".join(item.value for item in Optimise)
        raise ConversionError(f"optimise is {word!r}: choose one of {known}") from None


def status_to_ros(status: PlanStatus, message: str) -> PlanStatusMessage:
    """Write the status of a planning request."""
    return PlanStatusMessage(code=status.value, message=message)


def status_from_ros(message: PlanStatusMessage) -> PlanStatus:
    """Read the status of a planning request.

    Raises:
        ConversionError: an unknown code (an answer that was never filled in has 0).
    """
    try:
        return PlanStatus(message.code)
    except ValueError:
        raise ConversionError(f"a plan status has the unknown code {message.code}") from None


def result_to_ros(result: PlanningResult, origin: PlanOrigin) -> PlanResultMessage:
    """Write a planning result; without a plan, its plan names the goal that was planned for."""
    if result.plan is not None:
        plan = plan_to_ros(result.plan, origin)
    else:
        plan = PlanMessage(
            goal=origin.asked,
            planned_goal=result.goal,
            alpha=result.alpha if 0.0 <= result.alpha <= 1.0 else 0.0,
            scene_sequence_number=origin.scene_sequence,
        )
        plan.header.stamp = origin.stamp
        plan.header.frame_id = origin.frame_id
    return PlanResultMessage(
        status=status_to_ros(result.status, result.message),
        optimal_in=[measure.value for measure in result.optimal_in],
        plan=plan,
        best_membership=result.best_membership,
        alpha_reason=result.alpha_reason,
        explanation=[] if result.explanation is None else list(result.explanation.sentences()),
        candidates=[_candidate_to_ros(candidate) for candidate in result.candidates],
        relaxations=[_relaxation_to_ros(relaxation) for relaxation in result.relaxations],
        given_up=[_waiver_to_ros(one) for one in result.given_up],
        kept_preferences=[_preference_to_ros(one) for one in result.kept_preferences],
        verified=result.verification is not None and result.verification.ok,
        expansions=result.expansions,
        timing_stages=list(result.timings),
        timing_seconds=[float(seconds) for seconds in result.timings.values()],
    )


def result_from_ros(message: PlanResultMessage) -> PlanningResult:
    """Read a planning result.

    Of the verification the message has only the success, and of the explanation only the words.

    Raises:
        ConversionError: an unknown status or price, or see `plan_from_ros`.
    """
    status = status_from_ros(message.status)
    plan = plan_from_ros(message.plan) if status.solved else None
    verdict = None
    if message.verified:
        memberships = tuple(step.membership_after for step in message.plan.steps)
        verdict = Verdict(True, (), memberships, None)
    return PlanningResult(
        status=status,
        message=message.status.message,
        plan=plan,
        best_membership=message.best_membership,
        candidates=tuple(_candidate_from_ros(item) for item in message.candidates),
        relaxations=tuple(_relaxation_from_ros(item) for item in message.relaxations),
        given_up=tuple(_waiver_from_ros(item) for item in message.given_up),
        kept_preferences=tuple(_preference_from_ros(item) for item in message.kept_preferences),
        expansions=message.expansions,
        timings=dict(zip(message.timing_stages, message.timing_seconds, strict=True)),
        verification=verdict,
        goal=message.plan.planned_goal,
        alpha=message.plan.alpha,
        alpha_reason=message.alpha_reason,
        optimal_in=tuple(map(Measure, message.optimal_in)),
    )


def _candidate_to_ros(candidate: Candidate) -> CandidateMessage:
    return CandidateMessage(
        binding=binding_to_ros(candidate.binding),
        goal_degree=candidate.goal_degree,
        membership=candidate.membership,
        exact=candidate.exact,
        reachable=candidate.reachable,
        chosen=candidate.chosen,
        reason=candidate.reason,
        judgements=judgements_to_ros(candidate.judgements),
    )


def _candidate_from_ros(message: CandidateMessage) -> Candidate:
    return Candidate(
        binding=binding_from_ros(message.binding),
        membership=message.membership,
        goal_degree=message.goal_degree,
        reachable=message.reachable,
        chosen=message.chosen,
        judgements=judgements_from_ros(message.judgements),
        reason=message.reason,
        exact=message.exact,
    )


def _relaxation_to_ros(relaxation: Relaxation) -> RelaxationMessage:
    return RelaxationMessage(
        kind=relaxation.kind,
        original=relaxation.original,
        replacement=relaxation.replacement,
        degree=relaxation.degree,
        reason=relaxation.reason,
    )


def _relaxation_from_ros(message: RelaxationMessage) -> Relaxation:
    return Relaxation(
        message.kind, message.original, message.replacement, message.degree, message.reason
    )


def _waiver_to_ros(given_up: GivenUp) -> GivenUpMessage:
    price = given_up.price
    return GivenUpMessage(
        text=given_up.text,
        name=given_up.name,
        is_part=given_up.is_part,
        weight=given_up.weight,
        cost=given_up.cost,
        price=KeepingPriceMessage() if price is None else _price_to_ros(price),
    )


def _waiver_from_ros(message: GivenUpMessage) -> GivenUp:
    return GivenUp(
        message.name,
        message.text,
        message.weight,
        message.cost,
        _price_from_ros(message.price) if message.price.kind else None,
        message.is_part,
    )


def _price_to_ros(price: KeepingPrice) -> KeepingPriceMessage:
    return KeepingPriceMessage(
        kind=price.kind.value,
        membership=price.membership,
        more=price.more,
        measure=price.measure.value,
        reason=price.reason,
    )


def _price_from_ros(message: KeepingPriceMessage) -> KeepingPrice:
    try:
        kind, measure = PriceKind(message.kind), Measure(message.measure)
    except ValueError as error:
        raise ConversionError(f"the price of a preference: {error}") from None
    return KeepingPrice(kind, message.membership, message.more, measure, message.reason)


def _preference_to_ros(kept: KeptPreference) -> KeptPreferenceMessage:
    return KeptPreferenceMessage(
        text=kept.text,
        name=kept.name,
        weight=kept.weight,
        cost=kept.cost,
        degree=kept.degree,
    )


def _preference_from_ros(message: KeptPreferenceMessage) -> KeptPreference:
    return KeptPreference(message.name, message.text, message.weight, message.cost, message.degree)
