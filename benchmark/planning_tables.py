# SPDX-License-Identifier: Apache-2.0
"""The tables under their old name, for the files of this folder that are to move (issue 30)."""

from benchmark.tables import *  # noqa: F403
