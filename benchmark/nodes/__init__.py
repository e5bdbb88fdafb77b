# SPDX-License-Identifier: Apache-2.0
"""The nodes as a robot runs them."""
