# SPDX-License-Identifier: Apache-2.0
"""Who is asked for a predicate, through the cache, and who steps in where none can answer."""
