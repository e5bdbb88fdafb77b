# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning and executing."""
