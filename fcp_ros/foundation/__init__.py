# SPDX-License-Identifier: Apache-2.0
"""The ground floor: tools that every layer may use and that know nothing of the package above them.

Values:

- `persistent_map`: maps, sets and index buckets whose changed copies share almost everything.

Processes:

- `imports`: packages that re-export names without importing their modules; hidden packages.
- `garbage`: Python's garbage collector in processes that hold large scenes.
- `stopping`: the check that long work calls now and then, and that may stop it.

Words:

- `labels`: one spelling of category labels, and their match with a table of labels.
- `wording`: names and numbers in texts: near misses of unknown names, lists, exact decimals,
  free names.

Errors:

- `input_error`: the error that all files, goals and models that can't be used have in common.

Files:

- `bounded_file`: regular files that are not too large; no devices, no pipes.
- `yaml_text`: YAML as plain values, with lines; writes YAML.
- `s_expressions`: words and nested lists in parentheses, with their places in the text.
- `sandbox`, `sandbox_child`: untrusted files are decoded in a child process with limits.
- `restricted_pickle`: pickles of plain values and numpy arrays, without running anything.
- `sqlite_file`: SQLite databases that several processes share.
"""
