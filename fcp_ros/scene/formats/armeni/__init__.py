# SPDX-License-Identifier: Apache-2.0
"""Armeni's 3D Scene Graphs: numpy archives, whose pickles are read without running them."""
