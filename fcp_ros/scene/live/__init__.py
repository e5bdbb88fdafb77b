# SPDX-License-Identifier: Apache-2.0
"""A scene that changes while the robot moves: updates in order, identities kept."""
