# SPDX-License-Identifier: Apache-2.0
"""Noun phrases to terms of the goal language.

Lowest first:

- `places`: the relation that says where something is, by the types of thing and place.
- `referents`: variables with their quantifiers.
- `spoken_scene`: the state that is spoken of: persons, places, types.
- `descriptions`: what was said before, elements that fit a description, conditions of variables.
- `remainders`: exceptions, the rest, some of what was named; sets as one thing of each kind.
- `resolution`: noun phrases looked up in all of these.
"""
