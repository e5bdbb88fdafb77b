# SPDX-License-Identifier: Apache-2.0
"""Moving instances from one schema to another along a map of schemas.

- `images`: the image of each part of a schema, with shorthands and omitted parts filled in.
- `path_congruence`: proofs that equations make two paths equal.
- `schema_map`: `SchemaMap`, a functor between schemas, checked.
- `delta`: instances pulled back along a map.
- `sigma`: instances pushed forward, the left adjoint.
- `adjunction`: the correspondence of morphisms between the two.
"""
