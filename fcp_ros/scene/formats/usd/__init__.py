# SPDX-License-Identifier: Apache-2.0
"""USD stages: opened in a process of their own, read, and written."""
