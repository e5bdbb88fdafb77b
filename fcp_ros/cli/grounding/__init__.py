# SPDX-License-Identifier: Apache-2.0
"""Commands about degrees: who judges, what was learned, and the models that judge.

- `judge`: ``fcp judge``; `judge_choice`: the oracle that the options of a command choose;
  `calibration`: ``fcp calibration``; `heads`: ``fcp grounding``; `models`: ``fcp models``.
"""
