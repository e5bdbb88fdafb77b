# SPDX-License-Identifier: Apache-2.0
"""How the tests of sequences write down worlds, actions and steps, and draw them."""

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
from fcp_ros.cset.conditions.conditions import Condition, CountCondition
from fcp_ros.cset.instance.expressions import (
    Comparison,
)
from fcp_ros.cset.sequences.applied_step import AppliedStep

Tuple = tuple[str, ...]
Holder = str | Tuple
Values = Mapping[tuple[Holder, str], Any]
Extension = tuple[Any, ...]
"""(extra elements, tuples) and, where they are needed, options as keywords."""


def _world(
    schema: Schema,
    elements: Mapping[str, str],
    tuples: Iterable[Tuple] = (),
    values: Values | None = None,
) -> Instance:
    """An instance from name -> type, (relation, names...) and (holder, attribute) -> value."""
    builder = InstanceBuilder(schema)
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *names in tuples:
        builder.relate(relation, *map(builder.id_of, names))
    for (holder, attribute), value in (values or {}).items():
        if isinstance(holder, str):
            id_ = builder.id_of(holder)
        else:
            id_ = builder.relate(holder[0], *map(builder.id_of, holder[1:]))
        builder.set_attribute(id_, attribute, value)
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
    number: Iterable[Extension] = (),
    reads: Values | None = None,
    sets: Values | None = None,
    where: Iterable[Comparison] = (),
    monic: bool = True,
) -> Rule:
    """A rule by its parameters and tuples.

    `when` must be there (what is in `delete` need not be repeated); `new` elements are created, and
    `gone` ones deleted; extensions must be absent in `unless`, present in `given`, as often as
    `at_least` and `at_most` say in `number`. They may be `monic`, have values (`reads`), a `where`,
    and be `nested`: (kind, extension) pairs.
    """
    removed = list(delete)
    stays = [entry for entry in when if entry not in removed]
    read, assigned = dict(reads or {}), dict(sets or {})
    kept = {key: value for key, value in read.items() if key not in assigned}
    glue_elements = {key: type_ for key, type_ in parameters.items() if key not in gone}
    left = _world(schema, parameters, [*stays, *removed], read)
    there = {*glue_elements, *stays}
    glue = _world(schema, glue_elements, stays, {k: v for k, v in kept.items() if k[0] in there})
    there |= {*(new or {}), *add}
    right = _world(
        schema,
        {**glue_elements, **(new or {})},
        [*stays, *add],
        {k: v for k, v in {**kept, **assigned}.items() if v is not None and k[0] in there},
    )
    content = (dict(parameters), [*stays, *removed], read)
    conditions = tuple(
        _condition(schema, kind, left, content, *extension)
        for kind, group in (("nac", unless), ("pac", given), ("count", number))
        for extension in group
    )
    legs = (inclusion(glue, left), inclusion(glue, right))
    return Rule(name, *legs, conditions, monic, where=tuple(where))


def _condition(
    schema: Schema,
    kind: str,
    start: Instance,
    content: tuple[dict[str, str], list[Tuple], dict[tuple[Holder, str], Any]],
    extra: Mapping[str, str],
    entries: Iterable[Tuple],
    options: Mapping[str, Any] | None = None,
) -> Condition:
    chosen = dict(options or {})
    elements, tuples, read = content
    larger = (
        {**elements, **extra},
        [*tuples, *(entry for entry in entries if entry not in tuples)],
        {**read, **chosen.pop("reads", {})},
    )
    pattern = _world(schema, *larger)
    nested = tuple(
        _condition(schema, inner, pattern, larger, *extension)
        for inner, extension in chosen.pop("nested", ())
    )
    name = " and ".join(" ".join(entry) for entry in entries)
    where = tuple(chosen.pop("where", ()))
    include = inclusion(start, pattern)
    if kind == "count":
        return CountCondition(name, include, nested=nested, where=where, **chosen)
    return ApplicationCondition(
        ConditionKind(kind), name, include, nested=nested, where=where, **chosen
    )


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
