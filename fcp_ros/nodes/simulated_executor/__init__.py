# SPDX-License-Identifier: Apache-2.0
"""The node ``simulated_executor``: performs steps in a simulated world."""
