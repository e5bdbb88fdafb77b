# SPDX-License-Identifier: Apache-2.0
"""General policies: programs for abstract actions, their file, and their execution.

- `programs`: abstract actions as small programs of concrete actions: steps, branches and loops, and
  their text.
- `refining`: one program in one state, with the choices that are left; those of its runs that
  change the features as the abstract action says.
- `general_policy`: a policy as a value, its conditions and effects, and whether it fits a domain.
- `abstraction_data`, `policy_file`: its file, read and written.
- `runner`: its execution in one instance, step by step; the policies of a folder, and a plan by the
  first that fits a domain, verified like any other.
"""
