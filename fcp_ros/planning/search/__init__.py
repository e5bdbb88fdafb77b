# SPDX-License-Identifier: Apache-2.0
"""Search on a flat task: from a task and an objective to a plan, a bound, and perhaps a proof."""
