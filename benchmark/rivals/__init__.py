# SPDX-License-Identifier: Apache-2.0
"""Other planners, as programs in an environment of their own."""
