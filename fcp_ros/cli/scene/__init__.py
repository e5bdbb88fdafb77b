# SPDX-License-Identifier: Apache-2.0
"""``fcp scene``: look at scenes, draw, convert and compare them.

command: the commands. options: how they read any scene. info: the output of ``fcp scene info``.
difference: the output of ``fcp scene diff``.
"""
