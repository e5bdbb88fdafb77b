# SPDX-License-Identifier: Apache-2.0
"""A scene in the words of a domain: types, a C-set, and facts turned back into a scene."""
