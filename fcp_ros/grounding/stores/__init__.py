# SPDX-License-Identifier: Apache-2.0
"""SQLite files that processes share, and the cache of judgements in one."""
