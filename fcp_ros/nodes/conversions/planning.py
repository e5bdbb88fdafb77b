# SPDX-License-Identifier: Apache-2.0
"""Planning requests and results, interpretations and questions, as messages and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.msg import Candidate as CandidateMessage
from fcp_ros.msg import ExploredRelaxation as ExploredMessage
from fcp_ros.msg import GivenUp as GivenUpMessage
from fcp_ros.msg import Interpretation as InterpretationMessage
from fcp_ros.msg import KeepingPrice as KeepingPriceMessage
from fcp_ros.msg import KeptPreference as KeptPreferenceMessage
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanRequest, Question
from fcp_ros.msg import PlanResult as PlanResultMessage
from fcp_ros.msg import PlanStatus as PlanStatusMessage
from fcp_ros.msg import Reading as ReadingMessage
from fcp_ros.msg import Relaxation as RelaxationMessage
from fcp_ros.msg import WordUse as WordUseMessage
from fcp_ros.nodes.conversions.common import (
    BINDING,
    LIST,
    ConversionError,
    FieldConversion,
    FieldTable,
    by_value,
    duration_from_ros,
)
from fcp_ros.nodes.conversions.judgement import JUDGEMENTS
from fcp_ros.nodes.conversions.plan import (
    PlanOrigin,
    budgets_from_ros,
    path_from_ros,
    path_to_ros,
    plan_from_ros,
    plan_to_ros,
)
from fcp_ros.planning.model.request import AbsentExecutor, Optimise, PlanningOptions
from fcp_ros.planning.model.result import (
    Candidate,
    ExploredRelaxation,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    Measure,
    PlanningResult,
    PlanStatus,
    PriceKind,
    Relaxation,
    RelaxationOutcome,
    Verdict,
)
from fcp_ros.relaxation.question import QuestionKind, UserQuestion, find_question

_WORDS = FieldTable(WordUse, WordUseMessage, role=by_value(WordRole, "the role of words"))
_READINGS = FieldTable(Reading, ReadingMessage, words=_WORDS.many)


def _read_status(code: int) -> ReadingStatus:
    for status in ReadingStatus:
        if getattr(InterpretationMessage, status.name) == code:
            return status
    raise ConversionError(f"an interpretation has the unknown status {code}")


_INTERPRETATIONS = FieldTable(
    Interpretation,
    InterpretationMessage,
    status=FieldConversion(lambda one: getattr(InterpretationMessage, one.name), _read_status),
    readings=_READINGS.many,
    choices=LIST,
)


def interpretation_to_ros(interpretation: Interpretation | None) -> InterpretationMessage:
    """Write an interpretation; None is the message of a request without an instruction."""
    if interpretation is None:
        return InterpretationMessage()
    return _INTERPRETATIONS.write(interpretation)


def interpretation_from_ros(message: InterpretationMessage) -> Interpretation | None:
    """Read an interpretation; None if there was no instruction.

    Raises ConversionError if a status or role is unknown, or words lie outside of the instruction.
    """
    if message.status == InterpretationMessage.NONE:
        return None
    length = len(message.instruction)
    for reading in message.readings:
        for use in reading.words:
            if not use.start <= use.end <= length:
                raise ConversionError(
                    f"words from {use.start} to {use.end} in an instruction of {length} characters"
                )
    return _INTERPRETATIONS.read(message)


_QUESTIONS = FieldTable(
    UserQuestion, Question, kind=by_value(QuestionKind, "the kind of a question"), choices=LIST
)


def question_to_ros(question: UserQuestion | None) -> Question:
    """Write a question; None is the message of "there is none"."""
    return Question() if question is None else _QUESTIONS.write(question)


def question_from_ros(message: Question) -> UserQuestion | None:
    """Read a question; None if there is none. Raises ConversionError if its kind is unknown."""
    return None if message.kind == Question.NONE else _QUESTIONS.read(message)


# --- relaxations of a goal: those taken, those refused, and the relaxed goals ---

MOST_EXPLORED = 500
"""Relaxed goals of one message; the chosen one and those before it are always among them."""


RELAXATIONS = FieldTable(Relaxation, RelaxationMessage)
"""Relaxations that were taken, or refused."""

EXPLORED = FieldTable(
    ExploredRelaxation,
    ExploredMessage,
    changes=LIST,
    outcome=by_value(RelaxationOutcome, "the outcome of a relaxed goal"),
)
"""Relaxed goals that were looked at; `limit_explored` before they are written."""


def limit_explored(explored: Sequence[ExploredRelaxation]) -> list[ExploredRelaxation]:
    """Return the first relaxed goals, and in any case the solved ones with their ancestors."""
    if len(explored) <= MOST_EXPLORED:
        return list(explored)
    by_number = {one.number: one for one in explored}
    kept: set[int] = set()
    for one in explored:
        number = one.number if one.outcome is RelaxationOutcome.SOLVED else -1
        while number in by_number and number not in kept:
            kept.add(number)
            number = by_number[number].parent
    for one in explored:
        if len(kept) >= MOST_EXPLORED:
            break
        kept.add(one.number)
    return [one for one in explored if one.number in kept]


# --- planning requests and results, as messages and back ---

MOST_CHARACTERS = 10_000
"""Longest goal or instruction of a request; no person says more at once."""
MOST_NAME = 1_000
"""Longest name of an element in a request."""


@dataclass(frozen=True)
class Wish:
    """The wish of a request: a goal, or an instruction in words."""

    # an expression; beside an instruction, the one that it was read as; "" if it is to be read
    goal: str = ""
    instruction: str = ""  # in words; "" for a goal that nobody said in words
    speaker: str = ""  # the element that speaks; "" for the default

    @property
    def text(self) -> str:
        return self.instruction or self.goal


def read_wish(message: PlanRequest) -> Wish:
    """Read the goal or instruction of a request.

    Raises ConversionError if it has none, or one of them is too long.
    """
    if not message.goal and not message.instruction:
        raise ConversionError(
            "there is neither a goal nor an instruction: say what shall be done, or what shall "
            "hold, such as on(?x, table_1)"
        )
    speaker = check_length(message.speaker, "speaker", MOST_NAME)
    return Wish(message.goal, check_length(message.instruction, "instruction"), speaker)


def check_length(text: str, name: str, most: int = MOST_CHARACTERS) -> str:
    """Return a text that is not too long. Raises ConversionError if it is."""
    if len(text) > most:
        raise ConversionError(f"the {name} has {len(text)} characters: {most} are allowed")
    return text


def request_from_ros(
    message: PlanRequest, defaults: PlanningOptions
) -> tuple[Wish, PlanningOptions]:
    """Read wish and options of a request; `defaults` provide what it leaves open.

    Left open are: alpha, `confirm_below` and `indifference` as NaN, a time limit of zero, an empty
    t-norm, an empty `optimise`, and a deadline of zero. Values are not checked here (see
    `find_problems`). Raises ConversionError if `optimise` is an unknown word, or a budget is given
    twice; or see `read_wish`.
    """
    wish = read_wish(message)
    time_limit = duration_from_ros(message.time_limit)
    if not math.isnan(message.alpha):
        defaults = defaults.with_alpha(message.alpha)
    options = replace(
        defaults,
        time_limit=time_limit if time_limit != 0.0 else defaults.time_limit,
        tnorm=message.tnorm or defaults.tnorm,
        allow_relaxation=defaults.allow_relaxation and not message.forbid_relaxation,
        confirm_below=_read_confirm_below(message.confirm_below, wish, defaults),
        indifference=(
            defaults.indifference if math.isnan(message.indifference) else message.indifference
        ),
        explain=message.explain,
        optimise=_read_objective(message.optimise, defaults),
        deadline=duration_from_ros(message.deadline) or defaults.deadline,
        budgets=budgets_from_ros(message.budgets) or defaults.budgets,
        absent=frozenset(AbsentExecutor(one.agent, one.executor) for one in message.absent),
    )
    return wish, options


def _read_confirm_below(given: float, wish: Wish, defaults: PlanningOptions) -> float | None:
    """Read the degree below which a relaxation is asked about; the parameter is about words."""
    # 0 is what a message has in which nobody set it: an instruction is not obeyed unasked for that.
    if wish.instruction:
        return defaults.confirm_below if math.isnan(given) or given == 0.0 else given
    return None if math.isnan(given) else given


def _read_objective(word: str, defaults: PlanningOptions) -> Optimise:
    if not word:
        return defaults.optimise
    try:
        return Optimise(word)
    except ValueError:
        known = ", ".join(item.value for item in Optimise)
        raise ConversionError(f"optimise is {word!r}: choose one of {known}") from None


def status_to_ros(status: PlanStatus, message: str) -> PlanStatusMessage:
    return PlanStatusMessage(code=status.value, message=message)


def status_from_ros(message: PlanStatusMessage) -> PlanStatus:
    """Read the status of a planning request.

    Raises ConversionError for an unknown code (an answer that was never filled in has 0).
    """
    try:
        return PlanStatus(message.code)
    except ValueError:
        raise ConversionError(f"a plan status has the unknown code {message.code}") from None


_CANDIDATES = FieldTable(Candidate, CandidateMessage, binding=BINDING, judgements=JUDGEMENTS.many)

_PRICES = FieldTable(
    KeepingPrice,
    KeepingPriceMessage,
    kind=by_value(PriceKind, "the price of a preference"),
    measure=by_value(Measure, "the price of a preference"),
)

_GIVEN_UP = FieldTable(
    GivenUp,
    GivenUpMessage,
    price=FieldConversion(
        lambda price: KeepingPriceMessage() if price is None else _PRICES.write(price),
        lambda message: _PRICES.read(message) if message.kind else None,
    ),
)

_KEPT = FieldTable(KeptPreference, KeptPreferenceMessage)


def result_to_ros(
    result: PlanningResult, origin: PlanOrigin, interpretation: Interpretation | None = None
) -> PlanResultMessage:
    """Write a planning result; without a plan, its plan names the goal that was planned for.

    `origin`: the rest of the plan message. `interpretation`: of the instruction; None if a goal was
    asked for.
    """
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
        interpretation=interpretation_to_ros(interpretation),
        question=question_to_ros(find_question(result, interpretation)),
        best_membership=result.best_membership,
        alpha_reason=result.alpha_reason,
        explanation=[] if result.explanation is None else list(result.explanation.sentences()),
        candidates=_CANDIDATES.write_all(result.candidates),
        relaxations=RELAXATIONS.write_all(result.relaxations),
        refused_relaxations=RELAXATIONS.write_all(result.refused_relaxations),
        explored=EXPLORED.write_all(limit_explored(result.explored)),
        would_take=result.would_take,
        policy=result.policy,
        policy_notes=list(result.policy_notes),
        policy_path=path_to_ros(result.policy_trace),
        given_up=_GIVEN_UP.write_all(result.given_up),
        kept_preferences=_KEPT.write_all(result.kept_preferences),
        verified=result.verification is not None and result.verification.ok,
        expansions=result.expansions,
        timing_stages=list(result.timings),
        timing_seconds=[float(seconds) for seconds in result.timings.values()],
    )


def result_from_ros(message: PlanResultMessage) -> PlanningResult:
    """Read a planning result.

    Of the verification the message has only the success, of the explanation only the words, and of
    many relaxed goals, or moves of a policy, the first ones. `interpretation_from_ros` reads its
    interpretation. Raises ConversionError for an unknown status or price, or see `plan_from_ros`
    and `path_from_ros`.
    """
    status = status_from_ros(message.status)
    question = question_from_ros(message.question)
    to_confirm = question is not None and question.kind is QuestionKind.CONFIRMATION
    plan = plan_from_ros(message.plan) if status.solved or to_confirm else None
    verdict = None
    if message.verified:
        memberships = tuple(step.membership_after for step in message.plan.steps)
        verdict = Verdict(True, (), memberships, None)
    return PlanningResult(
        status=status,
        message=message.status.message,
        plan=plan,
        best_membership=message.best_membership,
        candidates=_CANDIDATES.read_all(message.candidates),
        relaxations=RELAXATIONS.read_all(message.relaxations),
        refused_relaxations=RELAXATIONS.read_all(message.refused_relaxations),
        explored=EXPLORED.read_all(message.explored),
        confirmation=question.text if question is not None and to_confirm else "",
        would_take=message.would_take,
        policy=message.policy,
        policy_notes=tuple(message.policy_notes),
        policy_trace=path_from_ros(message.policy_path),
        given_up=_GIVEN_UP.read_all(message.given_up),
        kept_preferences=_KEPT.read_all(message.kept_preferences),
        expansions=message.expansions,
        timings=dict(zip(message.timing_stages, message.timing_seconds, strict=True)),
        verification=verdict,
        goal=message.plan.planned_goal,
        alpha=message.plan.alpha,
        alpha_reason=message.alpha_reason,
        optimal_in=tuple(map(Measure, message.optimal_in)),
    )
