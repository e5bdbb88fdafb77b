# SPDX-License-Identifier: Apache-2.0
"""Moving instances from one schema to another along a map of schemas."""
