# SPDX-License-Identifier: Apache-2.0
"""Every order that the dependencies admit replays to the same state, and for two steps no other."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Instance
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.applied_step import AppliedStep
from fcp_ros.cset.sequences.causality import dependencies
from fcp_ros.cset.sequences.replay import Replay, replay

Make = Callable[..., Any]


def same(outcome: Replay, steps: Sequence[AppliedStep]) -> bool:
    """Whether a replay came to the same state, element by element."""
    last = steps[-1].after
    images = {id_: outcome.images.get(id_, id_) for id_ in last.all_elements()}
    return (
        outcome.failed is None
        and {image: last.type_of(id_) for id_, image in images.items()}
        == {id_: outcome.instance.type_of(id_) for id_ in outcome.instance.all_elements()}
        and all(
            outcome.instance.attributes(image) == last.attributes(id_)
            for id_, image in images.items()
        )
        and all(
            _content(last, relation.name, images)
            == _content(outcome.instance, relation.name, {id_: id_ for id_ in images.values()})
            for relation in last.schema.relations
        )
        and all(
            {images[id_]: images[value] for id_, value in table.items()}
            == outcome.instance.function_table(name).values
            for name in (function.name for function in last.schema.functions)
            for table in (last.function_table(name).values,)
        )
    )


def _content(state: Instance, relation: str, images: Mapping[int, int]) -> dict[Any, Any]:
    """The tuples of a relation with their attributes."""
    return {
        tuple(images[leg] for leg in legs): state.attributes(row)
        for row, legs in state.tuples(relation).items()
    }


@pytest.mark.parametrize("graphs", [False, True])
@settings(max_examples=50, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_every_linear_extension_replays_to_the_same_state(
    data: st.DataObject, graphs: bool, seed: int, sequences: Make
) -> None:
    semantics = [Semantics.DPO, *Semantics]
    drawn = sequences(5, rich=True, graphs=graphs, semantics=semantics)
    state, steps = data.draw(drawn)
    assume(len(steps) > 1)
    found = dependencies(steps)
    random = Random(seed)
    orders = {found.order.sample(random) for _ in range(8)}
    for order in (*orders, *islice(found.order.linear_extensions(), 4)):
        outcome = replay(state, steps, order)
        assert outcome.failed is None, (order, outcome.failed, outcome.violations)
        assert same(outcome, steps), (order, found.dependencies)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_two_steps_are_ordered_only_where_they_cannot_be_swapped(
    data: st.DataObject, sequences: Make
) -> None:
    # What a step reads of attributes is protected as it was, and so is why a nested condition
    # holds; so there are none here.
    state, steps = data.draw(sequences(2, attributes=False))
    assume(len(steps) == 2)
    swapped = replay(state, steps, (1, 0))
    found = dependencies(steps)
    assert found.order.are_independent(0, 1) == same(swapped, steps), found.dependencies
