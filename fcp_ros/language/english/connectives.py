# SPDX-License-Identifier: Apache-2.0
"""Words between clauses."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet

_LINKS = {
    "and": PhraseSet(
        "(and [also]|but [also]|as well as|while|plus|additionally|in addition|also|so that)",
        "(furthermore|moreover|meanwhile)",
    ),
    "then": PhraseSet(
        "[and|but] [immediately|right|directly|straight|only|just] (afterwards|afterward|then)",
        "[and|but] [immediately|right|directly|straight|only|just] after (that|this|it|them|which)",
        "[and|but] (thereafter|subsequently|followed by|finally|lastly|last [of all]|at last)",
        "[and|but] (in|at) the [very] end",
        "[and|but] (next|later [on]|second|secondly|third|thirdly|as the (last|next) thing)",
        "[and|but] (once|when|as soon as|after) (that|this|it|everything) (is|has been) "
        "(done|finished|complete|completed|over)",
        "[and|but] (once|when|as soon as|after) you (are|have) (done|finished|through|done that)",
        "[and|but] (once|when|as soon as) (you are|you have been|you get|it is|they are) there",
        "[and|but] (once|when) (done|finished)",
        "[and|but] (having done|after doing) (that|this|so)",
        "after your work",
    ),
    "first": PhraseSet(
        "first [off|of all|thing]",
        "firstly",
        "to (begin|start) with",
        "before (anything|all|you do anything) else",
    ),
    "earlier": PhraseSet("[and|but] (before (that|this)|beforehand|prior to that)", "but first"),
}
SEQUENCE = {("&",): "and"} | {words: link for link, phrases in _LINKS.items() for words in phrases}
"""Words between clauses, and what they say of the order."""

LONGEST_LINK = max(map(len, SEQUENCE))

UNTIL = PhraseSet("[up] until", "(till|before|unless and until|earlier than)")
"""Before what has to be so first, of what shall not be so or shall stay so."""

AS_LONG_AS = PhraseSet("[for] as long as", "so long as")
WHILE = PhraseSet("(while|whilst)", *map(" ".join, AS_LONG_AS))
"""Before what is so at the same time."""

WHENEVER = PhraseSet("(whenever|always when|if ever)", "(each|every|any) time [that]")
"""Before what may happen several times."""

EARLIER = PhraseSet(
    "[immediately|right|straight|directly|only] after",
    "[only] (once|when)",
    "(as soon as|the moment|having)",
    "not (before|until|earlier than)",
)
"""Before what is so earlier."""

IF = PhraseSet("if", "in case", "(provided|assuming) [that]")
UNLESS = PhraseSet("unless")
OTHERWISE = PhraseSet("[and|or] (otherwise|else)", "[and] if not", "[and] if (it|he|she) is not")
"""Before what is asked if a condition doesn't hold."""

ONLY_LATER = PhraseSet("only (after|once|when)")
"""Those of a permission: "the book only after the mug"."""
