# SPDX-License-Identifier: Apache-2.0
"""The file formats of other tools: one reader each, and writers where there is a use for one."""
