# SPDX-License-Identifier: Apache-2.0
"""General policies: their file, their execution, and their use in front of the planner.

- `general_policy`: a policy as a value, and whether it fits a domain.
- `entries`, `abstraction_data`, `policy_file`: its file, read and written.
- `runner`: its execution in one instance, step by step.
- `library`: the policies of a folder, and those that suggest plans of one domain.
- `use`: a plan by the first policy that fits, verified like any other; else by search.
"""
