# SPDX-License-Identifier: Apache-2.0
"""Events of AI2-THOR (`ai2thor`) and houses of ProcTHOR (`procthor`), in Unity's frame."""
