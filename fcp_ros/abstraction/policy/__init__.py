# SPDX-License-Identifier: Apache-2.0
"""General policies: their file, their execution, and their use in front of the planner.

- `general_policy`: a policy as a value, and whether it fits a domain.
- `entries`, `abstraction_data`, `policy_file`: its file, read and written.
- `runner`: its execution in one instance, step by step.
- `library`: the policies of a folder, those that suggest plans of one domain, and a plan by the
  first that fits, verified like any other.
"""
