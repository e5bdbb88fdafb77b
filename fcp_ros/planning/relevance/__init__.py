# SPDX-License-Identifier: Apache-2.0
"""From a domain, a state and the facts that are wanted to a task: only what matters is grounded."""
