# SPDX-License-Identifier: Apache-2.0
"""The default oracle: sentence embeddings, trained heads, and the map to degrees."""
