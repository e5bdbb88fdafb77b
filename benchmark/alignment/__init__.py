# SPDX-License-Identifier: Apache-2.0
"""Names that mean the same, in tasks of the IPC."""
