# SPDX-License-Identifier: Apache-2.0
"""C-sets in the formats of others."""
