# SPDX-License-Identifier: Apache-2.0
"""Commands about degrees: who judges, what was learned, and the models that judge.

- `judges`: the oracle that the options of a command choose.
- `judge`: ``fcp judge``; `calibration`: ``fcp calibration``; `heads`: ``fcp grounding``;
  `models`: ``fcp models``.
"""
