# SPDX-License-Identifier: Apache-2.0
"""Sigma is left adjoint to Delta: morphisms correspond, and the triangle identities hold."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder, find_homs, identity
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.migration.adjunction import counit, to_delta, to_sigma, unit
from fcp_ros.cset.migration.delta import delta_migration, delta_of_morphism
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import sigma_migration, sigma_of_morphism

# All maps but the one that makes one arrow of parallel edges (and forgets which), and the one to
# dynamical systems, along which Sigma is seldom finite.
EXACT = ["graphs to reflexive graphs", "graphs to sets", "sets to graphs",
         "graphs to simple graphs", "household"]  # fmt: skip
MERGE = FunctionalLegs.MERGE


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_morphisms_correspond(
    name: str,
    data: st.DataObject,
    maps: Mapping[str, SchemaMap],
    instances: Callable[..., Any],
) -> None:
    map_ = maps[name]
    source, target = data.draw(instances(map_.source)), data.draw(instances(map_.target))
    sigma = sigma_migration(map_, source, functional=MERGE)
    delta = delta_migration(map_, target)
    out = list(find_homs(sigma.instance, target, monic=False))
    back = list(find_homs(source, delta.instance, monic=False))
    assert len(out) == len(back)
    for found in out[:20]:
        image = to_delta(sigma, delta, found)
        assert image.violations() == ()
        assert to_sigma(sigma, delta, image) == found
    for found in back[:20]:
        assert to_delta(sigma, delta, to_sigma(sigma, delta, found)) == found


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_triangle_identities(
    name: str,
    data: st.DataObject,
    maps: Mapping[str, SchemaMap],
    instances: Callable[..., Any],
) -> None:
    map_ = maps[name]
    source, target = data.draw(instances(map_.source)), data.draw(instances(map_.target))
    there = unit(map_, source, functional=MERGE)
    assert there.violations() == ()
    pushed = sigma_of_morphism(map_, there, functional=MERGE)
    sigma = sigma_migration(map_, source, functional=MERGE).instance
    assert pushed.compose(counit(map_, sigma, functional=MERGE)) == identity(sigma)
    back = counit(map_, target, functional=MERGE)
    assert back.violations() == ()
    delta = delta_migration(map_, target).instance
    around = unit(map_, delta, functional=MERGE).compose(delta_of_morphism(map_, back))
    assert around == identity(delta)


def test_a_map_that_forgets_which_tuple_it_was_has_no_adjunction(
    maps: Mapping[str, SchemaMap],
) -> None:
    # One arrow goes to one edge. Into two parallel edges there are 2 morphisms of graphs, but the
    # two edges, pulled back, are one arrow: 1 morphism.
    map_ = maps["simple graphs to graphs"]
    builder = InstanceBuilder(map_.source)
    builder.relate("arrow", builder.add("V"), builder.add("V"))
    arrow = builder.build()
    builder = InstanceBuilder(map_.target)
    ends = {"src": builder.add("V"), "tgt": builder.add("V")}
    for _ in range(2):
        edge = builder.add("E")
        for function, vertex in ends.items():
            builder.set_function(function, edge, vertex)
    edges = builder.build()
    assert len(list(find_homs(sigma_migration(map_, arrow).instance, edges, monic=False))) == 2
    assert len(list(find_homs(arrow, delta_migration(map_, edges).instance, monic=False))) == 1
