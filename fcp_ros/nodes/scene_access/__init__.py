# SPDX-License-Identifier: Apache-2.0
"""Access to the scene graph: following it, reporting changes to it, in whichever frame.

- `message_queue`: messages in the order in which they apply, and the graph they make.
- `follower`: the newest state in the words of a domain, from the topics of the scene_graph node.
- `owner`: the node that keeps the graph, and if what it left is still the world.
- `frames`: what arrives in another frame in the graph's; transforms by a parameter, and by tf2.
- `reporter`: publishes a change until the scene graph shows it.
"""
