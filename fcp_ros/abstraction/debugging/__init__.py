# SPDX-License-Identifier: Apache-2.0
"""Automated debugging: an abstraction is proposed, checked, and proposed again with its faults.

The four checks are named after Cui et al., "Abstraction generation for generalized planning with
pretrained LLMs" (arXiv 2602.10485). No more of it than abstract and introduction was at hand: the
definitions are ours.

- `abstraction_check`: ASC and HLISC. ASC: the abstraction itself names what there is, and its QNP
  has a policy that terminates. HLISC: each training task begins where the QNP's initial condition
  holds, and not where only the QNP's goal does. Also the layer to blame for a fault that a task
  shows, and the steps left to its goal.
- `refined_tree`: HLPRC and LLGRC. All that the policy can do on each training task, over all
  abstract choices and, within a bound, all concrete ones. HLPRC: in each state some action of the
  policy has a refinement with the effects that are stated. LLGRC: where a run ends, the goal of
  the task holds.
- `loop`: `generalize`, which runs rounds of all that; its settings and its result.
- `learning_process`: the same in a process of its own, which can be ended.
"""
