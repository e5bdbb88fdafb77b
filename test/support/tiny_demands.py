# SPDX-License-Identifier: Apache-2.0
"""A tiny encoder of texts, and rows of two small domains, for tests of the demand model."""

import zlib

import numpy as np

from fcp_ros.language.demands.frames import DemandClause, SpokenArgument

ROWS = """
licence: test
domains:
  home:
    phrases:
      put: ["put {item} in {box}", "place {item} in {box}"]
      open: ["open {box}"]
      give: ["give {item} to {person}", "give {person} {item}"]
    clauses:
      put: ["lay [the cup]{item} in [the crate]{box}", "stow [the fork]{item} in [the bin]{box}"]
      open: ["unlock [the crate]{box}", "uncover [the bin]{box}"]
      give: ["hand [the cup]{item} to [Anna]{person}", "pass [the fork]{item} to [Peter]{person}"]
  garden:
    phrases:
      water: ["water {plant}"]
      tie: ["tie {plant} to {stake}"]
    clauses:
      water: ["sprinkle [the rose]{plant}"]
      tie: ["fasten [the rose]{plant} to [the stick]{stake}"]
names: {key chain: {keys: 9, key: 2}, mug: {cup: 4}}
"""
DIMENSION = 64


def encode(texts):
    """Sum a fixed vector for each word and each run of three letters, as a unit vector."""
    rows = []
    for text in texts:
        pieces = [*text.split(), *(text[i : i + 3] for i in range(len(text) - 2))]
        row = np.zeros(DIMENSION)
        for piece in pieces:
            seed = zlib.crc32(piece.encode())
            row += np.random.default_rng(seed).standard_normal(DIMENSION)
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, np.float32)


def make_clause(verb, *arguments, particle="", complement=""):
    """Make a clause of its verb and pairs of marker and noun."""
    return DemandClause(
        verb, particle, tuple(SpokenArgument(m, n) for m, n in arguments), complement
    )
