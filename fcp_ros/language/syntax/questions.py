# SPDX-License-Identifier: Apache-2.0
"""Questions that the next sentence makes conditions: "Is the fridge closed? If not, close it."."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.syntax.clauses import SUBJECTS
from fcp_ros.language.syntax.requests import Force, Framed

_ANSWERS = {("not",): False, ("no",): False, ("so",): True, ("yes",): True, ("it", "is"): True}
"""Words behind "if", and True if the answer is yes."""


def join_conditions(tokens: Sequence[Token], framed: Sequence[Framed]) -> list[Token] | None:
    """Write a question and the answer that is assumed as one condition; None if there is none.

    "Is the fridge closed? If not, close it." becomes "if the fridge is not closed, close it", with
    the tokens at the places that they have in the instruction.
    """
    for question, following in pairwise(framed):
        if question.force is not Force.QUESTION:
            continue
        joined = _join(tokens, question, following)
        if joined is not None:
            return joined
    return None


def _join(tokens: Sequence[Token], question: Framed, following: Framed) -> list[Token] | None:
    tree = question.segment.tree
    verb, subject = tree.root, tree.find_child(tree.root.place, *SUBJECTS)
    start = min(word.token for word in tree.words if word.token >= 0)
    assumed = min((w.token for w in following.segment.tree.words if w.token >= 0), default=0)
    if verb.lemma != "be" or subject is None or tokens[assumed].text != "if":
        return None
    behind = [token.text for token in tokens[assumed + 1 : assumed + 3]]
    answer = next((a for a in _ANSWERS if tuple(behind[: len(a)]) == a), None)
    if answer is None:
        return None
    end = assumed - 1  # the mark behind the question
    who = [tree.words[place].token for place in tree.list_subtree(subject.place)]
    said = [token for token in range(start, end) if token != verb.token and token not in who]
    condition = [tokens[assumed], *(tokens[t] for t in sorted(who)), tokens[verb.token]]
    words = tokens[assumed + 1 : assumed + 1 + len(answer)]
    if not _ANSWERS[answer]:
        condition.append(replace(words[0], text="not"))
    rest = assumed + 1 + len(answer)
    comma = replace(tokens[end], text=",")
    rest += tokens[rest].text == "," if rest < len(tokens) else 0
    return [*tokens[:start], *condition, *(tokens[t] for t in said), comma, *tokens[rest:]]
