# SPDX-License-Identifier: Apache-2.0
"""A proof that no plan is better, without looking for one: every way to the goal costs too much.

What a narrow task shows to be the best plan may be shown to be the best of all by the loss that no
plan avoids (see unavoidable.py), with a few more judgements. Then nothing wider is instantiated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.compile.formula import Bound, Either, Formula
from fcp_ros.planning.judging.candidates_to_judge import batch_of_round
from fcp_ros.planning.judging.unavoidable import UnavoidableLoss
from fcp_ros.planning.model.memberships import GradedAtom, Judge


def none_is_better(
    formula: Formula,
    loss: float,
    bounds: Callable[[], UnavoidableLoss],
    judge: Judge,
    check: Callable[[], None],
) -> bool:
    """Whether it can be shown that no plan has less loss.

    Arguments:
        formula: the ground goal.
        loss: of the best plan so far.
        bounds: bounds by what is known when it is called.
        judge: asked for the judgements that may settle it, the most promising first, in growing
            batches; each is about an alternative that may be better by all that is known.
        check: called all the time; may raise to stop.
    """
    left = list(_alternatives(formula))
    number = 1
    while True:
        unavoidable = bounds()
        questions: list[tuple[float, GradedAtom]] = []
        better = []
        for part in left:
            check()
            least = unavoidable.of(part)
            if least.total < loss - EPSILON:
                if not least.open:
                    return False
                better.append(part)
                questions.append((least.total, least.open[0]))
        if not better:
            return True
        questions.sort(key=lambda question: question[0])
        judge.judge(atom for _, atom in questions[: batch_of_round(number)])
        left = better
        number += 1


def _alternatives(formula: Formula) -> Iterator[Formula]:
    """The choices that a goal leaves at its top."""
    if isinstance(formula, Either):
        for part in formula.parts:
            yield from _alternatives(part)
    elif isinstance(formula, Bound):
        yield from _alternatives(formula.body)
    else:
        yield formula
