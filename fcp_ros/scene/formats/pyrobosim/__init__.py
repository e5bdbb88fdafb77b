# SPDX-License-Identifier: Apache-2.0
"""Worlds of pyrobosim: a YAML file and the metadata files of its categories.

`reader` is the entrance; `model` validates the files, `layout` resolves names, poses and outlines.
"""
