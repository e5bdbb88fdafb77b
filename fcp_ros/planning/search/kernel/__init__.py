# SPDX-License-Identifier: Apache-2.0
"""The compiled part of the best-first search: flat arrays in, flat arrays out, no Python objects.

Everything here is a numba kernel or a NamedTuple of arrays that kernels share. A search is a
`Space` (its memory), which `advance` works on in slices; `..best_first.BestFirst` drives it.

advance       the loop: select a label (turns of several queues, evaluation, putting back), make its
              successors, until the slice is used up
successors    the successors of a label: applicable operators, new states, new labels
evaluation    heuristic values of states, landmark rows, keys and pruning of labels
dominance     labels of one state that make others useless; resources after a step
bucket_queue  priority queues of labels
space         states, labels, hash table; enlarging them
switch_tree   the successor generator
packing       states as 64-bit words

A *label* is one path to a state: its loss and cost so far and the resources left. Ownership: all
arrays are made by `space.SpaceAllocator` and `packing.pack`; kernels write only to the `Space` and
to the workspaces of the heuristics, and allocate nothing (see `flat.jit`).
"""
