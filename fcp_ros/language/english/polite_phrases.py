# SPDX-License-Identifier: Apache-2.0
"""Politeness: phrases that a request begins and ends with, without a meaning of their own.

Frames that have a verb of their own are known by their syntax (`fcp_ros.language.syntax`).
"""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet

_VERY = "[very|really|so|most|extremely]"
_STRESS = "[really|just|also|still|only|do|now]"
_WISH = "(want|need|expect|require|wish)"
_WOULD = "(like|love|want|need|expect|prefer)"

POLITE = PhraseSet(
    "whatever (you do|happens)",
    "be so (kind|good) (as to|and|to)",
    "if you (could|would) [please|just|kindly|be so kind (as to|and)]",
    "you (should|must|can|could|may|shall|might) [please|also|now|just|then|always]",
    "you (need|have|ought) to",
    "you (would|had) better",
    "you are (to|supposed to)",
    "(i|we) (need|have|ought) to",
    "we (should|must|shall)",
    "let us",
    "it is (necessary|important|essential) (to|for you to|that you)",
    "help (me|us) [to]",
    "(feel free|remember|do not forget|be careful|take care) to",
    "(make|be) [absolutely] sure (to|you|that you) [always|also]",
    "see that you",
    "(start|begin) (by|with)",
    "(go|go ahead|come) and",
    "(please|kindly)",
    "(hello|hey|hi|dear|ok|okay|listen) [robot]",
    "(robot|well|so|now|right|just|maybe|perhaps|also|simply|alright|actually|anyway|still)",
    "(oh|ah|um|uh|er|hm|by the way|excuse me|thank you|thanks)",
    "(i|we) (think|believe|guess|suppose) [that]",
    "(properly|neatly|quickly)",
    "good (morning|evening|afternoon|day)",
)
"""Beginnings of a request without a meaning of their own."""

CLOSINGS = PhraseSet(
    "(though|tho|however|mind you|indeed|really|so|too|again|instead|together)",
    "from (then|there|that point|that moment) on",
    "[and] not [any] (earlier|sooner)",
    "[and] not (before|until) (that|then)",
    "[but] (either|both|any|any of them|either one) (is|are|would be) (fine|ok|okay|good)",
    "[but] (either|either one|any|any of them) will do",
    "as soon as (possible|you can)",
    "when you (have time|have a moment|get a chance|finish|have finished)",
    "(when|once|by the time|after) you are [all] (done|finished|ready|through)",
    "(at all|as well|in the process|in order|by yourself|on your own|behind you|robot)",
    "(right|straight) (away|now)",
    "(any more|any longer|anymore|at once|all right|alright|right|ok|okay|soon|everything done)",
    "for (me [please]|us|you|now|the moment)",
    "(thank you|thanks) [very much|so much|a lot|in advance]",
    "(understood|got it|got that|is that (clear|understood))",
    "that would be (great|nice|lovely|wonderful|kind|all)",
    "(would|will|could|can) you [please]",
    "if you (would|please|would be so kind)",
    "if you (do not|would not) mind",
    "if it is not too much trouble",
    "(please|immediately|asap|now|quickly|neatly|properly)",
    "[from] (wherever|whereever) (it is|they are)",
    "[from] all over the (house|place|home|flat|apartment)",
    "(i|we) do not (mind|care) [which|which one|where|how]",
    "it does not matter [to me] [which|which one|where|how]",
    "it is up to you [which|which one|where|how]",
    "(whichever|whatever|wherever) [one] you (like|want|prefer|please)",
    "(you choose|you decide|your choice)",
)
"""Ends of a request without a meaning of their own."""

DEMANDS = PhraseSet(
    "(make|be) [absolutely|quite|really] (sure|certain) [that]",
    "make it (so|happen) [that]",
    "see [to it] that",
    "see to it",
    "(ensure|guarantee) [that]",
    "(check|mind|take care) that",
    "(take care|let)",
    "(the|your) (goal|aim|idea|point|plan|result|task) (is|should be) (that|for)",
    "it is (important|essential|vital|crucial|necessary) (that|for)",
    "by the end",
    "(in|at) the end",
    "finally",
    f"we {_STRESS} {_WISH} [that|for|to see]",
    f"we would {_STRESS} {_WOULD} [that|for|it if|to see|to have]",
    f"we would be {_VERY} (glad|happy|grateful) (if|to see|to have)",
    "what we (want|need|would like) is [that|for]",
    "(can|could|may) we (have|get)",
)
"""Words before a statement of what shall be so, or before a clause."""

WISHES = PhraseSet(
    f"i {_STRESS} {_WISH} [that|for|to see]",
    f"i would {_STRESS} {_WOULD} [that|for|it if|to see|to have]",
    f"i would be {_VERY} (glad|happy|grateful) (if|to see|to have)",
    "i would [really] appreciate it if",
    "i would (rather|sooner) (have|see)",
    f"it would be {_VERY} (great|lovely|wonderful|perfect|best) (if|for)",
    "(what|all) i (want|need|would like|ask for) is [that|for]",
    "(can|could|may) i (have|get)",
)
"""Words before a statement of what shall be so."""

ABOUT = PhraseSet("(as for|regarding|concerning|about)", "[[do|can] you] (see|remember) [all]")
"""Words before a thing that is spoken of next."""

WANTS = PhraseSet(
    f"(i|we) {_STRESS} (want|need)",
    f"(i|we) would {_STRESS} (like|love) [to have]",
    "(i|we) could (use|do with)",
    "(can|could|may) (i|we) (have|get)",
    "(i|we) will (have|take)",
    "(what|all) (i|we) (want|need|would like) is",
)
"""Words before a thing that who speaks wants to have."""

INTENTIONS = PhraseSet("(i|we) (want to|wish to|would like to|intend to)")
"""Words before what who speaks wants to do: it may be meant as a request."""

UNWANTED = PhraseSet(
    "(i|we) do not (want|wish|need|like to see)",
    "(i|we) would (not|rather not) (like|want|have|see)",
    "(i|we) (hate|would hate) to see",
    "(do not|never) let",
)
"""Words before a statement of what shall not be so."""
