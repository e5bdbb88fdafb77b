# SPDX-License-Identifier: Apache-2.0
"""Politeness: phrases that a request begins and ends with, without a meaning of their own."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet

_GLAD = "(glad|happy|grateful|pleased|delighted|thankful|obliged)"
_GOOD = "(great|nice|good|lovely|wonderful|kind|helpful|fantastic|perfect|best|awesome)"
_MUCH = "[really|very much|greatly|certainly]"
_VERY = "[very|really|so|most|extremely]"
_STRESS = "[really|just|also|still|only|do|now]"
_WISH = "(want|need|expect|demand|require|wish)"
_WOULD = "(like|love|want|need|expect|prefer)"

POLITE = PhraseSet(
    "whatever (you do|happens)",
    # questions
    "(be|if you would be) so (kind|good) (as to|and|to)",
    # wishes about who is spoken to
    "if you (could|would) [please|just|kindly]",
    # duties
    "you (should|must|can|could|may|shall|might) [please|also|now|just|then|always]",
    "you (need|have|ought) to",
    "you (would|had) better",
    "you (might|may|will) (want|like|wish) to",
    "you are (to|supposed to|asked to|expected to|required to|requested to)",
    "(i|we) (need|have|ought) to",
    "we (should|must|shall)",
    "let us",
    "(your|the|our|my) [next|first|only|main] (task|job|goal|aim|request|wish|order) [now] is to",
    "(all|what|everything) you (have|need) to do is [to]",
    "(all|what) (i|we) (ask|want|ask for) is [for you] to",
    "it is [about|high] time (to|for you to|you)",
    "it is (necessary|important|essential) (to|for you to|that you)",
    "there is a need to",
    "help (me|us) [to]",
    "do (me|us) (a|the) (favor|favour) [and|by]",
    "(feel free|remember|do not forget|proceed|be careful|take care) to",
    "(make|be) [absolutely] sure (to|you|that you) [always|also]",
    "see that you",
    "(start|begin) (by|with)",
    "(go|go ahead|come) and",
    "(please|kindly)",
    # to whom it is said, and what one says before a request
    "(hello|hey|hi|dear|ok|okay|listen) [robot]",
    "(robot|well|so|now|right|just|maybe|perhaps|also|simply|alright|actually|anyway|still)",
    "(oh|ah|um|uh|er|hm)",
    "by the way",
    "(i|we) (think|believe|guess|suppose) [that]",
    "(properly|neatly|quickly)",
    "good (morning|evening|afternoon|day)",
    "excuse me",
    "thank you",
    "thanks",
)
"""Beginnings of a request without a meaning of their own."""

CLOSINGS = PhraseSet(
    "(though|tho|however|mind you)",
    "from (then|there|that point|that moment) on",
    "[and] not [any] (earlier|sooner)",
    "[and] not (before|until) (that|then)",
    "[but] (either|both|any|any of them|either one) (is|are|would be) (fine|ok|okay|good)",
    "[but] (either|any|any of them|either one) will do",
    "as soon as (possible|you can)",
    "when you (have time|have a moment|get a chance|get the chance|get to it)",
    "(when|once|by the time|after) you are (done|finished|ready|through)",
    "when you (finish|have finished|are all done)",
    "at your [earliest] convenience",
    "in the process",
    "at all",
    "(right|straight) (away|now)",
    "any (more|longer)",
    "anymore",
    "for (me|us|you|now|the moment)",
    "for me please",
    "(thank you|thanks) [very much|so much|a lot|in advance]",
    "many thanks",
    "that would be (great|nice|lovely|wonderful|kind|all)",
    "(would|will|could|can) you [please]",
    "if you (would|please)",
    "if you (do not|would not) mind",
    "if you would be so kind",
    "if it is not too much trouble",
    "(please|immediately|asap|now|quickly|too|again|robot)",
    "(neatly|properly|together|so|ok|okay|soon|though|however|really|indeed|right|alright)",
    "at once",
    "as well",
    "all right",
    "behind you",
    "by yourself",
    "on your own",
    "in order",
    "everything done",
    "from (then|there|that point|that moment) on",
    "[from] (wherever|whereever) (it is|they are)",
    "[from] all over the (house|place|home|flat|apartment)",
    "instead",
    # it is left open which thing is taken
    "(i|we) do not (mind|care) [which|which one|where|how]",
    "it does not matter [to me] [which|which one|where|how]",
    "it is up to you [which|which one|where|how]",
    "(which|which one|where) is up to you",
    "no matter (which|which one|where)",
    "(whichever|whatever|wherever) [one] you (like|want|prefer|please)",
    "(either|either one|any one) (is fine|will do|is ok)",
    "(you choose|you decide|your choice|the choice is yours)",
)
"""Ends of a request without a meaning of their own."""

DEMANDS = PhraseSet(
    "(make|be) [absolutely|quite|really] (sure|certain) [that]",
    "make it (so|happen) [that]",
    "see [to it] that",
    "see to it",
    "(ensure|guarantee) [that]",
    "(check|mind|take care) that",
    "take care",
    "let",
    "let it be so that",
    "(the|your) (goal|aim|idea|point|plan|result|task) (is|should be) (that|for)",
    "the (important|main|only) thing is (that|for)",
    "it is (important|essential|vital|crucial|necessary) (that|for)",
    "it (should|must) be (so|the case) that",
    "by the end",
    "(in|at) the end",
    "finally",
    f"we {_STRESS} {_WISH} [that|for|to see]",
    f"we would {_STRESS} {_WOULD} [that|for|it if|to see|to have]",
    f"we would be {_VERY} {_GLAD} (if|to see|to have)",
    f"we would {_MUCH} appreciate it if",
    "what we (want|need|would like) is [that|for]",
    "(can|could|may) we (have|get)",
)
"""Words before a statement of what shall be so, or before a clause."""

WISHES = PhraseSet(
    f"i {_STRESS} {_WISH} [that|for|to see]",
    f"i would {_STRESS} {_WOULD} [that|for|it if|to see|to have]",
    f"i would be {_VERY} {_GLAD} (if|to see|to have)",
    f"i would {_MUCH} appreciate it if",
    "i would (rather|sooner) (have|see)",
    f"it would be {_VERY} (great|lovely|wonderful|fantastic|perfect|best) (if|for)",
    "(what|all) i (want|need|would like|ask for) is [that|for]",
    "(can|could|may) i (have|get)",
)
"""Words before a statement of what shall be so."""

ABOUT = PhraseSet(
    "(as for|regarding|concerning|about|speaking of|with regard to)",
    "[do|can] you (see|remember|know) [all]",
    "(see|remember) [all]",
)
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

ELSEWHERE = PhraseSet(
    "(anywhere|somewhere|wherever you like) [you like|else] (except|but|other than|apart from|not)"
)
"""Words before a place where something shall not be."""

UNWANTED = PhraseSet(
    "(i|we) do not (want|wish|need)",
    "(i|we) would (not|rather not) (like|want|have|see)",
    "(i|we) (hate|would hate|do not like) to see",
    "(i|we) never (want|wish)",
    "do not let",
    "never let",
)
"""Words before a statement of what shall not be so."""

ANNOUNCING = (
    PhraseSet(
        "(move|shift|relocate|carry|bring|put|do)",
        "(i|we) (want|need|have)",
        "(i|we) would like [to have]",
        "there (are|is)",
        "these are",
        "here is",
        "here are",
    ),
    PhraseSet(
        "[the] following [two|three|four|five] [things|objects|items|tasks]",
        "(these|a few|some|several|the|two|three|four|five) (things|objects|items|tasks)",
        "(this|what) [goes where]",
    ),
    PhraseSet(
        "(moved|transported|done)",
        "(to move|to be moved|to transport|to do|to be done)",
        "(that|which) (have|need) to be moved",
        "(have|need) to be (moved|transported|carried|put away)",
        "(should|must) be (moved|transported|carried|put away)",
        "for you",
    ),
)
"""What announces a list of things and their places: the verb, the things, what is done."""
