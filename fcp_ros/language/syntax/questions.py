# SPDX-License-Identifier: Apache-2.0
"""Questions that the next sentence makes conditions: "Is the fridge closed? If not, close it."."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.syntax.requests import CHECKING, Force, Framed
from fcp_ros.language.syntax.tree import SUBJECTS, Word

_ANSWERS = {("not",): False, ("no",): False, ("so",): True, ("yes",): True, ("it", "is"): True}
"""Words behind "if", and True if the answer is yes."""


_CLOSING = (",", ".", ";", "!", "?", "and")
_JOINING = (",", ".", ";", "and", "then")
_BEING = ("is", "are")
_ASSUMED = (
    *(((who, verb, "not"), False) for who in ("it", "they", "that") for verb in _BEING),
    *(((who, verb, "n't"), False) for who in ("it", "they", "that") for verb in _BEING),
    *(((who, verb), True) for who in ("it", "they") for verb in _BEING),
    (("that", "is", "the", "case"), True),
    (("not",), False),
    (("no",), False),
    (("so",), True),
    (("yes",), True),
)


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


def join_checks(tokens: Sequence[Token]) -> list[Token] | None:
    """Write "check if the fridge is closed, and if not, close it" as one condition.

    Also "..., and close it if it isn't". Returns None where nothing is checked.
    """
    texts = [token.text for token in tokens]
    for start, text in enumerate(texts):
        if text not in CHECKING or not _begins_clause(texts, start):
            continue
        begin = start + 1 + (texts[start + 1 : start + 2] == ["out"])
        if texts[begin : begin + 1] not in (["if"], ["whether"]):
            continue
        end = next((i for i in range(begin, len(texts)) if texts[i] in _CLOSING), len(texts))
        being = next((i for i in range(begin, end) if texts[i] in _BEING), -1)
        if being < 0:
            continue
        rest = end
        while rest < len(texts) and texts[rest] in _JOINING:
            rest += 1
        found = _find_answer(texts, rest)
        if found is None:
            continue
        first, behind, positive = found
        condition = [replace(tokens[begin], text="if"), *tokens[begin + 1 : being + 1]]
        if not positive:
            condition.append(replace(tokens[first], text="not"))
        condition += tokens[being + 1 : end]
        comma = replace(tokens[min(end, len(tokens) - 1)], text=",", kind=TokenKind.MARK)
        asked = [*tokens[rest:first], *tokens[behind:]]
        while asked and asked[0].text in _JOINING:
            asked = asked[1:]
        before = list(tokens[:start])
        while before and before[-1].text in ("go", "and", "please", "then"):
            before.pop()
        return [*before, *condition, comma, *asked]
    return None


def write_inversions(tokens: Sequence[Token]) -> list[Token]:
    """Write "should the fridge be open, close it" as "if the fridge is open, close it"."""
    found = list(tokens)
    for start, token in enumerate(tokens):
        if token.text != "should" or not (start == 0 or tokens[start - 1].text in _CLOSING):
            continue
        marks = (i for i in range(start, len(tokens)) if tokens[i].kind is TokenKind.MARK)
        end = next(marks, len(tokens))
        being = next((i for i in range(start + 2, end) if tokens[i].text == "be"), -1)
        if being < 0 or end + 1 >= len(tokens) or tokens[end].text != ",":
            continue  # "should it be open?" asks
        found[start] = replace(token, text="if")
        found[being] = replace(tokens[being], text="is")
    return found


def _begins_clause(texts: Sequence[str], place: int) -> bool:
    return place == 0 or texts[place - 1] in (*_CLOSING, "please", "then", "to", "go", "you")


def _find_answer(texts: Sequence[str], start: int) -> tuple[int, int, bool] | None:
    """Find "if not" from a token on: where it begins and ends, and True if it says yes."""
    for first in range(start, len(texts)):
        if texts[first] in (".", ";", "!", "?") and first > start:
            return None
        if texts[first] != "if":
            continue
        for words, positive in _ASSUMED:
            behind = first + 1 + len(words)
            closed = behind == len(texts) or texts[behind] in _CLOSING or behind - first <= 2
            if tuple(texts[first + 1 : behind]) == words and closed:
                return first, behind, positive
    return None


def _join(tokens: Sequence[Token], question: Framed, following: Framed) -> list[Token] | None:
    tree = question.segment.tree
    verb, subject = tree.root, tree.find_child(tree.root.place, *SUBJECTS)
    start = min(word.token for word in tree.words if word.token >= 0)
    assumed = min((w.token for w in following.segment.tree.words if w.token >= 0), default=0)
    if verb.lemma != "be" or subject is None:
        return None
    last = max((w.token for w in following.segment.tree.words), default=0)
    if tokens[last].text == "then" and following.segment.piece.imperative:
        return _assume(tokens, question, subject, (start, assumed, last))
    if tokens[assumed].text != "if":
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


def _assume(
    tokens: Sequence[Token], question: Framed, subject: Word, places: tuple[int, int, int]
) -> list[Token]:
    """Write "Is the fridge open? Close it then." as "if the fridge is open, close it".

    Args:
        places: the first token of the question, that of the request, and its "then".
    """
    start, assumed, last = places
    tree, end = question.segment.tree, assumed - 1
    verb = tree.root.token
    who = sorted(t for t in (tree.words[p].token for p in tree.list_subtree(subject.place)))
    said = [t for t in range(start, end) if t != verb and t not in who]
    condition = [replace(tokens[verb], text="if"), *(tokens[t] for t in who), tokens[verb]]
    condition += [*(tokens[t] for t in said), replace(tokens[end], text=",")]
    return [*tokens[:start], *condition, *tokens[assumed:last], *tokens[last + 1 :]]
