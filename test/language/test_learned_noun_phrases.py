# SPDX-License-Identifier: Apache-2.0
"""Noun phrases off the dependency tree: each construction once, read by the reader 'learned'."""

from __future__ import annotations

import pytest

from fcp_ros.language.agreement import have_same_meaning
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.reading import ReadingStatus, WordRole
from fcp_ros.language.syntax import parse_segments
from fcp_ros.language.syntax.attachments import mend_tree

FROM_COUNTER = "initially (on(?x1, counter_1))"
GOALS = {
    # quantities
    "Put at least two of the items on the couch.": "at least 2 ?x1: item (on(?x1, couch_1))",
    "Put exactly two items on the couch.": "exactly 2 ?x1: item (on(?x1, couch_1))",
    "Put one or two dishes on the couch.": (
        "at least 1 ?x1: dish (on(?x1, couch_1)) and at most 2 ?x1: dish (on(?x1, couch_1))"
    ),
    "Put half of the items that are on the counter on the table.": (
        f"at least 3 ?x1: item ({FROM_COUNTER} and on(?x1, table_1))"
    ),
    # lists, and some of a list
    "Put the vase, the bowl and the book on the couch.": (
        "on(vase_1, couch_1) and on(bowl_1, couch_1) and on(book_1, couch_1)"
    ),
    "Put either the vase or the bowl on the couch.": "on(vase_1, couch_1) or on(bowl_1, couch_1)",
    "Put one of the bowl, the vase and the sponge on the couch.": (
        "on(bowl_1, couch_1) or on(vase_1, couch_1) or on(sponge_1, couch_1)"
    ),
    # exceptions and remainders
    "Put all cups but one on the couch.": "exactly 1 ?x1: cup (on(?x1, couch_1))",
    "Put everything except the vase on the couch.": (
        'forall ?x1: item (is_a(?x1, "vase") or on(?x1, couch_1))'
    ),
    "Put all dishes on the couch, with the exception of the bowl.": (
        "forall ?x1: dish (same(?x1, bowl_1) or on(?x1, couch_1))"
    ),
    "Put all items other than the book on the counter.": (
        'forall ?x1: item (is_a(?x1, "book") or on(?x1, counter_1))'
    ),
    "Put all cups on the table, just not the mug.": (
        'forall ?x1: cup (is_a(?x1, "mug") or on(?x1, table_1))'
    ),
    "All items on the counter go to the table, but not the bowl.": (
        f'forall ?x1: item (not {FROM_COUNTER} or is_a(?x1, "bowl") or on(?x1, table_1))'
    ),
    "Put the vase on the table, and whatever else is on the counter on the couch.": (
        f"on(vase_1, table_1) and forall ?x1: item "
        f"(not {FROM_COUNTER} or same(?x1, vase_1) or on(?x1, couch_1))"
    ),
    # places one behind the other: the first one says which is meant
    "Put everything on the counter on the couch.": (
        f"forall ?x1: item (not {FROM_COUNTER} or on(?x1, couch_1))"
    ),
    "Put the mug on the counter and the other thing on the table on the couch.": (
        "on(mug_1, counter_1) and forall ?x1: item "
        "(not initially (on(?x1, table_1)) or same(?x1, mug_1) or on(?x1, couch_1))"
    ),
    "Wipe every dirty surface in the kitchen.": (
        "forall ?x1: surface "
        "(not initially (dirty(?x1)) or not in_room(?x1, kitchen_1) or not dirty(?x1))"
    ),
    "Put two of the items on the counter on the couch.": (
        f"at least 2 ?x1: item ({FROM_COUNTER} and on(?x1, couch_1))"
    ),
    "Put the bowl and the vase from the counter on the table.": (
        "on(bowl_1, table_1) and on(vase_1, table_1)"
    ),
    "Carry the mug on the table into the fridge.": "inside(mug_1, fridge_1)",
    "Take everything off the counter but the vase.": (
        'forall ?x1: item (is_a(?x1, "vase") or not on(?x1, counter_1) and '
        f"(not {FROM_COUNTER} or exists ?place: fixture (not same(?place, counter_1) and "
        "usual_place(?x1, ?place) and (on(?x1, ?place) or inside(?x1, ?place)))))"
    ),
    "Put the cups on the couch, all of them but the mug.": (
        "forall ?x1: cup (same(?x1, mug_1) or on(?x1, couch_1))"
    ),
    # what is said of things
    "Put the mug that somebody left on the table on the couch.": "on(mug_1, couch_1)",
    "Put anything that is good for drinking on the couch.": (
        'exists ?x1: item (serves_as(?x1, "drinking") and on(?x1, couch_1))'
    ),
    "Put something suitable for drinking on the couch.": (
        'exists ?x1: item (serves_as(?x1, "drinking") and on(?x1, couch_1))'
    ),
    "Put something I can dry the floor with on the couch.": (
        'exists ?x1: item (serves_as(?x1, "drying the floor") and on(?x1, couch_1))'
    ),
    "Put all the items that are on the counter on the couch.": (
        f"forall ?x1: item (not {FROM_COUNTER} or on(?x1, couch_1))"
    ),
    "Put whatever is on the table on the couch.": (
        "forall ?x1: item (not initially (on(?x1, table_1)) or on(?x1, couch_1))"
    ),
    "Close the door between the kitchen and the living room.": "closed(door_1)",
    "Put something to drink from on the couch.": (
        'exists ?x1: item (serves_as(?x1, "drinking") and on(?x1, couch_1))'
    ),
    "Put the vase on a different surface than the bowl.": (
        "exists ?x1: surface (not initially (on(bowl_1, ?x1)) and on(vase_1, ?x1))"
    ),
}
UNCLEAR = ["Put the vase next to it.", "The mug should be on the same surface as it."]
"""Nothing was spoken of but the thing itself, which is at no place beside itself."""
UNKNOWN = [
    "Put everything where it belongs.",  # which isn't where it is
    "Put the glimp mug on the couch.",
    "Put all the mugs hurgled by Ann on the couch.",
]
MENDED = {
    "Put a plate, a fork and a knife on the table.": ["fork/NN/conj<plate", "knife/NN/conj<fork"],
    "Put all cups but one on the couch.": ["but/CC/prep<cups", "one/CD/pobj<but", "on/IN/prep<put"],
    "Put the kites in the hall where the can is.": ["is/VBZ/relcl<hall"],
    "Fetch me the jacket, the clean one.": ["one/NN/appos<jacket"],
    "Move three things from the shelf to the tv stand.": ["to/IN/prep<move"],
    "Bring me what is on the table.": ["me/PRP/dative<bring", "is/VBZ/relcl<what"],
    "Move whatever is on the table to the counter.": ["whatever/WDT/dobj<move", "to/IN/prep<move"],
}


