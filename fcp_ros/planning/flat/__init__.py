# SPDX-License-Identifier: Apache-2.0
"""The flat task: finite-domain variables and operators in arrays."""
