# SPDX-License-Identifier: Apache-2.0
"""``fcp scene``: look at scenes, draw, convert and compare them.

command: the commands and their options. info: the output of ``fcp scene info``. difference: the
output of ``fcp scene diff``.
"""
