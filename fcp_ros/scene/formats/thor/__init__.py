# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR event metadata and ProcTHOR houses: Unity, left-handed and y up."""
