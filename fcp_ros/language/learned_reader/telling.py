# SPDX-License-Identifier: Apache-2.0
"""Remarks beside what is asked for ("the door is shut"), and things named before it."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.clause_roles import WRAPPING
from fcp_ros.language.learned_reader.marks import Mark, MarkKind
from fcp_ros.language.learned_reader.nucleus import Nucleus
from fcp_ros.language.parsing.trees import Act
from fcp_ros.language.syntax.clauses import Mood, ParsedClause
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.statements import tell
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_MODALS = gather_words("should must shall would could can will may might need have ought to 'd")
_WEIGHTY = gather_words(
    "most least more less fewer only except unless until never whichever whatever instead"
)
"""Words that limit something wherever they stand: a sentence with one is no mere remark."""
_LOGICAL = gather_words(
    "so only unless until if whenever never not no after before once nor "
    "case should provided assuming"
)
_RESUMING = gather_words("it them that those one ones both this these")
_TRANSITIVE = PUT_VERBS | gather_words("touch disturb")
PERSONS = gather_words("somebody someone everybody everyone nobody anyone anybody")
"""Subjects that "it" does not mean."""
PLACED = gather_words("go belong stay remain")
"""Verbs that say in the present where something shall be."""


def is_told(unit: Segment, end: int, marks: Sequence[Mark], last: Act) -> bool:
    """Return True for a statement that demands nothing.

    Args:
        end: after its last token.
        last: the act of the clause before it, if they are joined.

    What goes on from a demand without a verb of its own, or has no articles, is none: "(the
    counter shall be clean) and the door closed", "door shut".
    """
    tree, root = unit.tree, unit.tree.root
    helpers = list(tree.list_children(root.place, "aux", "auxpass"))
    subject = tree.find_child(root.place, *SUBJECTS)
    if helpers and subject is not None and helpers[0].place < subject.place:
        return False
    if not helpers and subject is not None and root.tag in ("VBN", "VBD", "JJ"):
        bare = subject.tag == "NN" and not tree.children[subject.place]
        bare = bare and subject.text not in PERSONS  # "somebody left the bowl there"
        if bare or last is not Act.REMARK:
            return False
    if any(_commands(tree, word) for word in tree.words):
        return False  # "it is off limits, so | go there at no time"
    if any(w.text == "better" for w in tree.list_children(root.place, "advmod")) and helpers:
        return False
    ordered = any(
        m.kind in (MarkKind.THEN, MarkKind.FIRST, MarkKind.WISH)
        and (
            m.start in unit.piece.links
            or any(t in m.tokens for t in list_tokens(tree, range(len(tree.words))))
        )
        for m in marks
    )
    if subject is not None and root.tag == "VBD" and not helpers:
        own = subject.tag == "PRP" or tree.find_child(subject.place, "poss") is not None
        ordered = ordered and not own  # "my grandmother always did the linen first"
    weighty = any(w.text in _WEIGHTY for w in tree.words)
    if ordered or weighty or any(w.text in _LOGICAL for w in tree.words[:3]):
        return False  # "first the napkin goes on the table, then the glass follows"
    return tell(tree, end) is not None


def _commands(tree: Tree, verb: Word) -> bool:
    """Return True for an imperative that goes on from something else."""
    if verb.tag != "VB" or verb.role not in ("conj", "parataxis", "dep"):
        return False
    return not any(tree.list_children(verb.place, "aux", "mark", *SUBJECTS))


def is_remark(parsed: ParsedClause, nucleus: Nucleus, marks: Sequence[Mark], ordered: bool) -> bool:
    """Return True for what is so already: "the door is shut".

    Args:
        ordered: it comes behind another one in time, so it is asked for.
    """
    if ordered or not parsed.lemma or parsed.mood is not Mood.STATEMENT or parsed.lemma in PLACED:
        return False
    helpers = list(parsed.tree.list_children(parsed.verb, "aux", "auxpass"))
    above = parsed.tree.words[nucleus.verb.head]
    if nucleus.passive and any(m.kind in (MarkKind.THEN, MarkKind.FIRST) for m in marks):
        return False
    if nucleus.verb.role in ("conj", "ROOT") and not helpers and nucleus.verb.tag in ("VBN", "VBD"):
        asked = any(parsed.tree.list_children(above.place, "aux"))
        return not asked and above is not nucleus.verb  # "and the door shut"
    if any(w.text in _WEIGHTY for w in parsed.tree.words):
        return False
    if nucleus.passive and any(w.lemma == "get" for w in helpers):
        return False  # "it gets locked up"
    finite = [w for w in (*helpers, nucleus.verb) if w.tag in ("VBZ", "VBP", "VBD", "MD")]
    return (
        bool(finite)
        and not any(w.text in _MODALS for w in helpers)
        and (parsed.lemma not in WRAPPING | {"go"} or parsed.lemma == "be")
    )


def list_tokens(tree: Tree, places: Sequence[int]) -> list[int]:
    """List the tokens of words that were said."""
    return [tree.words[p].token for p in places if not tree.words[p].is_inserted]


def names_topic(unit: Segment, following: Segment, tokens: Sequence[Token]) -> bool:
    """Return True for a noun with nothing to be done, of which the next clause speaks.

    That clause has a pronoun for it, or a verb that lacks its object ("the mug, bring | here").
    """
    tree, root = unit.tree, unit.tree.root
    links = [tokens[place].text for place in following.piece.links]
    apart = following.piece.sentence - unit.piece.sentence  # "the mug. could you wash it?"
    if apart > 1 or not set(links) <= {",", ":"}:
        return False
    if not root.is_noun or any(tree.list_children(root.place, *SUBJECTS)):
        return False
    if any(word.is_inserted for word in tree.words):
        return False  # "the mug should be on it, ..."
    verb = following.tree.root
    asked = following.tree.find_child(verb.place, "nsubj")
    lacking = (
        verb.lemma in _TRANSITIVE
        and asked is not None
        and asked.text == "you"
        and not any(following.tree.list_children(verb.place, "dobj", "prt"))
    )
    resumed = any(w.text in _RESUMING and w.role != "det" for w in following.tree.words)
    return (lacking and not apart) or (
        resumed and bool(links or apart or following.piece.imperative)
    )
