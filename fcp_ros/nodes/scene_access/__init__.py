# SPDX-License-Identifier: Apache-2.0
"""How the other nodes follow the scene graph, and report changes to it."""
