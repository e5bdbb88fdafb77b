# SPDX-License-Identifier: Apache-2.0
"""The names of a scene in the words of a domain: labels, relations and attributes.

    vocabulary.py       the names that a scene uses, and of what
    target.py           the domain that they are read in
    claims.py           what a name means, with the evidence
    beliefs/            probabilities of meanings, by words, structure, geometry and other scenes
    probing/            plans that tell if a doubtful meaning is right, and what their trial says
    reasons.py          claims made of beliefs and trials
    options.py          settings of a request
    scene_alignment.py  propose, try what is doubtful, propose again
    scene_answer.py     the answer: status, claims, overrides

docs/alignment.md explains it.
"""
