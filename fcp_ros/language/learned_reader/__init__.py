# SPDX-License-Identifier: Apache-2.0
"""Instructions by what was learned from people: demands, roles and names."""

from fcp_ros.language.learned_reader.learned_syntax import LearnedSyntax

__all__ = ["LearnedSyntax"]
