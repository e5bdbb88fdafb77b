# SPDX-License-Identifier: Apache-2.0
"""The tables of an instance, which successive states share until one changes them.

Only the builder calls the methods that change a table, and only on a copy that it made itself; what
an instance holds is never changed again. Indexes are filled on first use and kept up to date after
that; so are the digests, from which the instance's hash is made. Nothing outside this layer sees
these classes. What a search computes from a table it keeps in `derived`, so that it lasts as long
as the table does.
"""

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.instance.element_table import ElementTable
from fcp_ros.cset.instance.relation_table import RelationTable
from fcp_ros.cset.instance.value_tables import AttributeTable, FunctionTable

__all__ = ["AttributeTable", "Column", "ElementTable", "FunctionTable", "RelationTable"]
