# SPDX-License-Identifier: Apache-2.0
"""The command line ``fcp``: one file for each command, and a folder for ``plan`` and ``ask``.

main: the program; it imports the file of a command only when that command is run.
plan: ``fcp plan`` and ``fcp ask``: a request in a formula or in words, for a scene or PDDL files.
scene: ``fcp scene info``, ``show``, ``convert`` and ``diff``.
judge, calibration, models, validate, align, generalize, policy, language: the commands of
these names; heads: ``fcp grounding``.
live: ``fcp up`` and ``fcp demo``, which need ROS 2.
options: options that several commands share, and the grounder that they choose. session: a domain
with a scene. task_files: the tasks of ``generalize`` and ``policy``.
terminal: output and errors as people read them. exit_codes: all of them.

A command reads its options, opens a session, asks the library (planning, grounding, scene) for an
answer, and prints it, as JSON with ``--json``. An error ends as one sentence on standard error
and an exit code.
"""
