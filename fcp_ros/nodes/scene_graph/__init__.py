# SPDX-License-Identifier: Apache-2.0
"""The node ``scene_graph``: holds the scene graph, takes updates, publishes changes."""
