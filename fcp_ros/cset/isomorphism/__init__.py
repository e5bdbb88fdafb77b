# SPDX-License-Identifier: Apache-2.0
"""Isomorphism of instances, and a hash that isomorphic instances share.

- `elements_graph`: an instance as a coloured graph, its category of elements.
- `colour_refinement`: the coarsest equitable colouring, and the components that it leaves open.
- `canonical`: the hash, by individualisation and refinement.
- `search`: an isomorphism between two instances.

Both `canonical` and `search` refine first and branch only within the remaining components.
"""
