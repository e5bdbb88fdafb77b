# SPDX-License-Identifier: Apache-2.0
"""The sections of a domain file that are about goals: their words, and how they may be relaxed.

words.py       phrases, tasks, kinds of things, things that belong together
relaxing.py    weaker forms, substitutes, what is hard; the goals of tasks, checked at the end
"""
