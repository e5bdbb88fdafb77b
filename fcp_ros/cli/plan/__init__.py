# SPDX-License-Identifier: Apache-2.0
"""``fcp plan``: one planning request from the command line.

command: the options, and the answer as text or JSON. request: for a scene, or for PDDL files.
interruption: Ctrl-C, and the limits while files are read. progress: what is shown meanwhile.
"""
