# SPDX-License-Identifier: Apache-2.0
"""Instructions by what was learned from people: demands, roles and names."""

from fcp_ros.language.learned_reader.logic import LearnedSyntax

__all__ = ["LearnedSyntax"]
