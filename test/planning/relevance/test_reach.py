# SPDX-License-Identifier: Apache-2.0
"""How far elements get: against what the exhaustive compiler finds possible."""

from itertools import product

import pytest
from demand_twin import exhaustive_names, filtered_names, shortest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import worlds

from fcp_ros.cset import Fact, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance import element_choice as demand_reach
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.relevance.element_choice import Reach
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.task.lifted import lift_domain

CITIES = """
domain: cities
version: "1"
types:
  thing: []
  city: [thing]
  place: [thing]
  airport: [place]
  vehicle: [thing]
  truck: [vehicle]
  plane: [vehicle]
  parcel: [thing]
relations:
  at: {legs: {vehicle: vehicle, place: place}, functional: [vehicle]}
  lies: {legs: {parcel: parcel, place: place}, functional: [parcel]}
  loaded: {legs: {parcel: parcel, vehicle: vehicle}, functional: [parcel]}
  part_of: {legs: {place: place, city: city}, functional: [place], static: true}
rules:
  load:
    parameters: {parcel: parcel, vehicle: vehicle, place: place}
    when: ['lies(parcel, place)', 'at(vehicle, place)']
    delete: ['lies(parcel, place)']
    add: ['loaded(parcel, vehicle)']
    duration: 1
    executor: load
  unload:
    parameters: {parcel: parcel, vehicle: vehicle, place: place}
    when: ['loaded(parcel, vehicle)', 'at(vehicle, place)']
    delete: ['loaded(parcel, vehicle)']
    add: ['lies(parcel, place)']
    duration: 1
    executor: unload
  drive:
    parameters: {truck: truck, from: place, to: place, city: city}
    when: ['at(truck, from)', 'part_of(from, city)', 'part_of(to, city)']
    delete: ['at(truck, from)']
    add: ['at(truck, to)']
    duration: 1
    executor: drive
  fly:
    parameters: {plane: plane, from: airport, to: airport}
    when: ['at(plane, from)']
    delete: ['at(plane, from)']
    add: ['at(plane, to)']
    duration: 1
    executor: fly
scene: {layers: {place: place}, unknown: thing}
"""


def watch():
    """Looks after one task."""
    return Watch(PlanningOptions(time_limit=60.0))


@pytest.fixture
def everybody(monkeypatch):
    """Small types are looked at, too."""
    monkeypatch.setattr(demand_reach, "CROWD", 0)


def country(cities):
    """A domain with so many cities, with an airport, two places and a truck each, and a plane."""
    domain = parse_domain(CITIES)
    builder = InstanceBuilder(domain.schema)

    def relate(relation, *names):
        builder.relate(relation, *map(builder.id_of, names))

    for n in range(cities):
        for type_, name in (("city", "c"), ("airport", "a"), ("truck", "t")):
            builder.add(type_, f"{name}{n}")
        for name in ("p", "q"):
            builder.add("place", f"{name}{n}")
        for name in ("a", "p", "q"):
            relate("part_of", f"{name}{n}", f"c{n}")
        relate("at", f"t{n}", f"p{n}")
    builder.add("plane", "plane")
    builder.add("parcel", "x")
    relate("at", "plane", "a0")
    relate("lies", "x", "p0")
    return domain, builder.build()


def out_of_reach(domain, instance):
    """All facts of relations that change that are said never to hold."""
    lifted = lift_domain(domain)
    reach = Reach(lifted, FactTable(instance))
    found = set()
    for relation in lifted.relations.values():
        if relation.changes:
            kinds = [
                [e for kind in sorted(leg) for e in instance.elements(kind, subtypes=False)]
                for leg in relation.kinds
            ]
            found |= {
                Fact(relation.name, tuple(map(instance.name_of, elements)))
                for elements in product(*kinds)
                if reach.excludes(relation, elements)
            }
    return found


def test_vehicles_are_confined_to_their_graph(everybody):
    domain, instance = country(3)
    places = {f"{kind}{n}": n for n in range(3) for kind in "apq"}
    expected = {
        Fact("at", (f"t{n}", p)) for n in range(3) for p, city in places.items() if city != n
    }
    expected |= {Fact("at", ("plane", place)) for place in places if place[0] != "a"}
    assert out_of_reach(domain, instance) == expected


def test_few_are_not_looked_at():
    assert out_of_reach(*country(demand_reach.CROWD)) == set()
    assert out_of_reach(*country(demand_reach.CROWD + 1))


@pytest.mark.parametrize("cities", [2, 6, 12, 30])
def test_narrow_tasks_find_the_one_truck_that_will_do(cities):
    domain, instance = country(cities)
    wanted = Wanted(frozenset({Fact("lies", ("x", f"q{cities - 1}"))}), frozenset())
    task = RelevanceCompiler(domain).task(instance, wanted, Breadth.NARROW, watch())
    assert len(shortest(task, wanted)) == 10
    assert len(task.operators) < 30 * cities


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds(), data=st.data())
def test_nothing_that_may_hold_is_out_of_reach(everybody, world, data):
    domain, instance = world
    whole = compile_task(domain, instance, watch())
    assert out_of_reach(domain, instance).isdisjoint(whole.facts)
    new = [f for number, f in enumerate(whole.facts) if number not in whole.initial]
    assume(new)
    wanted = Wanted(frozenset({data.draw(st.sampled_from(new))}), frozenset())
    task = RelevanceCompiler(domain).task(instance, wanted, Breadth.FULL, watch())
    expected = exhaustive_names(domain, instance, wanted, watch())
    assert filtered_names(task, wanted, watch()) == expected
