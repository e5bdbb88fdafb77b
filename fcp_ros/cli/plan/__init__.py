# SPDX-License-Identifier: Apache-2.0
"""``fcp plan`` and ``fcp ask``: one planning request from the command line.

command: ``fcp plan``. ask: ``fcp ask``, the same for words. options: the options of both.
request: one request, for a scene or for PDDL files. output: the text that both print, what is shown
meanwhile, and what is asked. interruption: Ctrl-C, and the limits while files are read.
"""
