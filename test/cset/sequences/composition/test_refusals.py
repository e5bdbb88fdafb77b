# SPDX-License-Identifier: Apache-2.0
"""Why two rules have no composite."""

from dataclasses import replace

import pytest
from composed_home import CLEAN, HOME, ON, Make, X, shared

from fcp_ros.cset import (
    Morphism,
    Rule,
    find_homs,
    identity,
)
from fcp_ros.cset.graphs import GRAPH, graph
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    compose,
    compose_sequence,
)


def test_what_the_first_step_takes_away_is_not_there(action: Make, pick: Rule, place: Rule) -> None:
    smash = action(HOME, "smash", X, delete=[CLEAN], gone=["x"])
    wash = action(HOME, "wash", X, add=[CLEAN])
    soil = action(HOME, "soil", X, delete=[CLEAN])
    with pytest.raises(CompositionError, match=r"clean\(x\) is removed by a step before"):
        compose(soil, soil, shared(soil, soil, x="x"))
    deliver = action(HOME, "deliver", {"p": "place"}, new={"x": "item"}, add=[ON])
    with pytest.raises(CompositionError) as caught:
        compose(deliver, soil, shared(deliver, soil, x="x"))
    assert str(caught.value) == (
        "clean(x) is not there after the steps before, which create x: it could not have been "
        "there without (the pushout complement does not exist)"
    )
    vanish = action(HOME, "vanish", X, gone=["x"])
    with pytest.raises(CompositionError, match=r"clean\(x\) stays, but its 'x' is deleted \(dang"):
        compose(wash, vanish, shared(wash, vanish, x="x"))
    assert compose(wash, smash, shared(wash, smash, x="x")).rule.deleted
    look = action(HOME, "look", {"m": "mug"})
    with pytest.raises(CompositionError, match="'x' is created as a 'item', but must be a 'mug'"):
        compose(deliver, look, shared(deliver, look, x="m"))


def test_what_no_state_can_be_like(action: Make, pick: Rule, place: Rule) -> None:
    with pytest.raises(CompositionError) as caught:
        compose(pick, place, shared(pick, place, x="x"))
    assert str(caught.value).startswith("no state can be like that: 'x' may be 'item' in one tuple")


def test_overlaps_that_are_none(action: Make, pick: Rule, place: Rule) -> None:
    r, x = pick.R.id_of("r"), place.L.id_of("x")
    with pytest.raises(CompositionError, match=r"the overlap \(99, \d+\) names what the rules do"):
        compose(pick, place, {99: x})
    with pytest.raises(CompositionError, match="must be a 'robot' and a 'item', of which none is"):
        compose(pick, place, {r: x})
    with pytest.raises(CompositionError, match="it must be one to one"):
        compose(pick, place, {r: x, pick.R.id_of("x"): x})
    row = pick.R.find_tuple("holding", (r, pick.R.id_of("x")))
    assert row is not None
    with pytest.raises(CompositionError, match=r"the overlap identifies holding\(r, x\) with x"):
        compose(pick, place, {row: x})


def test_rules_that_cannot_be_composed(pick: Rule) -> None:
    assert compose(pick, pick, {}).rule
    with pytest.raises(CompositionError, match="rule 'pick' is SPO: what it deletes depends on"):
        compose(pick, replace(pick, semantics=Semantics.SPO), {})
    (collapse,) = find_homs(graph(2), graph(1), monic=False)
    merge = Rule("merge", identity(graph(2)), Morphism(graph(2), graph(1), collapse.mapping))
    with pytest.raises(CompositionError, match="rule 'merge' merges elements"):
        compose(merge, merge, {})
    with pytest.raises(CompositionError, match="rule 'merge' has schema 'graph', rule 'pick' has"):
        compose(pick, merge, {})
    with pytest.raises(CompositionError, match="no rules to compose"):
        compose_sequence([])
    assert merge.L.schema == GRAPH
