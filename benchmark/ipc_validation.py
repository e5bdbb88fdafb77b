# SPDX-License-Identifier: Apache-2.0
"""The validation under its old name, for the files of this folder that are to move (issue 30)."""

from benchmark.ipc.validation import *  # noqa: F403
