# SPDX-License-Identifier: Apache-2.0
"""Features of states: a language of concepts, counts and distances, its values, pools of it.

- `expressions`: concepts and roles as values; flags, counts and distances made of them.
- `parser`: their text, with errors that point at the character.
- `evaluation`: values in one state after the other, computed again as far as it changed.
- `enumeration`: pools of features that tell given states apart, simplest first.
- `state_batch`: the concepts and roles of pools over many states at once, as arrays of bitsets.
"""
