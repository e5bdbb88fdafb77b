# SPDX-License-Identifier: Apache-2.0
"""Events of AI2-THOR (`ai2thor`) and houses of ProcTHOR (`procthor`).

Both have the conventions of Unity (`unity`): left-handed, y up.
"""
