# SPDX-License-Identifier: Apache-2.0
"""Sigma is left adjoint to Delta: Hom(Sigma I, J) and Hom(I, Delta J) correspond.

(Spivak, *Functorial data migration*, 2012; Mac Lane, *Categories for the Working Mathematician*,
chapter IV.) The map must forget nothing: it leaves no attribute behind, and the paths to which it
sends the legs of a relation distinguish the tuples of every instance (Delta merges those that they
do not distinguish).
"""

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism, identity
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.migration.delta import DeltaMigration, delta_migration, pair_tuples
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import BOUND, SigmaMigration, sigma_migration


def to_delta(sigma: SigmaMigration, delta: DeltaMigration, morphism: Morphism) -> Morphism:
    """Return the morphism I -> Delta J that corresponds to a morphism Sigma I -> J.

    Args:
        sigma: Sigma I.
        delta: Delta J.
        morphism: from `sigma.instance` to `delta.original`.

    Raises:
        MigrationError: it is no morphism between these.
    """
    original = sigma.original
    mapping = {
        element: delta.find_element(
            morphism.mapping[sigma.images[element]], original.type_of(element)
        )
        for element in original.all_elements()
    }
    mapping.update(pair_tuples(original, delta.instance, mapping))
    return Morphism(original, delta.instance, mapping, morphism.values)


def to_sigma(sigma: SigmaMigration, delta: DeltaMigration, morphism: Morphism) -> Morphism:
    """Return the morphism Sigma I -> J that corresponds to a morphism I -> Delta J.

    Args:
        sigma: Sigma I.
        delta: Delta J.
        morphism: from `sigma.original` to `delta.instance`.

    Raises:
        MigrationError: it is no morphism between these.
    """
    images = {id_: delta.origins[image] for id_, image in morphism.mapping.items()}
    return sigma.extend(delta.original, images, morphism.values)


def unit(
    map_: SchemaMap,
    instance: Instance,
    bound: int = BOUND,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
) -> Morphism:
    """Return the unit I -> Delta Sigma I: the way of an instance that is pushed and pulled back.

    Raises:
        MigrationError: as for `sigma_migration` and `delta_migration`.
    """
    sigma = sigma_migration(map_, instance, bound, functional=functional)
    return to_delta(sigma, delta_migration(map_, sigma.instance), identity(sigma.instance))


def counit(
    map_: SchemaMap,
    instance: Instance,
    bound: int = BOUND,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
) -> Morphism:
    """Return the counit Sigma Delta J -> J: the way of an instance that is pulled and pushed back.

    Raises:
        MigrationError: as for `delta_migration` and `sigma_migration`.
    """
    delta = delta_migration(map_, instance)
    sigma = sigma_migration(map_, delta.instance, bound, functional=functional)
    return to_sigma(sigma, delta, identity(delta.instance))
