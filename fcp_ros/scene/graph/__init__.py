# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph: values, their checks, their changes, and the labels in them."""
