# SPDX-License-Identifier: Apache-2.0
"""Why a map of schemas, or a migration along one, is refused."""


class MigrationError(ValueError):
    """A map that is no functor, or an instance that has no counterpart in the other schema."""
