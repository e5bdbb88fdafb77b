# SPDX-License-Identifier: Apache-2.0
"""JSON files of ConceptGraphs, of both branches."""
