# SPDX-License-Identifier: Apache-2.0
"""The small domain file `BASE` with words."""

from base_domain import BASE, DATA

TASKS = (DATA / "base_domain_tasks.yaml").read_text(encoding="utf-8")
SPOKEN = BASE.replace("scene:\n", TASKS + "scene:\n")
for line, more in {
    "  on: {legs": ', phrases: ["{item} (is|lies) on {place}", "put {item} on {place}"]',
    "  closed: {legs": ', phrases: ["{box} is closed"], negated_phrases: ["{box} is open"]',
}.items():
    old = next(text for text in BASE.splitlines() if text.startswith(line))
    SPOKEN = SPOKEN.replace(old, old[:-1] + more + "}")
SPOKEN = SPOKEN.replace(
    "    executor: arm/pick\n",
    '    executor: arm/pick\n    phrases: ["pick up {item}", "take {item} from {place}"]\n',
).replace(
    "    default_degree: 0.9\n",
    '    default_degree: 0.9\n    phrases: ["{robot} can grasp {item}"]\n',
)
