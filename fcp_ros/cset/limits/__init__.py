# SPDX-License-Identifier: Apache-2.0
"""Limits, colimits, subobjects and presentations of instances, with their universal maps.

- `diagrams`: errors, and the checks of cones and cocones.
- `common_types`: the type of what a limit pairs, and of what a colimit glues.
- `limits`: terminal instance, products, equalisers, pullbacks.
- `colimits`: initial instance, coproducts, coequalisers, pushouts.
- `presentation`: the freest instance with given generators and equations.
- `chase`: completes generators and equations to an instance, on top of `congruence` (which elements
  are equal); colimits and presentations are made by it.
- `subobjects`: the subinstances of an instance, generated, enumerated and counted.
"""
