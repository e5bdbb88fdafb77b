# SPDX-License-Identifier: Apache-2.0
"""From domain, state and goal to a task: only what can matter is instantiated."""
