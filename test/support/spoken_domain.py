# SPDX-License-Identifier: Apache-2.0
"""The small domain file `BASE` with words."""

from base_domain import BASE

TASKS = """\
kinds:
  crockery: [mug, Coffee cup]
ignorable: [kindly, "if you would"]
tasks:
  lay:
    description: Lay a place for each.
    phrases: ["lay [{place}] [for {n} [people]]", "lay the table"]
    parameters: {n: number, place: place}
    defaults: {n: 2, place: box}
    goal: >
      at least {n} ?x: mug (on(?x, {place}))
      and prefer 0.2: exists ?y: item (on(?y, {place}))
    additions:
      - phrases: ["[and] we'll have (tea|coffee)"]
        goal: 'at least {2n} ?x: "coffee cup" (on(?x, {place}))'
      - phrases: ["with {k} spare {item}"]
        parameters: {k: number, item: item}
        goal: 'at least {k} ?x: item (on(?x, {place})) and on({item}, {place})'
      - phrases: ["we are {n}"]
  clear:
    phrases: ["clear {place}"]
    parameters: {place: place}
    goal: 'forall ?x: item (not is_a(?x, "crockery") or not on(?x, {place}))'
"""
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
