# SPDX-License-Identifier: Apache-2.0
"""How the tests of sequences write down worlds, actions and steps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Rule,
    Schema,
    inclusion,
    morphism,
)
from fcp_ros.cset.rewriting.applied_step import AppliedStep

Tuple = tuple[str, ...]
Values = Mapping[tuple[str, str], Any]
Extension = tuple[Mapping[str, str], Iterable[Tuple]]


def _world(
    schema: Schema,
    elements: Mapping[str, str],
    tuples: Iterable[Tuple] = (),
    values: Values | None = None,
) -> Instance:
    """An instance from name -> type, (relation, names...) and (element, attribute) -> value."""
    builder = InstanceBuilder(schema)
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *names in tuples:
        builder.relate(relation, *map(builder.id_of, names))
    for (name, attribute), value in (values or {}).items():
        builder.set_attribute(builder.id_of(name), attribute, value)
    return builder.build(allow_conflicts=True)


def _action(
    schema: Schema,
    name: str,
    parameters: Mapping[str, str],
    when: Iterable[Tuple] = (),
    *,
    delete: Iterable[Tuple] = (),
    add: Iterable[Tuple] = (),
    new: Mapping[str, str] | None = None,
    gone: Sequence[str] = (),
    unless: Iterable[Extension] = (),
    given: Iterable[Extension] = (),
    reads: Values | None = None,
    sets: Values | None = None,
    monic: bool = True,
) -> Rule:
    """A rule by its parameters and tuples.

    `when` must be there (what is in `delete` need not be repeated); `new` elements are created, and
    `gone` ones deleted; (extra elements, tuples) must be absent in `unless`, present in `given`.
    """
    removed = list(delete)
    stays = [entry for entry in when if entry not in removed]
    read, assigned = dict(reads or {}), dict(sets or {})
    kept = {key: value for key, value in read.items() if key not in assigned}
    glue_elements = {key: type_ for key, type_ in parameters.items() if key not in gone}
    left = _world(schema, parameters, [*stays, *removed], read)
    glue = _world(
        schema, glue_elements, stays, {k: v for k, v in kept.items() if k[0] in glue_elements}
    )
    right = _world(
        schema,
        {**glue_elements, **(new or {})},
        [*stays, *add],
        {k: v for k, v in {**kept, **assigned}.items() if v is not None and k[0] not in gone},
    )
    conditions = tuple(
        ApplicationCondition(
            kind,
            " and ".join(" ".join(entry) for entry in entries),
            inclusion(
                left, _world(schema, {**parameters, **extra}, [*stays, *removed, *entries], read)
            ),
        )
        for kind, group in ((ConditionKind.NAC, unless), (ConditionKind.PAC, given))
        for extra, entries in ((extra, list(entries)) for extra, entries in group)
    )
    return Rule(name, inclusion(glue, left), inclusion(glue, right), conditions, monic)


def _run(state: Instance, *calls: tuple[Rule, Mapping[str, str]]) -> list[AppliedStep]:
    """The steps of applying rules one after the other, each at the names that it is to match."""
    steps = []
    for rule, names in calls:
        elements = {rule.L.id_of(key): state.id_of(name) for key, name in names.items()}
        steps.append(AppliedStep.of(rule, morphism(rule.L, state, elements)))
        state = steps[-1].after
    return steps


@pytest.fixture(scope="session")
def world() -> Callable[..., Instance]:
    """Makes instances from names."""
    return _world


@pytest.fixture(scope="session")
def action() -> Callable[..., Rule]:
    """Makes rules from names."""
    return _action


@pytest.fixture(scope="session")
def run() -> Callable[..., list[AppliedStep]]:
    """Makes sequences of steps from names."""
    return _run
