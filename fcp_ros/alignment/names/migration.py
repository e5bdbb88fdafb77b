# SPDX-License-Identifier: Apache-2.0
"""Merged vocabularies as a migration of C-sets: facts are pushed forward along a map of schemas.

A map of schemas can't send the leg of a relation to one object. So projections come first: their
facts are those of the predicate with more arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fcp_ros.alignment.names.merging import Facts, merge_texts, rename_predicates
from fcp_ros.alignment.names.synonyms import NameMapping
from fcp_ros.cset import InstanceBuilder, Relation, Schema
from fcp_ros.cset.migration.images import RelationImage
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import sigma_migration
from fcp_ros.domain.pddl.reader import PddlTexts

_THING, _WORLD = "thing", "world"
"""The types of the schemas of vocabularies: predicates, not types, are what is merged. Each fact
has a leg to the one world, so that predicates without arguments are relations as well."""


def build_schema_map(arities: Mapping[str, int], mapping: NameMapping) -> SchemaMap:
    """Return a mapping of names as a map of schemas, from the vocabulary to the merged one.

    Args:
        arities: the number of arguments of each predicate.
        mapping: of the predicates, without projections.

    Raises:
        ContradictorySynonyms: the mapping is none.
    """
    images = {name: mapping.find_image(name, arity) for name, arity in arities.items()}
    kept = {image.name: arities[image.name] for image in images.values()}
    return SchemaMap(
        _build_schema("vocabulary", arities),
        _build_schema("merged", kept),
        relations={
            # The leg of the source at `place` is the leg of the target at its position.
            name: RelationImage(
                image.name,
                {
                    _WORLD: (_WORLD,),
                    **{f"at_{place}": (f"at_{at}",) for at, place in enumerate(image.places)},
                },
            )
            for name, image in images.items()
        },
    )


def _build_schema(name: str, arities: Mapping[str, int]) -> Schema:
    relations = tuple(
        Relation(relation, ((_WORLD, _WORLD), *((f"at_{at}", _THING) for at in range(arity))))
        for relation, arity in arities.items()
    )
    return Schema(name, {_THING: (), _WORLD: ()}, relations=relations)


def migrate_facts(map_: SchemaMap, facts: Facts, objects: Iterable[str]) -> Facts:
    """Push facts forward along a map of vocabularies (Sigma).

    Args:
        map_: of `build_schema_map`.
        facts: over its source.
        objects: all of them.

    Returns:
        the facts over its target.
    """
    builder = InstanceBuilder(map_.source)
    world = builder.add(_WORLD, f"the {_WORLD}")
    ids = {name: builder.add(_THING, name) for name in objects}
    for relation in map_.source.relations:
        for arguments in sorted(facts.get(relation.name, ())):
            builder.relate(relation.name, world, *[ids[one] for one in arguments])
    moved = sigma_migration(map_, builder.build(), bound=0).instance
    return {
        relation.name: frozenset(
            tuple(map(moved.name_of, legs[1:])) for legs in moved.tuples(relation.name).values()
        )
        for relation in map_.target.relations
    }


def merge_vocabularies(texts: PddlTexts, mapping: NameMapping) -> PddlTexts:
    """Return the merged model, with its initial facts moved by the migration of C-sets.

    Args:
        texts: of the model.
        mapping: of its predicates.

    Raises:
        ContradictorySynonyms: the mapping is none.
    """
    merged = merge_texts(texts, mapping)
    projected = {name: image for name, image in mapping.images.items() if image.fillers}
    texts = rename_predicates(texts, projected)
    arities = {name: len(legs) for name, legs in texts.domain.predicates.items()}
    equal = frozenset(one for one in mapping.synonyms if one.names <= arities.keys())
    map_ = build_schema_map(arities, NameMapping(equal, mapping.rank))
    objects = [one.name for one in texts.problem.objects]
    facts = migrate_facts(map_, texts.problem.facts, objects)
    return replace(merged, problem=replace(merged.problem, facts=facts))
