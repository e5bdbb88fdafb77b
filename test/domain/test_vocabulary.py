# SPDX-License-Identifier: Apache-2.0
"""Types and signatures, also of files that are not sound yet."""

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.vocabulary import Vocabulary, ancestors, common_subtypes

PARENTS = {
    "thing": (),
    "container": ("thing",),
    "openable": ("thing",),
    "fridge": ("container", "openable"),
    "locker": ("container", "openable"),
    "safe": ("locker",),
    "bin": ("container",),
}


def test_common_subtypes_are_the_largest_ones():
    assert common_subtypes(PARENTS, ["container", "thing"]) == ("container",)
    assert common_subtypes(PARENTS, ["container", "openable"]) == ("fridge", "locker")
    assert common_subtypes(PARENTS, ["bin", "openable"]) == ()
    assert common_subtypes(PARENTS, ["unknown"]) == ()


TYPES = st.sampled_from("abcdef")


@given(st.dictionaries(TYPES, st.lists(TYPES, max_size=3).map(tuple)), st.lists(TYPES, max_size=3))
def test_common_subtypes_by_definition_even_with_circles(parents, wanted):
    below = [t for t in parents if all(w in ancestors(parents, t) for w in wanted)]
    found = common_subtypes(parents, wanted)
    assert set(found) <= set(below)
    for type_ in found:
        assert not any(t != type_ and t in below for t in ancestors(parents, type_))


def test_the_vocabulary_of_a_domain(household):
    vocabulary = Vocabulary.of(household)
    assert vocabulary.is_subtype("fridge", "container")
    assert [p.type for p in vocabulary.signature("at")] == ["agent", "room"]
    assert [p.type for p in vocabulary.signature("serves_as")] == ["item", "text"]
    assert vocabulary.signature("nothing") is None
