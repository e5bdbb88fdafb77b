# SPDX-License-Identifier: Apache-2.0
"""Sigma is left adjoint to Delta: Hom(Sigma I, J) and Hom(I, Delta J) correspond.

(Spivak, *Functorial data migration*, 2012; Mac Lane, *Categories for the Working Mathematician*,
chapter IV.) This needs that the map forgets nothing: it leaves no attribute behind, and the paths
to which it sends the legs of a relation tell the tuples apart, whatever the instance (Delta makes
one of those that they don't tell apart).
"""

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism, identity
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.migration.delta import DeltaMigration, delta_migration, images_of_tuples
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import BOUND, SigmaMigration, sigma_migration


def to_delta(sigma: SigmaMigration, delta: DeltaMigration, morphism: Morphism) -> Morphism:
    """The morphism I -> Delta J that corresponds to a morphism Sigma I -> J.

    Args:
        sigma: Sigma I.
        delta: Delta J.
        morphism: from the one's instance to the other's original.

    Raises:
        MigrationError: it is no morphism between these.
    """
    original = sigma.original
    mapping = {
        element: delta.element(morphism.mapping[sigma.images[element]], original.type_of(element))
        for element in original.all_elements()
    }
    mapping.update(images_of_tuples(original, delta.instance, mapping))
    return Morphism(original, delta.instance, mapping, morphism.values)


def to_sigma(sigma: SigmaMigration, delta: DeltaMigration, morphism: Morphism) -> Morphism:
    """The morphism Sigma I -> J that corresponds to a morphism I -> Delta J.

    Args:
        sigma: Sigma I.
        delta: Delta J.
        morphism: from the one's original to the other's instance.

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
    """I -> Delta Sigma I: where an instance is found again after being pushed and pulled back.

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
    """Sigma Delta J -> J: what an instance's part that can be pulled back says of it.

    Raises:
        MigrationError: as for `delta_migration` and `sigma_migration`.
    """
    delta = delta_migration(map_, instance)
    sigma = sigma_migration(map_, delta.instance, bound, functional=functional)
    return to_sigma(sigma, delta, identity(delta.instance))
