# SPDX-License-Identifier: Apache-2.0
"""Things that are named before the clause that is about them: "the mug, you put it there"."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.trees import Coordination, Determiner, NounPhrase, Phrase, Reference
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import SUBJECTS

_RESUMING = gather_words("it them that those one ones both this these")
_TRANSITIVE = PUT_VERBS | gather_words("touch disturb")


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
    return (lacking and not apart) or (resumed and bool(links or apart))


def speak_again(phrase: Phrase) -> NounPhrase:
    """Speak of the same things by a pronoun."""
    several = isinstance(phrase, Coordination) or (isinstance(phrase, NounPhrase) and phrase.plural)
    head = Reference.THEM if several else Reference.IT
    return NounPhrase(0, 0, head, Determiner.THE, None, several)
