# SPDX-License-Identifier: Apache-2.0
"""Words of what is said beside a request: politeness, hedges, greetings, statements.

Frames that have a verb of their own are known by their syntax (`fcp_ros.language.syntax`).
"""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet, gather_words

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
    "(please|immediately|asap|now|quickly|neatly|properly|thoroughly|completely|entirely)",
    "[from] top to bottom",
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


_MOMENT = "(moment|minute|second|chance|while|time)"
_TROUBLE = "(trouble|bother|hassle)"

HEDGES = PhraseSet(
    "if you do not mind [me asking]",
    "if you would not mind",
    "if (i|we) may [ask]",
    "if you ask me",
    "if (that|it|this) is (ok|okay|alright|fine|all right) [(with|by|for) you]",
    f"if it is not [too much|too much of a|much|any] {_TROUBLE}",
    f"if you (get|find|have) (a|the) {_MOMENT}",
    f"(when|once|whenever) you (get|find|have) (a|some) [free] {_MOMENT}",
    f"(when|once|whenever) you have the {_MOMENT}",
    "(when|once|whenever) you (can|get to it|get around to it|get round to it)",
    "(when|whenever) it (suits|is convenient for) you",
    "as (soon|quickly|fast) as (you|you possibly) can",
    "as (soon|quickly|fast) as possible",
    "as far as (i am|we are) concerned",
    "as (you|you may|you might|you can|i|we|i already) (know|see|said|mentioned)",
    "as (usual|always|ever|discussed|agreed|promised)",
    "(i|we) (think|guess|suppose|believe|reckon|hope|am afraid|fear) so",
    "(i am|we are) afraid",
    "(whatever|whichever) (you do|it takes|happens|it is|they are|that is|it may be|they may be)",
    "(whatever|come what) may [happen]",
    "(wherever|whoever|however|whenever) (it is|they are|it may be|they may be|that is)",
    "to be (honest|frank|precise|exact|clear|fair|safe|sure|on the safe side)",
    "(frankly|honestly|seriously|obviously|clearly|basically|of course|naturally|hopefully)",
    "(luckily|unfortunately|sadly|by the way|for a change|just in case|in any case|by all means)",
    "for what it is worth",
    "though [it is] not (essential|necessary|urgent|important|required|crucial)",
    "(there is no|no) (hurry|rush)",
    "no (worries|problem) [if not]",
    "take your time",
    "(believe|trust) me",
    "you (know|see)",
    "(i am|we are) (sorry|sorry to bother you|sorry to trouble you)",
    "sorry (to bother|to trouble|to disturb|for bothering|for disturbing) you",
    "(either|either one|any of them|anything|both) (is|are) (fine|ok|okay|good) [(by|with|for) me]",
    "(either|either one|any of them|anything|both) (will|would) be (fine|ok|okay|good)",
    "(either|either one|any one|any|anything) (will|would) do [for me|just fine]",
    "(the|their|its) (order|colour|color|size) does not matter",
    "(am|do|did|can|could|shall|should|will|would|have) [not] (i|we) [not]",
    "(are|do|did|can|could|will|would|have) [not] (you|they) [not]",
    "(is|does|did|can|could|will|would|has|was) [not] (it|he|she) [not]",
    "(do|would) you mind",
    "(can|could|would) you believe it",
)
"""Words in parentheses that ask for nothing."""

GREETINGS = PhraseSet(
    "(hi|hello|hey|howdy|yo) [there|again|you|everyone|all] [robot|friend|buddy]",
    "good (morning|evening|afternoon|day|night|grief|news) [to you|there|everyone] [robot]",
    "(thank you|thanks) [again|kindly] [so much|very much|a lot|a bunch|a million] [in advance]",
    "(many|much|big) thanks [in advance]",
    "(cheers|ta|bye|goodbye|see you|see you later|see you soon|all right|alright|okay|ok)",
    "(great|perfect|excellent|wonderful|lovely|nice|super|right|ugh|wow|ouch|yes|yeah|yep)",
    "(oh|ah) (dear|well|my|boy|man|god|my god|great)",
    "(dear|hey|ok|okay|listen|well|so|now) (robot|friend|buddy|darling|honey|mate|pal|sweetie)",
    "(buddy|darling|honey|mate|pal|sweetie|dear|love|sir|madam|folks|guys|everyone|listen)",
    "(well|great|good) (done|job|work)",
    "(nice|good|great) to (see|meet) you [again]",
    "how are you [doing] [today]",
    "(i|we) (appreciate it|owe you one)",
    "you are (great|the best|a star|an angel|very kind|so kind|a treasure)",
    "that (is|will be|would be) (all|it) [for] [now|today]",
)
"""Sentences by which one begins or ends."""

JOINING = gather_words("and but so then therefore thus hence")
"""Words between a statement and what comes next."""
