# SPDX-License-Identifier: Apache-2.0
"""Context Matters: instances, houses and problems."""