@pytest.mark.parametrize("sentence", GOALS)
def test_noun_phrases_are_read_off_the_tree(sentence, home, learned):
    found = learned.read(sentence, home)
    assert found.best is not None, found.message
    assert have_same_meaning(found.best.goal, GOALS[sentence], home.domain, home.instance), (
        found.best.goal
    )


@pytest.mark.parametrize("sentence", UNKNOWN)
def test_what_has_no_part_in_a_phrase_is_unread(sentence, home, learned):
    found = learned.read(sentence, home)
    best = found.best
    assert best is None or any(use.role is WordRole.UNREAD for use in best.words), best.goal


@pytest.mark.parametrize("sentence", UNCLEAR)
def test_it_is_not_the_thing_that_is_placed(sentence, home, learned):
    found = learned.read(sentence, home)
    assert found.best is None
    assert 'what "it" means' in found.message


@pytest.mark.parametrize("sentence", MENDED)
def test_trees_are_mended(sentence):
    (segment,) = parse_segments(tokenise(sentence))
    written = mend_tree(segment.tree).write()
    assert all(part in written for part in MENDED[sentence]), written


def test_the_door_of_what_is_not_here_is_no_other_door(home, learned):
    """There is a door between the rooms, and no cabinet."""
    found = learned.read("open the door of every cabinet", home)
    assert found.status is not ReadingStatus.READ
