# SPDX-License-Identifier: Apache-2.0
"""Synonyms and the mapping that several make."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from fcp_ros.alignment.synonyms import (
    ContradictorySynonyms,
    NameMapping,
    Synonym,
    invert_places,
    keep_name,
)


def test_a_synonym_is_written_with_its_arguments() -> None:
    assert str(Synonym("in", "contains", (1, 0))) == "(in ?1 ?2) = (contains ?2 ?1)"
    assert str(Synonym("free", "empty")) == "(free) = (empty)"


def test_the_name_with_the_least_rank_stays() -> None:
    synonyms = frozenset({Synonym("a", "b"), Synonym("b", "c")})
    mapping = NameMapping(synonyms, {"a": 2, "b": 1, "c": 0}.__getitem__)
    assert {name: image.name for name, image in mapping.images.items()} == dict.fromkeys("abc", "c")


def test_mapping_composes_orders_of_arguments() -> None:
    draw = random.Random(1)
    orders = list(permutations(range(3)))
    for _ in range(200):
        # The truth: each name is p with its own order; any tree of synonyms must find it again.
        truth = {name: draw.choice(orders) for name in "abcde"}
        synonyms = set()
        for number, name in enumerate("bcde", start=1):
            other = draw.choice("abcde"[:number])
            # name(x) is p(x[t]); with x = y[places of the synonym], other's order has to come out.
            back = invert_places(truth[name])
            synonym = Synonym(other, name, tuple(truth[other][place] for place in back))
            synonyms.add(synonym if draw.random() < 0.5 else synonym.invert())
        mapping = NameMapping(frozenset(synonyms))
        facts = set()
        for name, order in truth.items():
            # The fact p(0, 1, 2) in the words of this name.
            arguments = tuple(invert_places(order)[at] for at in range(3))
            image = mapping.images.get(name) or keep_name(name, 3)
            facts.add((image.name, tuple(arguments[place] for place in image.places)))
        assert len(facts) == 1
        for first in "abcde":
            for second in set("abcde") - {first}:
                right = tuple(truth[first][at] for at in invert_places(truth[second]))
                for order in orders:
                    assert mapping.implies(Synonym(first, second, order)) == (order == right)


def test_a_predicate_that_is_its_own_mirror_image_is_refused() -> None:
    synonyms = {Synonym("on", "under", (1, 0)), Synonym("under", "on", (0, 1))}
    with pytest.raises(ContradictorySynonyms) as raised:
        _ = NameMapping(frozenset(synonyms)).images
    assert raised.value.names == {"on", "under"}


def test_connected_names() -> None:
    mapping = NameMapping(frozenset({Synonym("a", "b"), Synonym("c", "d")}))
    assert mapping.find_connected(["a", "x"]) == {"a", "b", "x"}
