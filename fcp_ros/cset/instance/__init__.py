# SPDX-License-Identifier: Apache-2.0
"""Instances: states and patterns of a schema, the maps between them, and how states differ.

An instance holds tables, which successive states share until one changes them. Only the builder
calls the methods that change a table, and only on a copy that it made itself; a table that an
instance holds never changes again. Indexes are filled on first use and kept up to date after that;
so are the digests, from which the instance's hash is made. Nothing outside `cset` sees the tables.
A search keeps what it computes from a table in `derived`, so that it lasts as long as the table.

Values:

- `expressions`: attribute variables, operations and comparisons, in patterns and rules.
- `violation`: broken conditions as values.

Tables:

- `tables`: elements, functions and attributes.
- `relation_table`: tuples, with an index for each leg; `Fact`, a tuple by names.

Instances:

- `instance`: `Instance`, its look-ups, equality, and its graph for networkx.
- `draft`: tables under construction, and the `Change` that they amount to.
- `constraints`: functional legs.
- `builder`: `InstanceBuilder`, the one way to make an instance.
- `facts`: facts of a state, states made from facts, and the `Delta` between states by names.
- `free_names`: names for new elements.

Maps:

- `naturality`: the conditions for a map of ids to be a morphism.
- `morphism`: `Morphism`, identity, inclusion, composition.
"""
