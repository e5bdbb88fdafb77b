# SPDX-License-Identifier: Apache-2.0
"""The names of a scene in the words of a domain: labels, relations and attributes.

    vocabulary.py       the names that a scene uses, and of what; the domain that they are read in
    claims.py           what a name means, with the evidence; hypotheses about all names
    beliefs.py          probabilities of meanings, by words, structure and geometry
    proposal.py         weighs all together
    experiments.py      plans that tell if a doubtful meaning is right; what trials showed
    reasons.py          claims made of beliefs and trials
    scene_alignment.py  propose, try what is doubtful, propose again; the settings and the answer

docs/alignment.md explains it.
"""
