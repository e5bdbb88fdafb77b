# SPDX-License-Identifier: Apache-2.0
"""Derived relations that follow the changes of a graph, in time of the change's size.

- ``maintainer``: ``RelationMaintainer``, which takes scene deltas; ``connected`` by doors
- ``changed_inputs``: the changes that derived relations depend on, and their dependents
- ``near``: ``near`` around a change, by a spatial index of boxes that move
"""
