# SPDX-License-Identifier: Apache-2.0
"""The C-set engine, beside numpy by hand."""
